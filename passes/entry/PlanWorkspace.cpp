// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-plan-workspace: one piece of memory for all buffers of a call.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/entry/ManifestText.h"
#include "passes/entry/SizeExpression.h"
#include "passes/entry/Workspace.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mixattn {
#define GEN_PASS_DEF_PLANWORKSPACEPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The most bytes of a workspace that is said to be possible.
static constexpr double mostBytes = 0x1p62;

/// Makes `entry`, which takes a workspace of `bytes` bytes, a private function,
/// and a new entry of its name that calls it: with the memory that it is given
/// where that is enough, else with memory of its own. Gives the bytes in the
/// new entry.
static Value giveMemory(func::FuncOp entry, Value bytes) {
  MLIRContext *context = entry.getContext();
  ImplicitLocOpBuilder b(entry.getLoc(), entry);
  func::FuncOp outer = entry.cloneWithoutRegions();
  auto inner = StringAttr::get(context, entry.getName() + ".in_workspace");
  // Functions that call the entry have memory for it.
  [[maybe_unused]] LogicalResult renamed = SymbolTable::replaceAllSymbolUses(
      entry, inner, entry->getParentOfType<ModuleOp>());
  assert(succeeded(renamed) && "functions hold calls that are known");
  entry.setName(inner);
  entry.setPrivate();
  entry.removeArgAttrsAttr();
  // MLIR's word, and LLVM's: what is apart stays apart.
  entry.setNoInline(true);
  entry->setAttr("passthrough",
                 ArrayAttr::get(context, StringAttr::get(context, "noinline")));
  entry->setAttr("llvm.linkage",
                 LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  b.insert(outer);
  b.setInsertionPointToStart(outer.addEntryBlock());
  outer.setArgAttr(outer.getNumArguments() - 1, "attn.workspace",
                   UnitAttr::get(context));
  Value total = cloneSize(b, bytes, [&](BlockArgument argument, int64_t dim) {
    return b.createOrFold<memref::DimOp>(
        outer.getArgument(argument.getArgNumber()), dim);
  });
  Value given = outer.getArguments().back();
  // Where the number of bytes wraps, the allocation fails.
  Value most = arith::ConstantOp::create(b, b.getF64FloatAttr(mostBytes));
  Value isKnown = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                        emitBound(b, total), most);
  Value isEnough = arith::CmpIOp::create(
      b, arith::CmpIPredicate::uge, memref::DimOp::create(b, given, 0), total);
  auto choice = scf::IfOp::create(
      b, arith::AndIOp::create(b, isKnown, isEnough), /*withElseRegion=*/true);
  func::ReturnOp::create(b);
  SmallVector<Value> operands(outer.getArguments());
  b.setInsertionPointToStart(choice.thenBlock());
  func::CallOp::create(b, inner, TypeRange(), operands);
  b.setInsertionPointToStart(choice.elseBlock());
  operands.back() =
      memref::AllocOp::create(b, getWorkspaceType(context), total,
                              b.getI64IntegerAttr(workspaceAlignment));
  func::CallOp::create(b, inner, TypeRange(), operands);
  memref::DeallocOp::create(b, operands.back());
  return total;
}

/// Makes the function of the buffers of `entry` that gives the `bytes` of its
/// workspace, -1 of more than there can be.
static void makeBytesFunction(func::FuncOp entry, Value bytes) {
  ImplicitLocOpBuilder b(entry.getLoc(), entry);
  Type wide = b.getI64Type();
  // Memory of the call's comes after the tensors.
  unsigned tensors = 0;
  while (!entry.getArgAttr(tensors, "attn.packed") &&
         !entry.getArgAttr(tensors, "attn.workspace"))
    ++tensors;
  auto buffers = entry.getArgumentTypes().take_front(tensors);
  auto function = func::FuncOp::create(b, getBytesFunctionName(entry.getName()),
                                       b.getFunctionType(buffers, wide));
  function.setPrivate();
  function->setAttr(
      "llvm.linkage",
      LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  b.setInsertionPointToStart(function.addEntryBlock());
  Value total = cloneSize(b, bytes, [&](BlockArgument argument, int64_t dim) {
    return b.createOrFold<memref::DimOp>(
        function.getArgument(argument.getArgNumber()), dim);
  });
  Value most = arith::ConstantOp::create(b, b.getF64FloatAttr(mostBytes));
  Value isKnown = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                        emitBound(b, total), most);
  Value none = arith::ConstantOp::create(b, b.getI64IntegerAttr(-1));
  total = arith::IndexCastOp::create(b, wide, total);
  total = arith::SelectOp::create(b, isKnown, total, none);
  func::ReturnOp::create(b, total);
}

namespace {

struct PlanWorkspacePass
    : mixattn::impl::PlanWorkspacePassBase<PlanWorkspacePass> {
  using Base::Base;

  /// Plans `function` after all that it calls.
  void visit(func::FuncOp function) {
    if (function.isDeclaration() || !visited.insert(function).second)
      return;
    SmallVector<func::FuncOp> callees;
    function.walk([&](func::CallOp call) {
      if (auto callee = dyn_cast_or_null<func::FuncOp>(
              SymbolTable::lookupNearestSymbolFrom(call, call.getCalleeAttr())))
        callees.push_back(callee);
    });
    llvm::for_each(callees, [&](func::FuncOp callee) { visit(callee); });
    plan(function);
  }

  void plan(func::FuncOp function) {
    if (function.getNumResults() != 0)
      return;
    Value bytes = planWorkspace(function, needs);
    if (!bytes)
      return;
    if (function.isPublic() && isGpu) {
      // Callers of a GPU's entries give the memory that the manifest says.
      function.setArgAttr(function.getNumArguments() - 1, "attn.workspace",
                          UnitAttr::get(&getContext()));
      expressions.insert({function.getName(), describeSize(bytes)});
    } else if (function.isPublic()) {
      std::string name = function.getName().str();
      Value total = giveMemory(function, bytes);
      expressions.insert({name, describeSize(total)});
      makeBytesFunction(
          total.getParentRegion()->getParentOfType<func::FuncOp>(), total);
    }
    needs[function.getName()] = bytes;
  }

  void runOnOperation() override {
    isGpu = TargetAttr::of(getOperation()).getFamily() != TargetFamily::X86;
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      visit(function);
    if (!expressions.empty())
      changeEntries(getOperation(), [&](StringRef name, auto &entry) {
        if (auto found = expressions.find(name); found != expressions.end())
          entry["workspace"] = found->second;
      });
  }

  bool isGpu = false;
  llvm::DenseSet<func::FuncOp> visited;
  WorkspaceNeeds needs;
  llvm::StringMap<llvm::json::Value> expressions;
};

} // namespace
