// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings: mbarriers, TMA into a stage, rows made zeros.

#include "passes/lower/wgmma/Lowerings.h"
#include "passes/lower/wgmma/SharedTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

class RingEmitter : public WarpgroupEmitter {
public:
  using WarpgroupEmitter::WarpgroupEmitter;

  void emitOpen(tile::WgmmaOpenOp op, const Lowered &lowered);
  void emitFill(tile::WgmmaFillOp op, Value ring);
  Value emitAwait(tile::WgmmaAwaitOp op, Value ring);
  void emitRelease(tile::WgmmaReleaseOp op, Value ring);
  void emitClear(tile::WgmmaClearOp op, Value tile);
};

} // namespace

void RingEmitter::emitOpen(tile::WgmmaOpenOp op, const Lowered &lowered) {
  Value isFirst = at.compare(arith::CmpIPredicate::eq, thread(), 0);
  onlyIf(isFirst, [&] {
    for (Value ring : op.getRings()) {
      auto type = cast<tile::RingType>(ring.getType());
      Value address = lowered.lookup(ring);
      for (int64_t i = 0; i < type.getStages(); ++i) {
        Value stage = at.value(i);
        NVVM::MBarrierInitOp::create(b, full(address, type, stage), number(1),
                                     /*predicate=*/Value());
        NVVM::MBarrierInitOp::create(
            b, empty(address, type, stage),
            number(op.getConsumers() * warpgroupThreads / 32),
            /*predicate=*/Value());
      }
    }
    NVVM::FenceMbarrierInitOp::create(b);
  });
  gpu::BarrierOp::create(b);
}

void RingEmitter::emitFill(tile::WgmmaFillOp op, Value ring) {
  tile::RingType type = op.getRing().getType();
  tile::SharedType tile = type.getTile();
  // It was emptied once less than it was filled: at first it is as if it had
  // been emptied before.
  waitFor(empty(ring, type, op.getStage()), at.add(op.getTurn(), 1));
  Value barrier = full(ring, type, op.getStage());
  NVVM::MBarrierArriveExpectTxOp::create(
      b, /*res=*/Type(), barrier, number(tile.getBytes()),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
  Value address = tileOf(ring, type, op.getStage());
  // TMA takes the address as one of a cluster's.
  auto cluster = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  for (int64_t panel = 0; panel < tile.getPanels(); ++panel) {
    Value target = LLVM::AddrSpaceCastOp::create(
        b, cluster, pointer(plus(address, panel * tile.getPanelBytes())));
    int64_t first = panel * tile.getPanelColumns();
    Values places = {op.getColumn() ? asNumber(at.add(op.getColumn(), first))
                                    : number(first)};
    for (Value index : llvm::reverse(op.getIndices()))
      places.push_back(asNumber(index));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, target, op.getMap(), places, barrier, /*im2colOffsets=*/ValueRange(),
        /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
        /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

Value RingEmitter::emitAwait(tile::WgmmaAwaitOp op, Value ring) {
  tile::RingType type = op.getRing().getType();
  waitFor(full(ring, type, op.getStage()), op.getTurn());
  return tileOf(ring, type, op.getStage());
}

void RingEmitter::emitRelease(tile::WgmmaReleaseOp op, Value ring) {
  Value isFirst = at.compare(arith::CmpIPredicate::eq, lane(), 0);
  onlyIf(isFirst, [&] {
    NVVM::MBarrierArriveOp::create(
        b, b.getI64Type(), empty(ring, op.getRing().getType(), op.getStage()),
        /*count=*/Value());
  });
}

void RingEmitter::emitClear(tile::WgmmaClearOp op, Value tile) {
  tile::SharedType type = op.getTile().getType();
  int64_t threads = op.getConsumers() * warpgroupThreads;
  // A row's 16 bytes of all numbers: where the swizzle puts each is all one.
  constexpr int64_t piece = 16;
  int64_t perRow = type.getSwizzle() / piece;
  Value first = at.add(at.mul(op.getRow(), perRow), thread());
  auto loop = scf::ForOp::create(b, first, at.value(type.getRows() * perRow),
                                 at.value(threads));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value begin = plus(tile, times(asNumber(loop.getInductionVar()), piece));
    Value zeros = arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get({4}, b.getI32Type())));
    for (int64_t panel = 0; panel < type.getPanels(); ++panel)
      LLVM::StoreOp::create(b, zeros,
                            pointer(plus(begin, panel * type.getPanelBytes())),
                            /*alignment=*/piece);
  }
  // wgmma reads by the asynchronous proxy.
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  // Barrier 0 is the whole block's.
  NVVM::BarrierOp::create(b, /*res=*/Type(), number(1), number(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

void mixattn::lower(OpBuilder &b, tile::WgmmaRingOp op, Lowered &lowered) {
  lowered[op.getRing()] =
      WarpgroupEmitter(op.getLoc(), b).sharedAddress(op.getOffset());
}

void mixattn::lower(OpBuilder &b, tile::WgmmaOpenOp op, Lowered &lowered) {
  RingEmitter(op.getLoc(), b).emitOpen(op, lowered);
}

void mixattn::lower(OpBuilder &b, tile::WgmmaFillOp op, Lowered &lowered) {
  RingEmitter(op.getLoc(), b).emitFill(op, lowered.lookup(op.getRing()));
}

void mixattn::lower(OpBuilder &b, tile::WgmmaAwaitOp op, Lowered &lowered) {
  lowered[op.getTile()] =
      RingEmitter(op.getLoc(), b).emitAwait(op, lowered.lookup(op.getRing()));
}

void mixattn::lower(OpBuilder &b, tile::WgmmaReleaseOp op, Lowered &lowered) {
  RingEmitter(op.getLoc(), b).emitRelease(op, lowered.lookup(op.getRing()));
}

void mixattn::lower(OpBuilder &b, tile::WgmmaClearOp op, Lowered &lowered) {
  RingEmitter(op.getLoc(), b).emitClear(op, lowered.lookup(op.getTile()));
}
