// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a score_mod as a prefix expression.

#include "passes/body/ScoreExpression.h"

#include "dialect/attn/ScoreMod.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;

/// Expressions are trees, and a value that is used twice is written twice:
/// this many nodes at most.
constexpr unsigned kMaxNodes = 4096;

namespace {

class Writer {
public:
  Writer(AttentionOpInterface op, function_ref<StringRef(Value)> nameOf)
      : region(op.getScoreMod()), nameOf(nameOf) {}

  llvm::Expected<llvm::json::Value> write(Value value);

private:
  llvm::Expected<llvm::json::Value> writeOp(Operation *op, Array node);

  static llvm::Error refuse(const Twine &reason) {
    return llvm::createStringError(reason);
  }

  Region &region;
  function_ref<StringRef(Value)> nameOf;
  unsigned nodes = 0;
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

llvm::Expected<llvm::json::Value> Writer::writeOp(Operation *op, Array node) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    node.push_back(arith::stringifyCmpFPredicate(compare.getPredicate()));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    node.push_back(arith::stringifyCmpIPredicate(compare.getPredicate()));
  for (Value operand : op->getOperands()) {
    llvm::Expected<llvm::json::Value> written = write(operand);
    if (!written)
      return written;
    node.push_back(std::move(*written));
  }
  return llvm::json::Value(std::move(node));
}

llvm::Expected<llvm::json::Value> Writer::write(Value value) {
  if (++nodes > kMaxNodes)
    return refuse("'score_mod' has more than " + Twine(kMaxNodes) + " nodes");
  std::string type = typeText(value.getType());

  if (auto argument = dyn_cast<BlockArgument>(value)) {
    static constexpr const char *names[] = {"score", "b", "h", "i", "j"};
    assert(argument.getOwner()->getParent() == &region &&
           "an entry's arguments are tensors");
    return llvm::json::Value(Array{names[argument.getArgNumber()], type});
  }

  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && value.getType().isIntOrIndexOrFloat())
    return llvm::json::Value(
        Array{"constant", type, constantValue(constant.getValue())});
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    StringRef name = nameOf(dim.getSource());
    if (name.empty() || !dim.getConstantIndex())
      return refuse("'score_mod' uses the size of a value that is not an "
                    "argument");
    return llvm::json::Value(Array{"dim", type, name, *dim.getConstantIndex()});
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    StringRef name = nameOf(extract.getTensor());
    if (name.empty())
      return refuse("'score_mod' reads a tensor that is not an argument");
    Array node{"extract", type, name};
    for (Value index : extract.getIndices()) {
      llvm::Expected<llvm::json::Value> written = write(index);
      if (!written)
        return written;
      node.push_back(std::move(*written));
    }
    return llvm::json::Value(std::move(node));
  }
  // Outside the region 16-bit floats round; the oracle's numbers do not.
  bool isInside = region.isAncestor(op->getParentRegion());
  bool isExact =
      isInside || !isa<FloatType>(value.getType()) || value.getType().isF32();
  if (isScoreModElementwise(op) && isExact)
    return writeOp(op, Array{op->getName().getStringRef(), type});
  return refuse("'score_mod' captures the result of '" +
                op->getName().getStringRef() + "'");
}

llvm::Expected<llvm::json::Value>
mixattn::scoreExpression(AttentionOpInterface op,
                         function_ref<StringRef(Value)> nameOf) {
  auto yield = cast<YieldOp>(op.getScoreMod().front().getTerminator());
  return Writer(op, nameOf).write(yield.getScore());
}
