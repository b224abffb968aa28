// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes as expressions of the sizes of a function's arguments.

#include "passes/entry/SizeExpression.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
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

/// The word for what `op` computes from its operands, or nothing. Conditions
/// are 0 or 1.
static StringRef wordFor(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::CmpIOp op) { return wordFor(op.getPredicate()); })
      .Case([](arith::AndIOp op) {
        return op.getType().isInteger(1) ? StringRef("multiply") : StringRef();
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

Value mixattn::emitBound(ImplicitLocOpBuilder &b, Value size) {
  Operation *op = size.getDefiningOp();
  auto boundOf = [&](unsigned i) { return emitBound(b, op->getOperand(i)); };
  if (isa<arith::AddIOp>(op))
    return arith::AddFOp::create(b, boundOf(0), boundOf(1));
  if (isa<arith::MulIOp>(op))
    return arith::MulFOp::create(b, boundOf(0), boundOf(1));
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return arith::MaxNumFOp::create(b, boundOf(0), boundOf(1));
  // Sizes are no less than 0.
  if (isa<arith::SubIOp>(op))
    return boundOf(0);
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) &&
      getConstantIntValue(op->getOperand(1)))
    return arith::DivFOp::create(b, boundOf(0), boundOf(1));
  Value number = size;
  if (size.getType().isIndex())
    number = arith::IndexCastOp::create(b, b.getI64Type(), size);
  return arith::SIToFPOp::create(b, b.getF64Type(), number);
}

llvm::json::Value mixattn::describeSize(Value size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
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
  // Sums of sums are one sum, and so on.
  llvm::json::Array list{wordFor(op).str()};
  bool isAssociative =
      isa<arith::AddIOp, arith::MulIOp, arith::AndIOp, arith::MinSIOp,
          arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op);
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
