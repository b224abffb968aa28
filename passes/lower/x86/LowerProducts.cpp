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
    int64_t length = holdsPairs(tile) ? 2 * cpu.lanes : cpu.lanes;
    for (int64_t c = 0; c < sizeOf(tile, 1) / length; ++c)
      lanes.push_back(load(tile, at, c));
    return lanes;
  }
  /// Features whose sums stay in registers.
  int64_t rowsAtOnce(tile::PoolOp op) {
    return cpu.rowsInRegisters(sizeOf(op.getOutputs(), 1) / cpu.lanes);
  }
  void emitPooledRows(tile::PoolOp op, Value first, int64_t rows);
  using Step = function_ref<Values(Value number, ValueRange sums)>;
  /// Units from `first` on, at most `most`, that run while a sum is computed:
  /// those before `end`.
  struct Units {
    Region &body;
    Value first, end;
    int64_t most;
  };
  /// Adds `count` steps to `sums`, and runs `units` spread over them.
  Values emitBesideUnits(ValueRange sums, int64_t count, Step step,
                         const Units &units);
  /// Emits the region of an op for unit `unit`.
  void runUnit(Region &body, Value unit) {
    IRMapping mapping;
    mapping.map(body.getArgument(0), unit);
    for (Operation &inner : body.front())
      b.clone(inner, mapping);
  }
  /// Spreads the ops between the block's last op with a region and `firstStep`
  /// over the ops from `firstStep` on.
  void weave(Operation *firstStep);
};

} // namespace

void ProductEmitter::weave(Operation *firstStep) {
  SmallVector<Operation *> late, steps;
  for (Operation *op = firstStep->getPrevNode(); op && !op->getNumRegions();
       op = op->getPrevNode())
    late.push_back(op);
  for (Operation *op = firstStep; op; op = op->getNextNode())
    steps.push_back(op);
  for (auto [i, op] : llvm::enumerate(llvm::reverse(late)))
    op->moveBefore(steps[i * steps.size() / late.size()]);
}

ProductEmitter::Values ProductEmitter::emitBesideUnits(ValueRange sums,
                                                       int64_t count, Step step,
                                                       const Units &units) {
  // Steps come in groups, each with one unit or a few in front of its last
  // steps, and what does not divide comes after.
  constexpr int64_t fewestSteps = 4;
  int64_t groups =
      std::min(units.most, std::max<int64_t>(1, count / fewestSteps));
  int64_t share = count / groups;
  int64_t perGroup = llvm::divideCeil(units.most, groups);
  bool isOne = perGroup * groups == units.most && perGroup == 1 && !units.end;
  // A unit's last ops wait for one another: steps among them fill the gaps.
  int64_t woven = isOne ? std::min(share, fewestSteps) : 0;
  Values summed = loop(
      index(0), index(groups), 1, sums, [&](Value group, ValueRange carried) {
        Value from = b.createOrFold<arith::MulIOp>(group, index(share));
        Value first = add(
            units.first, b.createOrFold<arith::MulIOp>(group, index(perGroup)));
        Values next = loop(from, add(from, share - woven), 1, carried, step);
        if (isOne) {
          runUnit(units.body, first);
          Operation *last = &b.getInsertionBlock()->back();
          for (int64_t w = share - woven; w < share; ++w)
            next = step(add(from, w), next);
          if (Operation *firstStep = last->getNextNode())
            weave(firstStep);
          return next;
        }
        Value end = add(first, perGroup);
        end = b.createOrFold<arith::MinSIOp>(
            end, units.end ? units.end : add(units.first, units.most));
        loop(first, end, 1, {}, [&](Value unit, ValueRange) {
          runUnit(units.body, unit);
          return Values();
        });
        return next;
      });
  return loop(index(share * groups), index(count), 1, summed, step);
}

