// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of warpgroups, as inline assembly: upstream's op takes no left side
// in registers.

#include "passes/body/KeptHere.h"
#include "passes/lower/wgmma/Lowerings.h"
#include "passes/lower/wgmma/SharedTiles.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

namespace {

class ProductEmitter : public WarpgroupEmitter {
public:
  using WarpgroupEmitter::WarpgroupEmitter;

  Value emitProduct(tile::WgmmaProductOp op, const Lowered &lowered);
  Value emitWait(tile::WgmmaWaitOp op, Value fragment);
  Value emitBoundary(tile::WgmmaBoundaryOp op);

private:
  Values elementsOf(Value vector) {
    Values elements;
    for (int64_t i = 0; i < lengthOf(vector); ++i)
      elements.push_back(element(vector, i));
    return elements;
  }
  /// `text` on `registers`, each of which it may change, and `inputs`.
  Values emitTied(StringRef text, ArrayRef<Value> registers,
                  ArrayRef<Value> inputs = {});
  Values emitAssembly(StringRef text, StringRef constraints,
                      ArrayRef<Value> operands, ArrayRef<Type> results);
};

} // namespace

static StringRef letterOf(Type type) {
  return type.isF32() ? "f" : type.isInteger(32) ? "r" : "l";
}

ProductEmitter::Values ProductEmitter::emitAssembly(StringRef text,
                                                    StringRef constraints,
                                                    ArrayRef<Value> operands,
                                                    ArrayRef<Type> results) {
  Type type = results.empty() ? Type()
              : results.size() == 1
                  ? results.front()
                  : LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  auto code = LLVM::InlineAsmOp::create(
      b, type, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  if (results.size() < 2)
    return results.empty() ? Values() : Values{code.getRes()};
  Values values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, code.getRes(), i));
  return values;
}

ProductEmitter::Values ProductEmitter::emitTied(StringRef text,
                                                ArrayRef<Value> registers,
                                                ArrayRef<Value> inputs) {
  std::string constraints;
  SmallVector<Type> types;
  for (Value each : registers) {
    types.push_back(each.getType());
    constraints += ("=" + letterOf(each.getType()) + ",").str();
  }
  for (size_t i = 0; i < registers.size(); ++i)
    constraints += std::to_string(i) + ",";
  for (Value each : inputs)
    constraints += (letterOf(each.getType()) + ",").str();
  if (!constraints.empty())
    constraints.pop_back();
  Values operands(registers);
  llvm::append_range(operands, inputs);
  return emitAssembly(text, constraints, operands, types);
}

