// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the sizes of tensors through the ops of a function.

#include "passes/entry/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;

Sizes::Sizes(func::FuncOp function, const GivenSizes &given,
             std::optional<int64_t> others)
    : names(function), rules(getDimRules(function)), given(given),
      others(others) {
  for (const auto &[name, rule] : rules)
    if (rule.told)
      if (auto by = given.find(rule.told->by); by != given.end())
        this->given.try_emplace(name, (by->second - rule.told->offset) /
                                          rule.told->factor);
  for (Value argument : function.getArguments())
    record(argument, {});
  // An op comes after those that make its operands.
  function.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { visit(op); });
}

void Sizes::record(Value tensor, const Shape &derived) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return;
  Shape shape;
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    SizePolynomial size = SizePolynomial::unknown();
    if (std::optional<int64_t> fixed = names.size(tensor, dim))
      size = *fixed;
    else if (StringAttr name = names.name(tensor, dim))
      size = expand(SizePolynomial::named(name.getValue()), rules).at(given);
    else if (dim < derived.size())
      size = derived[dim];
    if (size.isKnown())
      ofClasses.try_emplace(names.leader(tensor, dim), size);
    else if (auto known = ofClasses.find(names.leader(tensor, dim));
             known != ofClasses.end())
      size = known->second;
    if (others && !size.asNumber())
      size = *others;
    shape.push_back(size);
  }
  shapes[tensor] = shape;
}

Sizes::Shape Sizes::shapeOf(Value tensor) const {
  auto found = shapes.find(tensor);
  return found == shapes.end() ? Shape() : found->second;
}

SizePolynomial Sizes::size(Value tensor, unsigned dim) const {
  Shape shape = shapeOf(tensor);
  return dim < shape.size() ? shape[dim] : SizePolynomial::unknown();
}

SizePolynomial Sizes::elements(Value tensor) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return SizePolynomial::unknown();
  SizePolynomial product = 1;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    product *= size(tensor, dim);
  return product;
}

SizePolynomial Sizes::bytes(Value tensor) const {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return SizePolynomial::unknown();
  Type element = type.getElementType();
  int64_t width = element.isIndex() ? 8
                  : element.isIntOrFloat()
                      ? (element.getIntOrFloatBitWidth() + 7) / 8
                      : 0;
  return width ? elements(tensor) * width : SizePolynomial::unknown();
}

SizePolynomial Sizes::value(OpFoldResult index) const {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant;
  auto found = indices.find(dyn_cast<Value>(index));
  return found == indices.end() ? SizePolynomial::unknown() : found->second;
}

void Sizes::visit(Operation *op) {
  visitIndex(op);
  // Whether sizes stay the same from turn to turn is known by name only.
  for (Region &region : op->getRegions())
    for (Value argument : region.getArguments())
      record(argument, {});
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      record(result, derive(op, result));
}

/// Index arithmetic, as far as it makes polynomials.
void Sizes::visitIndex(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
    return;
  auto operand = [&](unsigned i) { return value(op->getOperand(i)); };
  auto quotient = [&] {
    std::optional<int64_t> divisor = operand(1).asNumber();
    return divisor ? operand(0).dividedBy(*divisor) : SizePolynomial::unknown();
  };
  indices[op->getResult(0)] =
      llvm::TypeSwitch<Operation *, SizePolynomial>(op)
          .Case([&](tensor::DimOp dim) {
            std::optional<int64_t> position = dim.getConstantIndex();
            return position ? size(dim.getSource(), *position)
                            : SizePolynomial::unknown();
          })
          .Case([&](arith::AddIOp) { return operand(0) + operand(1); })
          .Case([&](arith::SubIOp) { return operand(0) - operand(1); })
          .Case([&](arith::MulIOp) { return operand(0) * operand(1); })
          .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
                arith::CeilDivSIOp>([&](auto) { return quotient(); })
          .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
              [&](auto) { return operand(0); })
          .Default([&](Operation *) { return SizePolynomial::unknown(); });
}

Sizes::Shape Sizes::derive(Operation *op, OpResult result) const {
  auto type = cast<RankedTensorType>(result.getType());
  auto mixed = [&](ArrayRef<OpFoldResult> sizes) {
    return llvm::map_to_vector(sizes,
                               [&](OpFoldResult size) { return value(size); });
  };
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return shapeOf(destination.getTiedOpOperand(result)->get());
  return llvm::TypeSwitch<Operation *, Shape>(op)
      .Case([&](tensor::EmptyOp empty) {
        return Shape(mixed(empty.getMixedSizes()));
      })
      .Case([&](tensor::GenerateOp generate) {
        SmallVector<OpFoldResult> sizes(generate.getDynamicExtents());
        Shape shape;
        for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim)
          shape.push_back(type.isDynamicDim(dim) ? value(sizes[next++])
                                                 : type.getDimSize(dim));
        return shape;
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        return Shape(mixed(expand.getMixedOutputShape()));
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        Shape shape;
        for (const ReassociationIndices &group :
             collapse.getReassociationIndices()) {
          SizePolynomial product = 1;
          for (int64_t dim : group)
            product *= size(collapse.getSrc(), dim);
          shape.push_back(product);
        }
        return shape;
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        Shape shape;
        llvm::SmallBitVector dropped = slice.getDroppedDims();
        for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
          if (!dropped[dim])
            shape.push_back(value(size));
        return shape;
      })
      .Case([&](tensor::PadOp pad) {
        Shape shape = shapeOf(pad.getSource());
        for (auto [size, low, high] :
             llvm::zip(shape, pad.getMixedLowPad(), pad.getMixedHighPad()))
          size += value(low) + value(high);
        return shape;
      })
      .Case([&](tensor::ConcatOp concat) {
        Shape shape = shapeOf(concat.getInputs().front());
        for (Value next : concat.getInputs().drop_front())
          if (concat.getDim() < shape.size())
            shape[concat.getDim()] += size(next, concat.getDim());
        return shape;
      })
      .Default([&](Operation *) {
        bool keepsShape =
            isa<tensor::CastOp>(op) || op->hasTrait<OpTrait::Elementwise>();
        for (Value operand : op->getOperands())
          if (auto same = dyn_cast<RankedTensorType>(operand.getType());
              keepsShape && same && same.getRank() == type.getRank())
            return shapeOf(operand);
        return Shape();
      });
}
