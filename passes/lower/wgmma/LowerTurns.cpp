// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns of two warpgroups: a named barrier of each, at which it waits and the
// other one arrives.

#include "passes/lower/wgmma/Lowerings.h"
#include "passes/lower/wgmma/SharedTiles.h"

using namespace mlir;
using namespace mixattn;

namespace {

class TurnEmitter : public WarpgroupEmitter {
public:
  using WarpgroupEmitter::WarpgroupEmitter;

  void wait() {
    NVVM::BarrierOp::create(b, /*res=*/Type(), barrierOf(warpgroup()), both(),
                            NVVM::BarrierReductionAttr(), Value());
  }
  void arrive() {
    Value other = arith::SubIOp::create(b, number(1), warpgroup());
    NVVM::BarrierArriveOp::create(b, barrierOf(other), both());
  }
  /// Runs code that `inside` emits in warpgroup `own` alone.
  void onlyFor(int64_t own, function_ref<void()> inside) {
    onlyIf(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, warpgroup(),
                                         number(own)),
           inside);
  }

private:
  /// Barrier 0 is the whole block's, 1 that of rows made zeros.
  Value barrierOf(Value own) {
    constexpr int64_t first = 2;
    return arith::AddIOp::create(b, own, number(first));
  }
  Value both() { return number(2 * warpgroupThreads); }
};

} // namespace

/// As if the second warpgroup had had a turn.
void mixattn::lower(OpBuilder &b, tile::WgmmaOpenTurnsOp op, Lowered &) {
  TurnEmitter emitter(op.getLoc(), b);
  emitter.onlyFor(1, [&] { emitter.arrive(); });
}

void mixattn::lower(OpBuilder &b, tile::WgmmaTakeTurnOp op, Lowered &) {
  TurnEmitter(op.getLoc(), b).wait();
}

void mixattn::lower(OpBuilder &b, tile::WgmmaPassTurnOp op, Lowered &) {
  TurnEmitter(op.getLoc(), b).arrive();
}

void mixattn::lower(OpBuilder &b, tile::WgmmaCloseTurnsOp op, Lowered &) {
  TurnEmitter emitter(op.getLoc(), b);
  emitter.onlyFor(0, [&] { emitter.wait(); });
}
