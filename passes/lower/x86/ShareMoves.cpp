// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-share-moves: one function for the same transposition in several places.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

namespace mixattn {
#define GEN_PASS_DEF_SHAREMOVESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The type of a function's argument for `operand` of `op`. Tiles of all widths
/// are one type, so that wide and narrow ones share a function.
static Type typeOfArgument(Operation *op, Value operand) {
  auto buffer = dyn_cast<MemRefType>(operand.getType());
  bool isTile =
      TypeSwitch<Operation *, bool>(op)
          .Case([&](tile::PackOp op) { return operand == op.getTile(); })
          .Case([&](tile::UnpackOp op) {
            return operand == op.getTile() || operand == op.getFactors();
          })
          .Default(false);
  if (!isTile)
    return operand.getType();
  constexpr int64_t any = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(op->getContext(), any, {any, 1});
  return MemRefType::get({buffer.getDimSize(0), any}, buffer.getElementType(),
                         layout, buffer.getMemorySpace());
}

/// The number of columns that a pack takes, if it is known: with it, none of
/// the columns needs a mask.
static std::optional<int64_t> knownColumns(Operation *op) {
  auto pack = dyn_cast<tile::PackOp>(op);
  return pack ? getConstantIntValue(pack.getColumns()) : std::nullopt;
}

/// A text that is the same for ops that one function can compute.
static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << op->getName() << op->getAttrDictionary();
  for (Value operand : op->getOperands())
    stream << typeOfArgument(op, operand);
  if (std::optional<int64_t> columns = knownColumns(op))
    stream << *columns;
  return text;
}

/// Makes a function of `op`, which takes all its operands.
static func::FuncOp makeFunction(Operation *op, SymbolTable &symbols) {
  MLIRContext *context = op->getContext();
  SmallVector<Type> types;
  for (Value operand : op->getOperands())
    types.push_back(typeOfArgument(op, operand));
  auto function =
      func::FuncOp::create(op->getLoc(), op->getName().getStringRef(),
                           FunctionType::get(context, types, /*results=*/{}));
  function.setPrivate();
  function.setNoInline(true);
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  symbols.insert(function);

  ImplicitLocOpBuilder b(op->getLoc(), function);
  b.setInsertionPointToStart(function.addEntryBlock());
  Operation *inside = b.clone(*op);
  inside->setOperands(function.getArguments());
  if (std::optional<int64_t> columns = knownColumns(op)) {
    b.setInsertionPoint(inside);
    cast<tile::PackOp>(inside).getColumnsMutable().assign(
        arith::ConstantIndexOp::create(b, *columns));
  }
  b.setInsertionPointAfter(inside);
  func::ReturnOp::create(b);
  return function;
}

static void replaceByCall(Operation *op, func::FuncOp function) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  SmallVector<Value> operands;
  for (auto [operand, type] :
       llvm::zip(op->getOperands(), function.getArgumentTypes()))
    operands.push_back(
        operand.getType() == type
            ? operand
            : memref::CastOp::create(b, type, operand).getResult());
  func::CallOp::create(b, function, operands);
  op->erase();
}

namespace {

struct ShareMovesPass : mixattn::impl::ShareMovesPassBase<ShareMovesPass> {
  void runOnOperation() override {
    std::map<std::string, SmallVector<Operation *>> places;
    getOperation()->walk([&](Operation *op) {
      if (isa<tile::PackOp, tile::UnpackOp, tile::PairOp>(op))
        places[describe(op)].push_back(op);
    });
    SymbolTable symbols(getOperation());
    for (auto &[text, ops] : places) {
      if (ops.size() == 1)
        continue;
      func::FuncOp function = makeFunction(ops.front(), symbols);
      for (Operation *op : ops)
        replaceByCall(op, function);
    }
  }
};

} // namespace
