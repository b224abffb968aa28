// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-branch-on-masks: moves whole vectors where a mask leaves no lane out.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {
#define GEN_PASS_DEF_BRANCHONMASKSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `target` has an instruction that moves some lanes of `type`: AVX of
/// 32 and 64 bits, AVX-512 of 8 and 16 bits with BW.
static bool hasMaskedMoves(TargetAttr target, VectorType type) {
  unsigned bits =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return target.has(bits < 32 ? "avx512bw" : "avx");
}

/// How many lanes `mask` has, from the first on, if a number says it.
static Value findCount(Value mask) {
  auto made = mask.getDefiningOp<vector::CreateMaskOp>();
  return made && made.getOperands().size() == 1 ? made.getOperands().front()
                                                : Value();
}

/// Whether `count` lanes are all of `type`.
static Value isWhole(ImplicitLocOpBuilder &b, Value count, VectorType type) {
  Value lanes = arith::ConstantIndexOp::create(b, type.getDimSize(0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, count, lanes);
}

static void branch(vector::MaskedLoadOp load, Value count) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  VectorType type = load.getVectorType();
  auto choice = scf::IfOp::create(b, type, isWhole(b, count, type),
                                  /*withElseRegion=*/true);
  load.replaceAllUsesWith(choice.getResult(0));
  b.setInsertionPointToStart(choice.thenBlock());
  Value whole =
      vector::LoadOp::create(b, type, load.getBase(), load.getIndices());
  scf::YieldOp::create(b, whole);
  b.setInsertionPointToStart(choice.elseBlock());
  auto end = scf::YieldOp::create(b, load.getResult());
  load->moveBefore(end);
}

static void branch(vector::MaskedStoreOp store, Value count) {
  ImplicitLocOpBuilder b(store.getLoc(), store);
  VectorType type = store.getVectorType();
  auto choice = scf::IfOp::create(b, isWhole(b, count, type),
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(choice.thenBlock());
  vector::StoreOp::create(b, store.getValueToStore(), store.getBase(),
                          store.getIndices());
  store->moveBefore(choice.elseBlock()->getTerminator());
}

namespace {

struct BranchOnMasksPass
    : mixattn::impl::BranchOnMasksPassBase<BranchOnMasksPass> {
  /// Branches around `op` where masks are made of several moves.
  template <typename MaskedOp> void branchAround(MaskedOp op) {
    Value count = findCount(op.getMask());
    TargetAttr target = TargetAttr::of(op);
    if (count && !hasMaskedMoves(target, op.getVectorType()))
      branch(op, count);
  }

  void runOnOperation() override {
    SmallVector<Operation *> moves;
    getOperation()->walk([&](Operation *op) {
      if (isa<vector::MaskedLoadOp, vector::MaskedStoreOp>(op))
        moves.push_back(op);
    });
    for (Operation *op : moves)
      if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
        branchAround(load);
      else
        branchAround(cast<vector::MaskedStoreOp>(op));
  }
};

} // namespace
