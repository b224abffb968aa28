// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wraps ops as kernels on tensors.

#include "passes/schedule/KernelMaker.h"

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

/// The tensor of bytes whose elements are not 0 where those of `booleans` are
/// true: the one that they were made from, or a new one.
static Value asBytes(OpBuilder &b, Location loc, Value booleans) {
  if (auto made = booleans.getDefiningOp<linalg::GenericOp>();
      made && made.getNumDpsInputs() == 1 &&
      llvm::all_of(made.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); })) {
    auto type = dyn_cast<RankedTensorType>(made.getInputs()[0].getType());
    auto yielded = made.getBody()->getTerminator()->getOperand(0);
    auto compared = yielded.getDefiningOp<arith::CmpIOp>();
    if (type && type.getElementType().isInteger(8) && compared &&
        compared.getPredicate() == arith::CmpIPredicate::ne &&
        compared.getLhs() == made.getBody()->getArgument(0) &&
        matchPattern(compared.getRhs(), m_Zero()))
      return made.getInputs()[0];
  }
  auto type = cast<RankedTensorType>(booleans.getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, booleans), b.getI8Type());
  AffineMap each = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), booleans, init,
             ArrayRef<AffineMap>{each, each}, loops,
             [](OpBuilder &b, Location loc, ValueRange args) {
               Value byte =
                   arith::ExtUIOp::create(b, loc, b.getI8Type(), args[0]);
               linalg::YieldOp::create(b, loc, byte);
             })
      .getResult(0);
}

/// Whether `operand` is where an op adds or writes to, and an op makes that
/// from no other tensor.
static bool isFreshInit(OpOperand &operand) {
  auto op = dyn_cast<DestinationStyleOpInterface>(operand.getOwner());
  return op && op.isDpsInit(&operand) &&
         isa_and_present<linalg::FillOp, tensor::EmptyOp>(
             operand.get().getDefiningOp());
}

static bool isConstantNumber(Value value) {
  return matchPattern(value, m_Constant()) && !isa<TensorType>(value.getType());
}

namespace {

/// Wraps ops as a kernel into new tensors.
class KernelMaker {
public:
  KernelMaker(ArrayRef<Operation *> members, Location loc)
      : rewriter(members.back()), loc(loc), members(members) {}

  void run();

private:
  bool isMember(Operation *op) const {
    return op && llvm::is_contained(members, op);
  }
  void freeInits(Operation *op);
  void freeSizes(Operation *op);
  SmallVector<Value> findResults() const;
  SmallVector<OpFoldResult> sizesOf(Value result);
  SmallVector<Value> makeOutputs(ArrayRef<Value> results);
  void collect(Operation *op);
  void collect(Value value);
  Value copyInit(Value value);
  Operation *copy(Operation *op);

  IRRewriter rewriter;
  Location loc;
  ArrayRef<Operation *> members;
  IRMapping mapping;
  /// Values from outside: the kernel's inputs, and numbers that its region
  /// makes again.
  llvm::SetVector<Value> used, constants;
};

} // namespace

/// The results that others read; those of the last op in any case.
SmallVector<Value> KernelMaker::findResults() const {
  Block *block = members.front()->getBlock();
  SmallVector<Value> results;
  for (Operation *op : members)
    for (Value result : op->getResults()) {
      auto isOther = [&](Operation *user) {
        return !isMember(block->findAncestorOpInBlock(*user));
      };
      if (op == members.back() || llvm::any_of(result.getUsers(), isOther))
        results.push_back(result);
    }
  return results;
}

/// The sizes of `result`: those of the tensor that it is written to.
SmallVector<OpFoldResult> KernelMaker::sizesOf(Value result) {
  auto made = cast<OpResult>(result);
  if (auto op = dyn_cast<DestinationStyleOpInterface>(made.getOwner()))
    return tensor::getMixedSizes(rewriter, loc,
                                 op.getTiedOpOperand(made)->get());
  ReifiedRankedShapedTypeDims shapes;
  [[maybe_unused]] LogicalResult known =
      reifyResultShapes(rewriter, made.getOwner(), shapes);
  assert(succeeded(known) && "anchors know the sizes of their results");
  return shapes[made.getResultNumber()];
}

/// New tensors of the types and sizes of `results`.
SmallVector<Value> KernelMaker::makeOutputs(ArrayRef<Value> results) {
  SmallVector<Value> outputs;
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> dynamic;
    for (auto [i, size] : llvm::enumerate(sizesOf(result)))
      if (type.isDynamicDim(i))
        dynamic.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
    outputs.push_back(tensor::EmptyOp::create(rewriter, loc, type, dynamic));
  }
  return outputs;
}