void ProductEmitter::emitScores(tile::ScoresOp op) {
  Value keys = op.getKeys(), queries = op.getQueries();
  int64_t rows = sizeOf(op.getScores(), 0);
  int64_t vectors = sizeOf(op.getScores(), 1) / cpu.lanes;
  int64_t steps = sizeOf(queries, 0), units = op.getUnits();
  bool isLastAlone = holdsPairs(queries) && sizeOf(keys, 1) % 2 != 0;
  if (isLastAlone)
    --steps;
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
  Values zeros(rows * vectors, splat(0)), sums;
  // Units run during the last part of the steps.
  int64_t alone = units ? std::max<int64_t>(0, steps - mostInPart) : steps;
  if (alone || !units)
    sums = sumInParts(index(alone), alone, zeros,
                      [&](Value from, Value to, ValueRange carried) {
                        return loop(from, to, 1, carried, step);
                      });
  if (units) {
    Values last = emitBesideUnits(zeros, steps - alone,
                                  [&](Value d, ValueRange carried) {
                                    return step(add(d, alone), carried);
                                  },
                                  {op.getBody(), index(0), Value(), units});
    sums = sums.empty() ? last : addEach(sums, last);
  }
  if (isLastAlone)
    sums = emitStep(sums, loadRow(queries, index(steps)), rows, [&](int64_t r) {
      return spreadWithZero(keys, keyRows[r], index(sizeOf(keys, 1) - 1));
    });
  float factor = op.getFactor().convertToFloat();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < vectors; ++c) {
      Value sum = sums[r * vectors + c];
      if (factor != 1.0f)
        sum = arith::MulFOp::create(b, sum, splat(factor));
      store(sum, op.getScores(), index(r), c);
    }
}

/// Pools `rows` features from `first` on.
void ProductEmitter::emitPooledRows(tile::PoolOp op, Value first,
                                    int64_t rows) {
  Value outputs = op.getOutputs();
  int64_t vectors = sizeOf(outputs, 1) / cpu.lanes;
  // The block is summed up from 0 and then added to the outputs: rounding
  // errors grow with the number of blocks plus the keys of a block, not with
  // all keys.
  Values sums(rows * vectors, splat(0));
  auto step = [&](Value j, ValueRange carried) {
    Value key = add(op.getRow(), j);
    return emitStep(carried, loadRow(op.getWeights(), j), rows, [&](int64_t r) {
      Value feature = add(first, r);
      return holdsPairs(op.getWeights())
                 ? spreadPair(op.getValues(), key, feature)
                 : spread(op.getValues(), key, feature);
    });
  };
  if (int64_t units = op.getUnits()) {
    int64_t parts = llvm::divideCeil(sizeOf(outputs, 0), rowsAtOnce(op));
    int64_t most = llvm::divideCeil(units, parts);
    Value begin = b.createOrFold<arith::MulIOp>(
        b.createOrFold<arith::DivUIOp>(first, index(rowsAtOnce(op))),
        index(most));
    Value end =
        most * parts == units
            ? Value()
            : b.createOrFold<arith::MinSIOp>(add(begin, most), index(units));
    sums = emitBesideUnits(sums, sizeOf(op.getWeights(), 0), step,
                           {op.getBody(), begin, end, most});
  } else {
    sums = loopInTwos(index(0), op.getCount(), sums, step);
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < vectors; ++c) {
      Value row = add(first, r);
      Value before = load(outputs, row, c);
      Value sum = arith::AddFOp::create(b, before, sums[r * vectors + c]);
      store(sum, outputs, row, c);
    }
}

void ProductEmitter::emitPool(tile::PoolOp op) {
  int64_t features = sizeOf(op.getOutputs(), 0), rows = rowsAtOnce(op);
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
                    const CpuModel &cpu) {
  ProductEmitter(op.getLoc(), rewriter, cpu).emitScores(op);
  rewriter.eraseOp(op);
}

void mixattn::lower(RewriterBase &rewriter, tile::PoolOp op,
                    const CpuModel &cpu) {
  ProductEmitter(op.getLoc(), rewriter, cpu).emitPool(op);
  rewriter.eraseOp(op);
}
