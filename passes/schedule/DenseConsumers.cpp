// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pointwise ops that a contraction's result goes through in its kernel.

#include "passes/schedule/DenseConsumers.h"

#include "dialect/attn/Contraction.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

std::string mixattn::whyNotFused(ArrayRef<Operation *> members, Operation *op) {
  if (!isPointwise(op))
    return "it is not pointwise";
  auto generic = cast<linalg::GenericOp>(op);
  auto isWide = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() > 32;
  };
  if (!isa<FloatType>(getElementTypeOrSelf(generic.getResult(0).getType())))
    return "its result is no float";
  for (OpOperand *input : generic.getDpsInputOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(input);
    if (input->get() == members.back()->getResult(0) && !map.isIdentity())
      return "it permutes what it computes from";
    // Lanes are read as they lie.
    std::optional<unsigned> lanes = findLoop(map, map.getNumDims() - 1);
    if (!map.isProjectedPermutation() ||
        (lanes && *lanes != map.getNumResults() - 1))
      return "it permutes an operand";
    Type element = getElementTypeOrSelf(input->get().getType());
    if (!isa<FloatType>(element) || isWide(element))
      return "it reads what is no float of 32 bits or less";
  }
  for (BlockArgument output : generic.getRegionOutputArgs())
    if (!output.use_empty())
      return "it reads the tensor that it is computed in";
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(generic.getRegion(), captured);
  if (llvm::any_of(captured, [](Value value) {
        return !matchPattern(value, m_Constant());
      }))
    return "it captures a number";
  for (Operation &inner : generic.getBody()->without_terminator()) {
    bool isConstant = inner.hasTrait<OpTrait::ConstantLike>();
    if (!isConstant && !OpTrait::hasElementwiseMappableTraits(&inner))
      return "'" + inner.getName().getStringRef().str() +
             "' is not elementwise";
    if (llvm::any_of(inner.getResultTypes(), isWide))
      return "it computes in floats of more than 32 bits";
  }
  return "";
}

Value mixattn::emitConsumer(OpBuilder &builder, linalg::GenericOp consumer,
                            ValueRange elements) {
  Block *body = consumer.getBody();
  IRMapping mapping;
  mapping.map(body->getArguments().take_front(elements.size()), elements);
  llvm::SetVector<Value> constants;
  getUsedValuesDefinedAbove(consumer.getRegion(), constants);
  for (Value constant : constants)
    mapping.map(constant,
                builder.clone(*constant.getDefiningOp())->getResult(0));
  for (Operation &inner : body->without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookup(body->getTerminator()->getOperand(0));
}