void KernelMaker::collect(Value value) {
  (isConstantNumber(value) ? constants : used).insert(value);
}

/// Collects what `op` reads.
void KernelMaker::collect(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isFreshInit(operand)) {
      collect(operand.get());
      continue;
    }
    // A filled tensor is made again in the region, and so is what is filled.
    Operation *made = operand.get().getDefiningOp();
    if (isa<linalg::FillOp>(made))
      collect(made);
    else
      llvm::for_each(made->getOperands(), [&](Value each) { collect(each); });
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::for_each(captured, [&](Value each) { collect(each); });
}

/// The tensor `value`, which an op writes to, made again in the region. It may
/// be an input, too: then `mapping` keeps that.
Value KernelMaker::copyInit(Value value) {
  IRMapping before = mapping;
  Value made = copy(value.getDefiningOp())->getResult(0);
  mapping = before;
  return made;
}

/// A copy of `op` in the kernel's region.
Operation *KernelMaker::copy(Operation *op) {
  SmallVector<std::pair<unsigned, Value>> inits;
  for (OpOperand &operand : op->getOpOperands())
    if (isFreshInit(operand))
      inits.emplace_back(operand.getOperandNumber(), copyInit(operand.get()));
  Operation *copied = rewriter.clone(*op, mapping);
  for (auto [i, init] : inits)
    copied->setOperand(i, init);
  return copied;
}

/// A tensor of the sizes of `tensor` that no member makes.
static Value likeOf(Value tensor, ArrayRef<Operation *> members) {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    if (!llvm::is_contained(members, result.getOwner()))
      break;
    tensor = cast<DestinationStyleOpInterface>(result.getOwner())
                 .getTiedOpOperand(result)
                 ->get();
  }
  return tensor;
}

/// Has `op` write to a tensor of its own where it reads nothing of the one that
/// it writes to.
void KernelMaker::freeInits(Operation *op) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg)
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (OpOperand &init : linalg.getDpsInitsMutable())
    if (!isFreshInit(init) && !linalg.payloadUsesValueFromOperand(&init))
      init.set(tensor::EmptyOp::create(
          rewriter, loc,
          tensor::getMixedSizes(rewriter, loc, likeOf(init.get(), members)),
          getElementTypeOrSelf(init.get())));
}

/// Takes sizes of what `op` makes from a tensor that no member makes: who asks
/// for a size reads no result.
void KernelMaker::freeSizes(Operation *op) {
  if (!isa<linalg::LinalgOp>(op))
    return;
  for (OpResult result : op->getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (isa<tensor::DimOp>(user))
        rewriter.modifyOpInPlace(
            user, [&] { user->setOperand(0, likeOf(result, members)); });
}

void KernelMaker::run() {
  llvm::for_each(members, [&](Operation *op) { freeInits(op); });
  llvm::for_each(members, [&](Operation *op) { freeSizes(op); });
  llvm::for_each(members, [&](Operation *op) { collect(op); });
  used.remove_if([&](Value value) { return isMember(value.getDefiningOp()); });
  SmallVector<Value> results = findResults();
  SmallVector<Value> outputs = makeOutputs(results), inputs;
  SmallVector<Type> types;
  for (Value value : used) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    bool isBoolean = tensor && tensor.getElementType().isInteger(1);
    inputs.push_back(isBoolean ? asBytes(rewriter, loc, value) : value);
    types.push_back(value.getType());
  }
  auto kernel = KernelOp::create(rewriter, loc, ValueRange(results).getTypes(),
                                 inputs, outputs);
  SmallVector<Location> places(types.size(), loc);
  Block *block = rewriter.createBlock(&kernel.getBody(), {}, types, places);
  mapping.map(used.getArrayRef(), block->getArguments());
  for (Value value : constants)
    mapping.map(value, rewriter.clone(*value.getDefiningOp())->getResult(0));
  llvm::for_each(members, [&](Operation *op) { copy(op); });
  auto copies = llvm::map_to_vector(
      results, [&](Value result) { return mapping.lookup(result); });
  ResultsOp::create(rewriter, loc, copies);
  for (auto [result, made] : llvm::zip(results, kernel.getResults()))
    rewriter.replaceAllUsesWith(result, made);
  for (Operation *op : llvm::reverse(members))
    rewriter.eraseOp(op);
}

void mixattn::makeKernel(ArrayRef<Operation *> members, Location loc) {
  KernelMaker(members, loc).run();
}
