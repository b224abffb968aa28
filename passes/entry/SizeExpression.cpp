// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes as expressions of the sizes of a function's arguments.

#include "passes/entry/SizeExpression.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;

static StringRef wordFor(arith::CmpIPredicate predicate) {
  using arith::CmpIPredicate;
  switch (predicate) {
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return "above";
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return "at_most";
  default:
    return "";
  }
}

/// Whether `op` holds where its first operand does not.
static bool isNegation(arith::XOrIOp op) {
  return op.getType().isInteger(1) && matchPattern(op.getRhs(), m_One());
}

/// The word for what `op` computes from its operands, or nothing. Conditions
/// are 0 or 1.
static StringRef wordFor(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::CmpIOp op) { return wordFor(op.getPredicate()); })
      .Case([](arith::AndIOp op) {
        return op.getType().isInteger(1) ? StringRef("multiply") : StringRef();
      })
      .Case([](arith::OrIOp op) {
        return op.getType().isInteger(1) ? StringRef("maximum") : StringRef();
      })
      .Case([](arith::XOrIOp op) {
        return isNegation(op) ? StringRef("subtract") : StringRef();
      })
      .Case([](arith::AddIOp) { return "add"; })
      .Case([](arith::SubIOp) { return "subtract"; })
      .Case([](arith::MulIOp) { return "multiply"; })
      .Case<arith::DivUIOp, arith::DivSIOp>([](auto) { return "divide"; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return "remainder"; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return "minimum"; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return "maximum"; })
      .Default([](Operation *) { return StringRef(); });
}

/// The word for what `op` asks the machine: how many threads OpenMP has, or
/// multiprocessors the GPU; or nothing.
static StringRef wordForMachine(Operation *op) {
  if (isa<tile::MultiprocessorsOp>(op))
    return "multiprocessors";
  auto call = dyn_cast<func::CallOp>(op);
  return call && call.getCallee() == "omp_get_max_threads" ? "threads" : "";
}

/// The function's argument whose size `size` is, or null.
static BlockArgument argumentOf(memref::DimOp size) {
  auto argument = dyn_cast<BlockArgument>(size.getSource());
  bool isOfFunction =
      argument && argument.getOwner()->isEntryBlock() &&
      isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return isOfFunction && size.getConstantIndex() ? argument : BlockArgument();
}

/// Whether `op` changes the type of a number and no more.
static bool isCast(Operation *op) {
  return isa<arith::IndexCastOp, arith::ExtUIOp>(op);
}

bool mixattn::isSizeOfArguments(Value size) {
  Operation *op = size.getDefiningOp();
  if (!op)
    return false;
  if (getConstantIntValue(size) || !wordForMachine(op).empty())
    return true;
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return bool(argumentOf(dim));
  return (isCast(op) || !wordFor(op).empty()) &&
         llvm::all_of(op->getOperands(), isSizeOfArguments);
}

static Value cloneInto(ImplicitLocOpBuilder &b, Value size,
                       function_ref<Value(BlockArgument, int64_t)> sizeOf,
                       DenseMap<Value, Value> &copies) {
  if (auto known = copies.find(size); known != copies.end())
    return known->second;
  Operation *op = size.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return copies[size] = sizeOf(argumentOf(dim), *dim.getConstantIndex());
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value own = cloneInto(b, operand, sizeOf, copies);
    if (!own)
      return {};
    mapping.map(operand, own);
  }
  return copies[size] = b.clone(*op, mapping)->getResult(0);
}

Value mixattn::cloneSize(ImplicitLocOpBuilder &b, Value size,
                         function_ref<Value(BlockArgument, int64_t)> sizeOf) {
  DenseMap<Value, Value> copies;
  return cloneInto(b, size, sizeOf, copies);
}

bool mixattn::isSameSize(Value x, Value y) {
  if (x == y)
    return true;
  if (getConstantIntValue(x) || getConstantIntValue(y))
    return getConstantIntValue(x) == getConstantIntValue(y);
  Operation *left = x.getDefiningOp(), *right = y.getDefiningOp();
  if (left->getName() != right->getName() ||
      left->getAttrDictionary() != right->getAttrDictionary())
    return false;
  if (auto dim = dyn_cast<memref::DimOp>(left)) {
    auto other = cast<memref::DimOp>(right);
    return dim.getSource() == other.getSource() &&
           dim.getConstantIndex() == other.getConstantIndex();
  }
  return llvm::equal(left->getOperands(), right->getOperands(), isSameSize);
}

SmallVector<RunCondition> mixattn::getRunConditions(Operation *op) {
  SmallVector<RunCondition> conditions;
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
    if (auto choice = dyn_cast_if_present<scf::IfOp>(op->getParentOp()))
      conditions.push_back({choice.getCondition(),
                            op->getParentRegion() == &choice.getElseRegion()});
  return conditions;
}

/// The constant that `size` is, or none; a condition that holds is 1.
static std::optional<int64_t> numberOf(Value size) {
  std::optional<int64_t> number = getConstantIntValue(size);
  if (number && size.getType().isInteger(1))
    *number &= 1;
  return number;
}

/// The constant below 0 among the two operands of `op`; or none.
static std::optional<int64_t> getNegativeFactor(Operation *op) {
  for (Value operand : op->getOperands())
    if (std::optional<int64_t> number = numberOf(operand);
        number && *number < 0)
      return number;
  return std::nullopt;
}

