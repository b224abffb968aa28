// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fragments element by element, and row by row.

#include "passes/lower/gpu/Lowerings.h"
#include "passes/lower/gpu/WarpEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mixattn;

namespace {

class MapEmitter : public WarpEmitter {
public:
  using WarpEmitter::WarpEmitter;

  Values emitMap(tile::MapOp op);
  /// `combine` over the lane's elements of each row.
  Value emitReduced(Value fragment, function_ref<Value(Value, Value)> combine);
  /// `combine` over the parts of each row that four lanes have.
  Value emitJoined(Value parts, function_ref<Value(Value, Value)> combine);
  Value emitAny(tile::AnyOp op);
  Value emitOperand(tile::ToOperandOp op);

  Value sum(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value larger(Value x, Value y) { return arith::MaxNumFOp::create(b, x, y); }

private:
  /// Which of a thread's two rows element `i` of a fragment is in.
  static int64_t rowOf(int64_t i) { return i / 2 % 2; }
  /// Whether a polynomial computes `math.exp2` of element `i`. Such elements
  /// are spread evenly, so that both units are busy all the time.
  static bool isByPolynomial(tile::MapOp op, int64_t i) {
    constexpr int64_t all = tile::allExps;
    int64_t others = all - int64_t(op.getExps().value_or(all));
    return i * others % all + others >= all;
  }
};

} // namespace

/// Whether `inner` computes the same for two elements: `before` and `now` say
/// what stands for its operands.
static bool isShared(Operation &inner, const IRMapping &before,
                     const IRMapping &now) {
  return inner.getNumRegions() == 0 && isPure(&inner) &&
         llvm::all_of(inner.getOperands(), [&](Value operand) {
           return before.lookupOrDefault(operand) ==
                  now.lookupOrDefault(operand);
         });
}

MapEmitter::Values MapEmitter::emitMap(tile::MapOp op) {
  Value firstRow = ownRow(op.getRow());
  Value firstColumn = at.add(op.getColumn(), laneColumn());
  SmallVector<Values> results(op.getNumResults());
  Block &body = op.getBody().front();
  IRMapping before;
  Value row, pair;
  for (int64_t i = 0; i < lengthOf(op.getResult(0)); ++i) {
    if (i % 2 == 0)
      row = at.add(firstRow, rowOf(i) * chunk);
    if (i % 4 == 0)
      pair = at.add(firstColumn, i / 4 * chunk);
    IRMapping mapping;
    auto argument = body.args_begin();
    mapping.map(*argument++, row);
    mapping.map(*argument++, at.add(firstColumn, i / 4 * chunk + i % 2));
    for (Value operand : op.getOperands_())
      mapping.map(*argument++,
                  element(operand, lengthOf(operand) == 2 ? rowOf(i) : i));
    for (Operation &inner : body.without_terminator()) {
      auto exp2 = dyn_cast<math::Exp2Op>(inner);
      if (isa<tile::FirstOfPairOp>(inner))
        mapping.map(inner.getResult(0), pair);
      else if (exp2 && isByPolynomial(op, i))
        mapping.map(exp2.getResult(),
                    emitExp2ByPolynomial(
                        b, mapping.lookupOrDefault(exp2.getOperand())));
      else if (i > 0 && isShared(inner, before, mapping))
        for (Value result : inner.getResults())
          mapping.map(result, before.lookup(result));
      else
        b.clone(inner, mapping);
    }
    auto yield = cast<tile::FragmentYieldOp>(body.getTerminator());
    for (auto [result, value] : llvm::zip(results, yield.getElements()))
      result.push_back(mapping.lookupOrDefault(value));
    before = std::move(mapping);
  }
  return llvm::map_to_vector(
      results, [&](const Values &elements) { return joined(elements); });
}

Value MapEmitter::emitReduced(Value fragment,
                              function_ref<Value(Value, Value)> combine) {
  Values rows;
  for (int64_t row : {0, 1}) {
    Value all;
    for (int64_t i = 0; i < lengthOf(fragment); ++i)
      if (rowOf(i) == row)
        all = all ? combine(all, element(fragment, i)) : element(fragment, i);
    rows.push_back(all);
  }
  return joined(rows);
}

Value MapEmitter::emitJoined(Value parts,
                             function_ref<Value(Value, Value)> combine) {
  Values rows;
  for (int64_t row : {0, 1}) {
    Value all = element(parts, row);
    // A row is in four lanes that follow one another.
    for (int64_t distance : {1, 2}) {
      Value other = NVVM::ShflOp::create(
          b, b.getF32Type(), number(-1), all, number(distance), number(31),
          NVVM::ShflKind::bfly, /*return_value_and_is_valid=*/UnitAttr());
      all = combine(all, other);
    }
    rows.push_back(all);
  }
  return joined(rows);
}

Value MapEmitter::emitAny(tile::AnyOp op) {
  Value own = arith::OrIOp::create(b, element(op.getRows(), 0),
                                   element(op.getRows(), 1));
  return NVVM::VoteSyncOp::create(b, b.getI1Type(), number(-1), own,
                                  NVVM::VoteSyncKind::any);
}

Value MapEmitter::emitOperand(tile::ToOperandOp op) {
  Type type = cast<VectorType>(op.getOperand().getType()).getElementType();
  Values registers;
  for (int64_t i = 0; i < lengthOf(op.getFragment()); i += 2)
    registers.push_back(rounded(element(op.getFragment(), i),
                                element(op.getFragment(), i + 1), type));
  return operandOf(registers, type);
}

void mixattn::lower(RewriterBase &rewriter, tile::MapOp op) {
  rewriter.replaceOp(op, MapEmitter(op.getLoc(), rewriter).emitMap(op));
}

void mixattn::lower(RewriterBase &rewriter, tile::RowMaxOp op) {
  MapEmitter emitter(op.getLoc(), rewriter);
  rewriter.replaceOp(
      op, emitter.emitReduced(op.getFragment(), [&](Value x, Value y) {
        return emitter.larger(x, y);
      }));
}

void mixattn::lower(RewriterBase &rewriter, tile::RowSumOp op) {
  MapEmitter emitter(op.getLoc(), rewriter);
  rewriter.replaceOp(
      op, emitter.emitReduced(op.getFragment(), [&](Value x, Value y) {
        return emitter.sum(x, y);
      }));
}

void mixattn::lower(RewriterBase &rewriter, tile::JoinMaxOp op) {
  MapEmitter emitter(op.getLoc(), rewriter);
  rewriter.replaceOp(op,
                     emitter.emitJoined(op.getParts(), [&](Value x, Value y) {
                       return emitter.larger(x, y);
                     }));
}

void mixattn::lower(RewriterBase &rewriter, tile::JoinSumOp op) {
  MapEmitter emitter(op.getLoc(), rewriter);
  rewriter.replaceOp(op,
                     emitter.emitJoined(op.getParts(), [&](Value x, Value y) {
                       return emitter.sum(x, y);
                     }));
}

void mixattn::lower(RewriterBase &rewriter, tile::AnyOp op) {
  rewriter.replaceOp(op, MapEmitter(op.getLoc(), rewriter).emitAny(op));
}

void mixattn::lower(RewriterBase &rewriter, tile::ToOperandOp op) {
  rewriter.replaceOp(op, MapEmitter(op.getLoc(), rewriter).emitOperand(op));
}
