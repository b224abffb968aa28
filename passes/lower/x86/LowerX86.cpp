// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-x86: turns tile ops into loops over vectors.

#include "passes/Passes.h"
#include "passes/lower/x86/Lowerings.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mixattn {
#define GEN_PASS_DEF_LOWERX86PASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `cpu` has AMX where `op` wants it, and its registers hold the lanes
/// of `op` and of its epilogue.
static LogicalResult verifyProduct(tile::ProductOp op, const CpuModel &cpu) {
  if (op.getAmx() && !cpu.hasAmx)
    return op.emitOpError("expected a target with AMX");
  if (op.getTarget().getType().getDimSize(1) % cpu.lanes != 0)
    return op.emitOpError("expected a multiple of ")
           << cpu.lanes << " lanes, as the registers of this target have";
  if (!op.getEpilogue().empty() &&
      op.getEpilogue().getArgument(0).getType() !=
          VectorType::get({cpu.lanes}, Float32Type::get(op.getContext())))
    return op.emitOpError("expected an epilogue on ")
           << cpu.lanes << " lanes, as the registers of this target have";
  return success();
}

namespace {

struct LowerX86Pass : mixattn::impl::LowerX86PassBase<LowerX86Pass> {
  using Base::Base;

  void runOnOperation() override {
    CpuModel cpu = describeCpuOf(getOperation());
    // Inner ops first: the region of one may hold others.
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_present<tile::TileDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto product = dyn_cast<tile::ProductOp>(op))
        if (failed(verifyProduct(product, cpu)))
          return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      if (auto product = dyn_cast<tile::ProductOp>(op);
          product && product.getAmx()) {
        (cpu.emulatesAmx ? emulateAmx : lowerByAmx)(rewriter, product, cpu);
        continue;
      }
      TypeSwitch<Operation *>(op)
          .Case<tile::PackOp, tile::UnpackOp, tile::ProductOp, tile::PairOp,
                tile::TransposeOp, tile::WidenOp, tile::DotRowsOp,
                tile::SquareRowsOp, tile::SumRowsOp, tile::Exp2Op>(
              [&](auto op) { lower(rewriter, op, cpu); });
    }
  }
};

} // namespace
