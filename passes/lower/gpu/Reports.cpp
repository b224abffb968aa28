// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels report values that are out of their range.

#include "passes/lower/gpu/Reports.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mixattn;

/// The argument of a function that `buffer` is, or is a part of; null of
/// others. What lies in the workspace, an argument of bytes, is the call's own.
static BlockArgument argumentOf(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(view))
      return {};
    buffer = view.getViewSource();
  }
  auto argument = dyn_cast<BlockArgument>(buffer);
  bool isOfFunction =
      argument && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return isOfFunction ? argument : BlockArgument();
}

SmallVector<tile::ReportOp> mixattn::takeReports(Operation *root) {
  SmallVector<tile::ReportOp> reports;
  root->walk([&](tile::ReportOp report) {
    BlockArgument argument = argumentOf(report.getBuffer());
    if (!argument)
      return report.erase();
    report.getBufferMutable().assign(argument);
    reports.push_back(report);
  });
  return reports;
}

void mixattn::lowerReport(tile::ReportOp report, Value status) {
  ImplicitLocOpBuilder b(report.getLoc(), report);
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, zero);
  Value null = LLVM::ZeroOp::create(b, status.getType());
  Value isWanted =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, status, null);
  Value reports = arith::AndIOp::create(
      b, arith::AndIOp::create(b, report.getIsBad(), isFirst), isWanted);
  auto choice = scf::IfOp::create(b, reports, /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  // The largest number stays, in whatever order blocks run. The host reads it
  // when the stream is through: the device is wide enough a scope.
  Value number = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(
             1 + cast<BlockArgument>(report.getBuffer()).getArgNumber()));
  LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::umax, status, number,
                            LLVM::AtomicOrdering::monotonic, "device");
  report.erase();
}
