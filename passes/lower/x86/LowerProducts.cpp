// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose sums stay in registers: scores of keys, pooled values.

#include "passes/lower/x86/VectorEmitter.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// A few rows of sums, each of one row of lanes of a tile.
class ProductEmitter : public VectorEmitter {
public:
  using VectorEmitter::VectorEmitter;

  void emitScores(tile::ScoresOp op);
  void emitPool(tile::PoolOp op);

private:
  /// One step: `sums` plus the outer product of `column` (a number per row,
  /// emitted when it is needed) with the rows of lanes `lanes`.
  Values emitStep(ValueRange sums, ArrayRef<Value> lanes, int64_t rows,
                  function_ref<Value(int64_t)> column) {
    Values next;
    for (int64_t r = 0; r < rows; ++r) {
      Value number = column(r);
      for (auto [c, each] : llvm::enumerate(lanes))
        next.push_back(accumulate(number, each, sums[r * lanes.size() + c]));
    }
    return next;
  }
  Value accumulate(Value number, Value lanes, Value sum) {
    bool arePairs = cast<VectorType>(lanes.getType()).getElementType().isBF16();
    return arePairs ? multiplyAddPairs(number, lanes, sum)
                    : multiplyAdd(number, lanes, sum);
  }
  Values loadRow(Value tile, Value at) {
    Values lanes;
    int64_t length = holdsPairs(tile) ? 2 * unit.lanes : unit.lanes;
    for (int64_t c = 0; c < sizeOf(tile, 1) / length; ++c)
      lanes.push_back(load(tile, at, c));
    return lanes;
  }
  /// Runs `step` from 0 to before `count`, two at a time: pointers to weights
  /// and values move half as often.
  Values loopInTwos(Value count, ValueRange sums,
                    function_ref<Values(Value, ValueRange)> step) {
    Value odd = b.createOrFold<arith::RemUIOp>(count, index(2));
    Value even = b.createOrFold<arith::SubIOp>(count, odd);
    Values summed =
        loop(index(0), even, 2, sums, [&](Value j, ValueRange carried) {
          Values first = step(j, carried);
          return step(add(j, 1), first);
        });
    return loop(even, count, 1, summed, step);
  }
  void emitPooledRows(tile::PoolOp op, Value first, int64_t rows);
};

} // namespace

void ProductEmitter::emitScores(tile::ScoresOp op) {
  Value keys = op.getKeys(), queries = op.getQueries();
  int64_t rows = sizeOf(op.getScores(), 0);
  int64_t chunks = sizeOf(op.getScores(), 1) / unit.lanes;
  int64_t features = sizeOf(queries, 0), units = op.getUnits();
  Values keyRows;
  for (int64_t r = 0; r < rows; ++r)
    keyRows.push_back(
        b.createOrFold<arith::MinSIOp>(add(op.getRow(), r), op.getLast()));
  auto step = [&](Value d, ValueRange sums) {
    return emitStep(sums, loadRow(queries, d), rows, [&](int64_t r) {
      return holdsPairs(queries) ? spreadPair(keys, keyRows[r], d)
                                 : spread(keys, keyRows[r], d);
    });
  };
  auto runUnits = [&](Value group, int64_t groups) {
    int64_t perGroup = llvm::divideCeil(units, groups);
    Value first = b.createOrFold<arith::MulIOp>(group, index(perGroup));
    Value last =
        b.createOrFold<arith::MinSIOp>(add(first, perGroup), index(units));
    auto runUnit = [&](Value unit) {
      IRMapping mapping;
      mapping.map(op.getBody().front().getArgument(0), unit);
      for (Operation &inner : op.getBody().front())
        b.clone(inner, mapping);
    };
    if (perGroup == 1)
      return runUnit(first);
    loop(first, last, 1, {}, [&](Value unit, ValueRange) {
      runUnit(unit);
      return Values();
    });
  };
  Values sums(rows * chunks, splat(0));
  // Steps come in groups, each with a few units behind it, and what does not
  // divide comes after. LLVM unrolls shorter groups, and then sums spill.
  constexpr int64_t fewestSteps = 16;
  int64_t groups =
      std::min(units, std::max<int64_t>(1, features / fewestSteps));
  int64_t share = groups ? features / groups : 0;
  if (groups)
    sums = loop(
        index(0), index(groups), 1, sums, [&](Value group, ValueRange carried) {
          Value from = b.createOrFold<arith::MulIOp>(group, index(share));
          Values summed = loop(from, add(from, share), 1, carried, step);
          runUnits(group, groups);
          return summed;
        });
  if (share * groups != features)
    sums = loop(index(share * groups), index(features), 1, sums, step);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < chunks; ++c)
      store(sums[r * chunks + c], op.getScores(), index(r), c);
}

/// Pools `rows` features from `first` on.
void ProductEmitter::emitPooledRows(tile::PoolOp op, Value first,
                                    int64_t rows) {
  Value outputs = op.getOutputs();
  int64_t chunks = sizeOf(outputs, 1) / unit.lanes;
  Values sums;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < chunks; ++c)
      sums.push_back(load(outputs, add(first, r), c));
  auto step = [&](Value j, ValueRange carried) {
    Value key = add(op.getRow(), j);
    return emitStep(carried, loadRow(op.getWeights(), j), rows, [&](int64_t r) {
      Value feature = add(first, r);
      return holdsPairs(op.getWeights())
                 ? spreadPair(op.getValues(), key, feature)
                 : spread(op.getValues(), key, feature);
    });
  };
  sums = loopInTwos(op.getCount(), sums, step);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < chunks; ++c)
      store(sums[r * chunks + c], outputs, add(first, r), c);
}

void ProductEmitter::emitPool(tile::PoolOp op) {
  int64_t features = sizeOf(op.getOutputs(), 0);
  int64_t rows = unit.rowsInRegisters(sizeOf(op.getOutputs(), 1) / unit.lanes);
  int64_t whole = features / rows * rows;
  if (whole)
    loop(index(0), index(whole), rows, {}, [&](Value first, ValueRange) {
      emitPooledRows(op, first, rows);
      return Values();
    });
  if (whole != features)
    emitPooledRows(op, index(whole), features - whole);
}

void mixattn::lower(RewriterBase &rewriter, tile::ScoresOp op,
                    const VectorUnit &unit) {
  ProductEmitter(op.getLoc(), rewriter, unit).emitScores(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::PoolOp op,
                    const VectorUnit &unit) {
  ProductEmitter(op.getLoc(), rewriter, unit).emitPool(op);
  rewriter.eraseOp(op);
}
