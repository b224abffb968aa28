// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens scalar code to vectors, op by op.

#include "passes/schedule/x86/shared/Widen.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Clones ops of a block for one lane as ops for all lanes.
class Widening {
public:
  Widening(OpBuilder &b, int64_t length, WideLoad load)
      : b(b), length(length), load(load) {}

  void map(Value scalar, Value value) { mapping.map(scalar, value); }
  void clone(Operation &op);
  /// The value that stands for `scalar`, as a vector.
  Value wide(Value scalar);

private:
  Value lookUp(Value scalar) { return mapping.lookupOrDefault(scalar); }

  OpBuilder &b;
  int64_t length;
  WideLoad load;
  IRMapping mapping;
};

} // namespace

Value Widening::wide(Value scalar) {
  Value value = lookUp(scalar);
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({length}, value.getType());
  return vector::BroadcastOp::create(b, value.getLoc(), type, value);
}

void Widening::clone(Operation &op) {
  auto operands = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return lookUp(operand); });
  bool varies = llvm::any_of(
      operands, [](Value value) { return isa<VectorType>(value.getType()); });
  if (!varies) {
    b.clone(op, mapping);
    return;
  }
  if (auto scalar = dyn_cast<memref::LoadOp>(op)) {
    map(scalar, load(b, scalar, ArrayRef<Value>(operands).drop_front()));
    return;
  }
  assert(op.hasTrait<OpTrait::Vectorizable>() &&
         "ops on lanes are elementwise");
  // A load may have converted already.
  if (isa<arith::ExtFOp>(op) &&
      cast<VectorType>(operands[0].getType()).getElementType() ==
          op.getResult(0).getType()) {
    map(op.getResult(0), operands[0]);
    return;
  }
  for (auto [operand, scalar] : llvm::zip(operands, op.getOperands()))
    operand = wide(scalar);
  SmallVector<Type> types =
      llvm::map_to_vector(op.getResultTypes(), [&](Type type) -> Type {
        return VectorType::get({length}, type);
      });
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op.getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Operation *copy = b.create(state);
  mapping.map(op.getResults(), copy->getResults());
}

SmallVector<Value> mixattn::emitWide(
    OpBuilder &builder, Location loc, int64_t length, ValueRange lanes,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body,
    WideLoad load) {
  Block block;
  Widening widening(builder, length, load);
  for (Value lane : lanes)
    widening.map(block.addArgument(getElementTypeOrSelf(lane.getType()), loc),
                 lane);
  OpBuilder scalar(builder.getContext());
  scalar.setInsertionPointToEnd(&block);
  SmallVector<Value> results = body(scalar, block.getArguments());
  for (Operation &op : block)
    widening.clone(op);
  for (Value &result : results)
    if (result)
      result = widening.wide(result);
  block.dropAllReferences();
  block.clear();
  return results;
}