/// `{$first, …}`, of `count` registers.
static std::string listOf(size_t first, size_t count) {
  std::string list = "{";
  for (size_t i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + std::to_string(first + i);
  return list + "}";
}

Value ProductEmitter::emitProduct(tile::WgmmaProductOp op,
                                  const Lowered &lowered) {
  tile::SharedType type = op.getTile().getType();
  bool byRows = op.getTransposed();
  int64_t terms = byRows ? type.getColumns() : type.getRows();
  int64_t columns = byRows ? type.getRows() : type.getColumns();
  size_t count = columns / 2;
  auto leftType = dyn_cast<tile::SharedType>(op.getLeft().getType());

  // Descriptors are constants, but for the first of a product. LLVM would make
  // all of them before the loop, more than there are registers for.
  Value right =
      keptHere(descriptor(lowered.lookup(op.getTile()), type, byRows));
  Value leftTile;
  Values left, sums;
  if (leftType) {
    // A warpgroup's rows follow those of the one before, in every panel.
    Value own = times(warpgroup(), warpgroupRows * leftType.getSwizzle());
    leftTile = keptHere(descriptor(plus(lowered.lookup(op.getLeft()), own),
                                   leftType, /*byRows=*/true));
  } else {
    left = elementsOf(registersOf(op.getLeft()));
  }
  if (op.getAccumulator())
    sums = elementsOf(op.getAccumulator());
  // The fence orders what was written to registers: they go through it, so that
  // nothing that makes them comes after it.
  Values fenced = sums;
  llvm::append_range(fenced, left);
  fenced = emitTied("wgmma.fence.sync.aligned;", fenced);
  size_t numSums = sums.size();
  sums.assign(fenced.begin(), fenced.begin() + numSums);
  left.assign(fenced.begin() + numSums, fenced.end());

  auto step = [&](Value descriptor, tile::SharedType of, bool along,
                  int64_t term) {
    Value bytes = arith::ConstantOp::create(
        b, b.getI64IntegerAttr(descriptorStep(of, along, term)));
    return b.createOrFold<arith::AddIOp>(descriptor, bytes);
  };
  StringRef name = type.getElementType().isBF16() ? "bf16" : "f16";
  for (int64_t term = 0; term < terms; term += 16) {
    Values inputs;
    if (leftTile)
      inputs.push_back(step(leftTile, leftType, /*along=*/true, term));
    else
      inputs.append(left.begin() + term / 4, left.begin() + term / 4 + 4);
    size_t leftSize = inputs.size();
    inputs.push_back(step(right, type, byRows, term));
    // Without sums before it the first product writes its registers only.
    size_t first = sums.empty() ? count : 2 * count;
    std::string text = llvm::formatv(
        "{{ .reg .pred p; setp.ne.b32 p, {0}, 0; "
        "wgmma.mma_async.sync.aligned.m64n{1}k16.f32.{2}.{2} {3}, {4}, ${5}, "
        "p, 1, 1{6}, {7}; }",
        sums.empty() ? 0 : 1, columns, name, listOf(0, count),
        leftTile ? "$" + std::to_string(first) : listOf(first, leftSize),
        first + leftSize, leftTile ? ", 0" : "", byRows ? 0 : 1);
    if (!sums.empty()) {
      sums = emitTied(text, sums, inputs);
      continue;
    }
    std::string constraints;
    for (size_t i = 0; i < count; ++i)
      constraints += "=f,";
    for (Value input : inputs)
      constraints += (letterOf(input.getType()) + ",").str();
    constraints.pop_back();
    sums = emitAssembly(text, constraints, inputs,
                        SmallVector<Type>(count, b.getF32Type()));
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(b);
  return joined(sums);
}

Value ProductEmitter::emitWait(tile::WgmmaWaitOp op, Value fragment) {
  std::string text =
      llvm::formatv("wgmma.wait_group.sync.aligned {0};", op.getPending());
  return joined(emitTied(text, elementsOf(fragment)));
}

/// On a way that is never taken all weights are changed, so that ptxas must
/// have computed them before it.
Value ProductEmitter::emitBoundary(tile::WgmmaBoundaryOp op) {
  Values weights = elementsOf(op.getMade());
  std::string changes;
  for (size_t i = 0; i < weights.size(); ++i)
    changes += llvm::formatv("not.b32 ${0}, ${0}; ", i);
  return joined(emitTied(neverTaken(changes), weights));
}

void mixattn::lower(OpBuilder &b, tile::WgmmaProductOp op, Lowered &lowered) {
  lowered[op.getProduct()] =
      ProductEmitter(op.getLoc(), b).emitProduct(op, lowered);
}

void mixattn::lower(OpBuilder &b, tile::WgmmaWaitOp op, Lowered &lowered) {
  Value fragment = ProductEmitter(op.getLoc(), b)
                       .emitWait(op, lowered.lookup(op.getProduct()));
  op.getFragment().replaceAllUsesWith(fragment);
}

void mixattn::lower(OpBuilder &b, tile::WgmmaBoundaryOp op, Lowered &) {
  op.getWeights().replaceAllUsesWith(
      ProductEmitter(op.getLoc(), b).emitBoundary(op));
}
