// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a score_mod as steps.

#include "passes/body/ScoreExpression.h"

#include "dialect/attn/ScoreMod.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;

namespace {

/// Appends the steps of values, each after those of its operands.
class Writer {
public:
  Writer(AttentionOpInterface op, function_ref<StringRef(Value)> nameOf)
      : region(op.getScoreMod()), nameOf(nameOf) {}

  llvm::Error write(Value value);
  Array takeSteps() { return std::move(steps); }

private:
  llvm::Expected<Array> startStep(Value value) const;
  llvm::Expected<Array> startOp(Operation *op, Array step) const;

  static llvm::Error refuse(const Twine &reason) {
    return llvm::createStringError(reason);
  }

  Region &region;
  function_ref<StringRef(Value)> nameOf;
  Array steps;
  /// The step of each value so far.
  llvm::DenseMap<Value, int64_t> numbers;
};

} // namespace

/// The type as the oracle computes in it: every float is f32.
static std::string typeText(Type type) {
  if (isa<FloatType>(type))
    return "f32";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static llvm::json::Value constantValue(Attribute value) {
  if (auto number = dyn_cast<IntegerAttr>(value))
    return number.getType().isInteger(1) ? int64_t(number.getValue().isOne())
                                         : number.getInt();
  APFloat number = cast<FloatAttr>(value).getValue();
  if (number.isNaN())
    return "nan";
  if (number.isInfinity())
    return number.isNegative() ? "-inf" : "inf";
  return cast<FloatAttr>(value).getValueAsDouble();
}

/// The operands that are steps, and not written out as a part of one.
static ValueRange stepsBefore(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<tensor::DimOp>(op))
    return {};
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return extract.getIndices();
  return op->getOperands();
}

/// The step of an elementwise op but its operands.
llvm::Expected<Array> Writer::startOp(Operation *op, Array step) const {
  // Outside the region 16-bit floats round; the oracle's numbers do not.
  Type type = op->getResult(0).getType();
  bool isInside = region.isAncestor(op->getParentRegion());
  bool isExact = isInside || !isa<FloatType>(type) || type.isF32();
  if (!isScoreModElementwise(op) || !isExact)
    return refuse("'score_mod' captures the result of '" +
                  op->getName().getStringRef() + "'");
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    step.push_back(arith::stringifyCmpFPredicate(compare.getPredicate()));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    step.push_back(arith::stringifyCmpIPredicate(compare.getPredicate()));
  return step;
}

/// The step of `value` but its operands, or why it cannot be told.
llvm::Expected<Array> Writer::startStep(Value value) const {
  std::string type = typeText(value.getType());
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    static constexpr const char *names[] = {"score", "b", "h", "i", "j"};
    assert(argument.getOwner()->getParent() == &region &&
           "an entry's arguments are tensors");
    return Array{names[argument.getArgNumber()], type};
  }

  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && value.getType().isIntOrIndexOrFloat())
    return Array{"constant", type, constantValue(constant.getValue())};
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    StringRef name = nameOf(dim.getSource());
    if (name.empty() || !dim.getConstantIndex())
      return refuse("'score_mod' uses the size of a value that is not an "
                    "argument");
    return Array{"dim", type, name, *dim.getConstantIndex()};
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    StringRef name = nameOf(extract.getTensor());
    if (name.empty())
      return refuse("'score_mod' reads a tensor that is not an argument");
    return Array{"extract", type, name};
  }
  return startOp(op, Array{op->getName().getStringRef(), type});
}

/// Chains are long: operands wait on a stack, not in calls.
llvm::Error Writer::write(Value value) {
  SmallVector<Value> waiting = {value};
  while (!waiting.empty()) {
    Value next = waiting.back();
    size_t before = waiting.size();
    if (!numbers.contains(next)) {
      llvm::Expected<Array> step = startStep(next);
      if (!step)
        return step.takeError();
      for (Value operand : llvm::reverse(stepsBefore(next)))
        if (!numbers.contains(operand))
          waiting.push_back(operand);
      if (waiting.size() != before)
        continue;
      for (Value operand : stepsBefore(next))
        step->push_back(numbers.lookup(operand));
      numbers[next] = steps.size();
      steps.push_back(std::move(*step));
    }
    waiting.pop_back();
  }
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Value>
mixattn::scoreExpression(AttentionOpInterface op,
                         function_ref<StringRef(Value)> nameOf) {
  auto yield = cast<YieldOp>(op.getScoreMod().front().getTerminator());
  Writer writer(op, nameOf);
  if (llvm::Error error = writer.write(yield.getScore()))
    return error;
  return writer.takeSteps();
}