Value mixattn::emitBound(ImplicitLocOpBuilder &b, Value size) {
  Operation *op = size.getDefiningOp();
  auto boundOf = [&](unsigned i) { return emitBound(b, op->getOperand(i)); };
  if (isa<arith::AddIOp>(op))
    return arith::AddFOp::create(b, boundOf(0), boundOf(1));
  // Sizes are no less than 0: times a number below that they are at most 0.
  if (isa<arith::MulIOp>(op) && getNegativeFactor(op))
    return arith::ConstantOp::create(b, b.getF64FloatAttr(0));
  if (isa<arith::MulIOp>(op))
    return arith::MulFOp::create(b, boundOf(0), boundOf(1));
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return arith::MaxNumFOp::create(b, boundOf(0), boundOf(1));
  // Sizes are no less than 0.
  if (isa<arith::SubIOp>(op))
    return boundOf(0);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && numberOf(op->getOperand(1)))
    return arith::DivFOp::create(b, boundOf(0), boundOf(1));
  Value number = size;
  if (size.getType().isIndex())
    number = arith::IndexCastOp::create(b, b.getI64Type(), size);
  return arith::SIToFPOp::create(b, b.getF64Type(), number);
}

/// Whether a sum has a part that is below 0: a constant, or a product with one.
static bool hasNegativePart(Value size) {
  if (std::optional<int64_t> number = numberOf(size))
    return *number < 0;
  Operation *op = size.getDefiningOp();
  if (isa<arith::MulIOp>(op))
    return getNegativeFactor(op).has_value();
  bool isSum = isCast(op) || isa<arith::AddIOp, arith::SubIOp>(op);
  return isSum && llvm::any_of(op->getOperands(), hasNegativePart);
}

namespace {

/// The parts of a sum as manifests have them, which know no number below 0.
struct SumParts {
  llvm::json::Array added, subtracted;
};

} // namespace

static void splitSum(Value size, bool isSubtracted, SumParts &parts) {
  llvm::json::Array &same = isSubtracted ? parts.subtracted : parts.added;
  llvm::json::Array &other = isSubtracted ? parts.added : parts.subtracted;
  std::optional<int64_t> number = numberOf(size);
  if (number && *number < 0)
    return other.push_back(-*number);
  if (number)
    return same.push_back(*number);
  Operation *op = size.getDefiningOp();
  if (isCast(op))
    return splitSum(op->getOperand(0), isSubtracted, parts);
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    splitSum(op->getOperand(0), isSubtracted, parts);
    return splitSum(op->getOperand(1), isSubtracted ^ isa<arith::SubIOp>(op),
                    parts);
  }
  std::optional<int64_t> factor;
  if (isa<arith::MulIOp>(op))
    factor = getNegativeFactor(op);
  if (!factor)
    return same.push_back(describeSize(size));
  bool isFirst = numberOf(op->getOperand(0)) == factor;
  llvm::json::Value times = describeSize(op->getOperand(isFirst));
  if (*factor != -1)
    times = llvm::json::Array{"multiply", std::move(times), -*factor};
  other.push_back(std::move(times));
}

/// One operation on all parts, or the only one.
static llvm::json::Value combineParts(StringRef word, llvm::json::Array parts) {
  if (parts.size() == 1)
    return std::move(parts.front());
  parts.insert(parts.begin(), word.str());
  return parts;
}

/// A sum of which parts are below 0: what is added, less what is subtracted.
static llvm::json::Value describeDifference(Value size) {
  SumParts parts;
  splitSum(size, /*isSubtracted=*/false, parts);
  if (parts.added.empty())
    parts.added.push_back(0);
  if (parts.subtracted.empty())
    return combineParts("add", std::move(parts.added));
  return llvm::json::Array{"subtract",
                           combineParts("add", std::move(parts.added)),
                           combineParts("add", std::move(parts.subtracted))};
}

llvm::json::Value mixattn::describeSize(Value size) {
  if (hasNegativePart(size))
    return describeDifference(size);
  if (std::optional<int64_t> number = numberOf(size))
    return *number;
  Operation *op = size.getDefiningOp();
  if (StringRef word = wordForMachine(op); !word.empty())
    return llvm::json::Array{word.str()};
  if (isCast(op))
    return describeSize(op->getOperand(0));
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    BlockArgument argument = argumentOf(dim);
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto type = cast<MemRefType>(argument.getType());
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      "attn.dims");
    unsigned place = type.getDynamicDimIndex(*dim.getConstantIndex());
    if (!names)
      return nullptr;
    return cast<StringAttr>(names[place]).getValue().str();
  }
  if (isa<arith::XOrIOp>(op))
    return llvm::json::Array{"subtract", 1, describeSize(op->getOperand(0))};
  // Sums of sums are one sum, and so on.
  llvm::json::Array list{wordFor(op).str()};
  bool isAssociative =
      isa<arith::AddIOp, arith::MulIOp, arith::AndIOp, arith::MinSIOp,
          arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp, arith::OrIOp>(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    llvm::json::Value part = describeSize(operand);
    llvm::json::Array *parts = part.getAsArray();
    if (i == 0 && isAssociative && parts && (*parts)[0] == list[0])
      list = std::move(*parts);
    else
      list.push_back(std::move(part));
  }
  return list;
}
