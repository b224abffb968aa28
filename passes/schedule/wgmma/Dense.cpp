// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the dense schedule of wgmma: a contraction, and what its result goes
// through.

#include "passes/schedule/wgmma/Dense.h"

#include "passes/body/NeverUnroll.h"
#include "passes/schedule/gpu/DenseBlock.h"
#include "passes/schedule/wgmma/BlockSizes.h"
#include "passes/schedule/wgmma/DenseSizes.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::wgmma;

namespace {

/// Emits the code of a block of threads.
class WgmmaDenseBlock : public DenseBlock {
public:
  WgmmaDenseBlock(ImplicitLocOpBuilder &b, KernelOp kernel,
                  const Contraction &op, const DenseSizes &sizes)
      : DenseBlock(b, kernel, op, sizes), sizes(sizes) {}

  void emit();

private:
  Value mapOf(Value tensor, int64_t rows) {
    return tile::TensorMapOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), bufferOf(tensor), rows,
        /*columns=*/64, /*swizzle=*/128);
  }
  void fill(Value ring, Value stage, Value turn, Value tensorMap, AffineMap map,
            const Place &place, Value column);
  void emitProducer();
  Value emitStep(Value stage, Value turn, Value sums);
  Value emitRounds(Value sums);
  Value emitSteps(Value sums);

  const DenseSizes &sizes;
  Value leftRing, rightRing, leftMap, rightMap;
  Value numSteps;
};

} // namespace

/// Begins to fill a stage with the rows at `place`, from `column` on.
void WgmmaDenseBlock::fill(Value ring, Value stage, Value turn, Value tensorMap,
                           AffineMap map, const Place &place, Value column) {
  Values indices;
  for (AffineExpr expr : map.getResults().drop_back())
    indices.push_back(place.lookup(cast<AffineDimExpr>(expr).getPosition()));
  tile::WgmmaFillOp::create(b, ring, stage, turn, tensorMap, indices, column);
}

/// Fills both rings step by step.
void WgmmaDenseBlock::emitProducer() {
  auto loop = scf::ForOp::create(b, at.value(0), numSteps, at.value(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  Value stage = at.rem(step, sizes.stages), turn = at.div(step, sizes.stages);
  auto [number, place] = findStep(step, at.value(sizes.stepsOfLoop()));
  Value term = at.mul(number, sizes.terms);
  place[sizes.rowLoop] = firstRow;
  place[sizes.columnLoop] = firstColumn;
  place[sizes.termLoop] = term;
  fill(leftRing, stage, turn, leftMap, op.leftMap, place, term);
  fill(rightRing, stage, turn, rightMap, op.rightMap, place,
       sizes.areTermsInRows ? term : firstColumn);
}

/// `sums` and the products of a step. While a warpgroup waits for its own, the
/// tensor cores have those of the other one.
Value WgmmaDenseBlock::emitStep(Value stage, Value turn, Value sums) {
  auto await = [&](Value ring) -> Value {
    auto type = cast<tile::RingType>(ring.getType()).getTile();
    return tile::WgmmaAwaitOp::create(b, type, ring, stage, turn);
  };
  Value left = await(leftRing), right = await(rightRing);
  auto pending =
      tile::PendingType::get(b.getContext(), cast<VectorType>(sums.getType()));
  Value product = tile::WgmmaProductOp::create(
      b, pending, left, right,
      sizes.areTermsInRows ? b.getUnitAttr() : UnitAttr(), sums);
  Value next = tile::WgmmaWaitOp::create(b, sums.getType(), 0, product);
  tile::WgmmaReleaseOp::create(b, leftRing, stage);
  tile::WgmmaReleaseOp::create(b, rightRing, stage);
  return next;
}

/// The sums of all products where the number of steps is known. Code is written
/// out for every stage, so that places in rings are constants.
Value WgmmaDenseBlock::emitRounds(Value sums) {
  int64_t stages = sizes.stages, rounds = sizes.stepsOfLoop() / stages;
  if (rounds > 0) {
    auto loop =
        scf::ForOp::create(b, at.value(0), at.value(rounds), at.value(1), sums);
    neverUnroll(loop);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    sums = loop.getRegionIterArg(0);
    for (int64_t stage = 0; stage < stages; ++stage)
      sums = emitStep(at.value(stage), loop.getInductionVar(), sums);
    scf::YieldOp::create(b, sums);
    sums = loop.getResult(0);
  }
  for (int64_t stage = 0; stage < sizes.stepsOfLoop() % stages; ++stage)
    sums = emitStep(at.value(stage), at.value(rounds), sums);
  return sums;
}

/// The sums of all products, step by step.
Value WgmmaDenseBlock::emitSteps(Value sums) {
  auto loop = scf::ForOp::create(b, at.value(0), numSteps, at.value(1), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  scf::YieldOp::create(b, emitStep(at.rem(step, sizes.stages),
                                   at.div(step, sizes.stages),
                                   loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

void WgmmaDenseBlock::emit() {
  makeGrid(DenseSizes::rows, DenseSizes::threads);
  numSteps = countSteps(at.value(sizes.stepsOfLoop()));
  leftRing = tile::WgmmaRingOp::create(b, sizes.leftRing(), 0);
  rightRing =
      tile::WgmmaRingOp::create(b, sizes.rightRing(), sizes.rightOffset());
  leftMap = mapOf(op.left, DenseSizes::rows);
  rightMap = mapOf(op.right, sizes.rightRing().getTile().getRows());
  tile::WgmmaOpenOp::create(b, ValueRange{leftRing, rightRing},
                            DenseSizes::consumers);
  auto roles = tile::WgmmaRolesOp::create(b, DenseSizes::consumers,
                                          producerRegisters, consumerRegisters);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&roles.getProducer());
  emitProducer();
  b.createBlock(&roles.getConsumer());
  auto fragment = VectorType::get({sizes.width() / 2}, b.getF32Type());
  Value zeros =
      arith::ConstantOp::create(b, DenseElementsAttr::get(fragment, 0.0f));
  emitResults(sizes.outerTerms.empty() ? emitRounds(zeros) : emitSteps(zeros),
              firstRow, DenseSizes::columnsAtATime);
}

void wgmma::scheduleDense(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  Contraction op = *findContraction(kernel.getAnchor());
  DenseSizes sizes(op, sharedBytes);
  WgmmaDenseBlock(b, kernel, op, sizes).emit();
  kernel.erase();
}
