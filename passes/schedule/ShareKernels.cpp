// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-share-kernels: one function for the same computation in several places.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

#include <map>

namespace mixattn {
#define GEN_PASS_DEF_SHAREKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The values that `op` takes from outside, each once, so that a result that is
/// computed in place stays so in a function. Constants are not among them.
static SetVector<Value> valuesOf(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  values.remove_if([](Value value) {
    return matchPattern(value, m_Constant()) &&
           !isa<BaseMemRefType>(value.getType());
  });
  return values;
}

/// A function of what `op` takes that computes it.
static func::FuncOp makeFunction(Operation *op, ArrayRef<Value> values) {
  MLIRContext *context = op->getContext();
  auto type = FunctionType::get(context, ValueRange(values).getTypes(), {});
  auto kernel = dyn_cast<KernelOp>(op);
  StringRef name = (kernel ? kernel.getAnchor() : op)->getName().getStringRef();
  auto function = func::FuncOp::create(op->getLoc(), name, type);
  function.setPrivate();
  // MLIR's word, and LLVM's: what is apart stays apart.
  function.setNoInline(true);
  function->setAttr(
      "passthrough",
      ArrayAttr::get(context, StringAttr::get(context, "noinline")));
  function->setAttr("llvm.linkage",
                    LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  OpBuilder b(context);
  b.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(values, function.getArguments());
  auto take = [&](Value value) {
    if (!mapping.contains(value))
      mapping.map(value, b.clone(*value.getDefiningOp())->getResult(0));
  };
  llvm::for_each(op->getOperands(), take);
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::for_each(captured, take);
  b.clone(*op, mapping);
  func::ReturnOp::create(b, op->getLoc());
  return function;
}

static std::string print(func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

namespace {

/// A function and the places that compute the same.
struct Shared {
  func::FuncOp function;
  SmallVector<Operation *> places;
  bool isApart = false;
};

struct ShareKernelsPass
    : mixattn::impl::ShareKernelsPassBase<ShareKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    std::map<std::string, Shared> all;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Operation *> kernels, loops;
      // On tensors nothing is shared: a call would have to return them.
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        bool isOnBuffers = op->getNumResults() == 0;
        if (isa<KernelOp>(op)) {
          if (isOnBuffers)
            kernels.push_back(op);
        } else if (isa<linalg::LinalgOp>(op)) {
          if (isOnBuffers)
            loops.push_back(op);
        } else {
          return WalkResult::advance();
        }
        return WalkResult::skip();
      });
      bool hasMany = int64_t(kernels.size() + loops.size()) > mostLoops;
      if (hasMany)
        llvm::append_range(kernels, loops);
      for (Operation *op : kernels) {
        func::FuncOp made = makeFunction(op, valuesOf(op).getArrayRef());
        Shared &shared = all[print(made)];
        if (shared.function)
          made.erase();
        else
          shared.function = made;
        shared.places.push_back(op);
        shared.isApart |= hasMany;
      }
    }
    SymbolTable symbols(getOperation());
    for (auto &[text, shared] : all) {
      if (!shared.isApart && shared.places.size() == 1) {
        shared.function.erase();
        continue;
      }
      symbols.insert(shared.function);
      for (Operation *op : shared.places) {
        OpBuilder b(op);
        func::CallOp::create(b, op->getLoc(), shared.function,
                             valuesOf(op).getArrayRef());
        op->erase();
      }
    }
  }
};

} // namespace
