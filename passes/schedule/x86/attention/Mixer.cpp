// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coefficients of a mixer of weights, for a tile of queries.

#include "passes/schedule/x86/attention/Mixer.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

void Mixer::takeScratch() {
  if (op.getMixer() && !getElementTypeOrSelf(op.getMixer()).isF32())
    widenedMixer = takeMatrix(heads, heads, b.getF32Type());
  if (!op.getMixSource())
    return;
  coefficientTile = takeTile(heads * heads);
  sourceTile = takeTile(sourceFeatures());
}

/// coefficient[c, a] = bias[c, a] + sum_d source[c, d] weight[d, a], per query.
void Mixer::emitCoefficients() {
  if (widenedMixer)
    tile::WidenOp::create(b, operands.bufferOf(op.getMixer()), at.value(0),
                          at.value(heads - 1), at.value(heads), widenedMixer);
  if (!op.getMixSource())
    return;
  Value source = operands.bufferOf(op.getMixSource());
  Value weight = operands.bufferOf(op.getMixWeight());
  Value bias = operands.bufferOf(op.getMixBias());
  forEach(0, heads, 1, [&](Value from) {
    tile::PackOp::create(
        b, KernelBuffers::matrixAt(b, source, {operands.place.batch, from}),
        operands.place.firstQuery, at.value(0), queries,
        at.value(sourceFeatures()), b.getF32FloatAttr(1.0), sourceTile);
    Value first = at.mul(from, heads);
    forEach(0, heads, 1, [&](Value to) {
      Value offset = toF32(
          b, b.getLoc(), memref::LoadOp::create(b, bias, ValueRange{from, to}));
      Value row = vector::BroadcastOp::create(b, rowType(), offset);
      forEachLane([&](Value lane) {
        store(row, coefficientTile, at.add(first, to), lane);
      });
    });
    tile::ProductClauses clauses;
    clauses.isTransposed = clauses.accumulates = true;
    tile::ProductOp::create(b, weight, at.value(0), sourceTile,
                            rowsOf(coefficientTile, first, heads), clauses);
  });
}

Value Mixer::coefficient(Value from, Value to, Value lane) {
  if (op.getMixSource())
    return load(coefficientTile, at.add(at.mul(from, heads), to), lane);
  Value mixer = widenedMixer ? widenedMixer : operands.bufferOf(op.getMixer());
  Value number = memref::LoadOp::create(b, mixer, ValueRange{from, to});
  return vector::BroadcastOp::create(b, rowType(), number);
}
