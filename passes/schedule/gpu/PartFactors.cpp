// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of the powers of parts of keys, on a GPU.

#include "passes/body/References.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/Lanes.h"
#include "passes/schedule/gpu/Schedules.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

void gpus::schedulePartFactors(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  Softmax softmax(b, [](ImplicitLocOpBuilder &b, Value exponent) -> Value {
    return math::Exp2Op::create(b, exponent);
  });
  auto op = cast<PartFactorsOp>(kernel.getAnchor());
  Value references = kernel.getOperandOf(op.getReferences()),
        sums = kernel.getOperandOf(op.getSums());
  auto sizeOf = [&](int64_t dim) {
    return b.createOrFold<memref::DimOp>(references, dim);
  };
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  Value count = sizeOf(3);
  auto grid = tile::GridOp::create(
      b, ValueRange{sizeOf(2), sizeOf(1), sizeOf(0)}, warpLanes);
  b.setInsertionPointToStart(&grid.getBody().front());
  Value lane = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto placeOf = [&](Value part) -> SmallVector<Value> {
    return {grid.getItem()[2], grid.getItem()[1], grid.getItem()[0], part};
  };
  // Each lane has every 32nd part.
  auto forEachPart = [&](Value init,
                         function_ref<Value(Value part, Value before)> inside) {
    auto loop = scf::ForOp::create(b, lane, count, at.value(warpLanes), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, inside(loop.getInductionVar(), loop.getRegionIterArg(0)));
    return loop.getResult(0);
  };
  auto read = [&](Value numbers, Value part) -> Value {
    return memref::LoadOp::create(b, numbers, placeOf(part));
  };

  Value most = emitOfLanes<arith::MaxNumFOp>(
      b, forEachPart(number(lowest), [&](Value part, Value before) -> Value {
        return arith::MaxNumFOp::create(b, before, read(references, part));
      }));
  Value sum = emitOfLanes<arith::AddFOp>(
      b, forEachPart(number(0), [&](Value part, Value before) -> Value {
        Value power = softmax.emitRescale(read(references, part), most);
        return math::FmaOp::create(b, power, read(sums, part), before);
      }));
  Value inverse = Softmax::emitInverse(b, sum);
  forEachPart(inverse, [&](Value part, Value before) {
    Value power = softmax.emitRescale(read(references, part), most);
    memref::StoreOp::create(b, arith::MulFOp::create(b, power, inverse),
                            kernel.getOutputs()[0], placeOf(part));
    return before;
  });
  kernel.erase();
}
