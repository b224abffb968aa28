// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose sums stay in registers.

#include "passes/body/CompensatedSum.h"
#include "passes/lower/x86/VectorEmitter.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// A product is cut into blocks of a few rows and vectors of lanes, whose sums
/// registers hold; a block is summed up and then stored.
class ProductEmitter : public VectorEmitter {
public:
  ProductEmitter(OpBuilder &builder, const CpuModel &cpu, tile::ProductOp op)
      : VectorEmitter(op.getLoc(), builder, cpu), op(op), left(op.getLeft()),
        right(op.getRight()), target(op.getTarget()) {}

  void emit();

private:
  /// `rows` rows of the target from `first` on, and `vectors` vectors of lanes
  /// from `lane` on.
  struct Block {
    Value first;
    int64_t rows;
    Value lane;
    int64_t vectors;
    /// Its first lane on the right, where pairs take two places.
    Value rightLane;
    /// The rows of `left`, where they are the same in all steps and clamped.
    Values leftRows;
  };
  using Step = function_ref<Values(Value number, ValueRange sums)>;
  /// Units from `first` on, at most `most`, that run while a sum is computed:
  /// those before `end`.
  struct Units {
    Value first, end;
    int64_t most;
  };

  /// Whether all sums stay in registers, beside nothing but the operands.
  bool fitsRegisters() {
    return !op.getUnits() && allRows() <= cpu.mostRowsInRegisters(allVectors());
  }
  /// How many rows a block has, and how many vectors one of `rows` rows.
  int64_t rowsAtOnce();
  int64_t vectorsAtOnce(int64_t rows) {
    return fitsRegisters() ? allVectors()
                           : std::min(allVectors(), cpu.rowsInRegisters(rows));
  }
  /// Numbers of a lane of the right side.
  int64_t numbers() { return op.hasPairs() ? 2 : 1; }
  int64_t allRows() { return sizeOf(target, 0); }
  int64_t allVectors() { return sizeOf(target, 1) / cpu.lanes; }
  /// Runs `body` for `count` numbers, `atOnce` of them at a time and then what
  /// is left; it gets the first of them times `scale`, as a constant where
  /// there is one turn, unless the loop `staysLoop`.
  void forEachFew(int64_t count, int64_t atOnce, int64_t scale, bool staysLoop,
                  function_ref<void(Value first, int64_t few)> body);

  /// The row of `left` that is `i` rows after the first.
  Value rowOfLeft(Value i) {
    Value at = add(op.getRow(), i);
    return op.getLast() ? b.createOrFold<arith::MinSIOp>(at, op.getLast()) : at;
  }
  /// The row of `left` of row `r` of `block`, without `transposed`.
  Value rowOf(const Block &block, int64_t r) {
    return block.leftRows.empty() ? rowOfLeft(add(block.first, r))
                                  : block.leftRows[r];
  }
  /// L(r, i) of the op's description in all lanes, with pairs both of its
  /// numbers; `at` is the row of `left` that has all of step `i`, with
  /// `transposed`.
  Value column(const Block &block, Value at, Value i, int64_t r);
  /// Whether vectors `c` and `c` + 1 of `block` hold even and odd lanes while
  /// sums grow: bf16 is widened with half of the instructions then.
  bool areInTurn(const Block &block, int64_t c) {
    return op.getRight().getType().getElementType().isBF16() &&
           !op.hasPairs() && c % 2 == 0 && c + 1 < block.vectors;
  }
  /// The vectors of row `i` of the right side that `block` takes.
  Values loadLanes(const Block &block, Value i);
  /// One step: `sums` plus the outer product of `column` (a number per row,
  /// emitted when it is needed) with the rows of lanes `lanes`.
  Values emitStep(ValueRange sums, ArrayRef<Value> lanes,
                  function_ref<Value(int64_t)> column);
  Value accumulate(Value number, Value lanes, Value sum) {
    return op.hasPairs() ? multiplyAddPairs(number, lanes, sum)
                         : multiplyAdd(number, lanes, sum);
  }

  /// The sums of a block, one after the other those of a row.
  Values emitSums(const Block &block);
  /// Adds `count` steps to `sums`, and runs `units` spread over them.
  Values emitBesideUnits(ValueRange sums, int64_t count, Step step,
                         const Units &units);
  /// The units that run during `block`.
  Units unitsOf(const Block &block);
  /// Emits `region` for `arguments`, without a terminator.
  void run(Region &region, ValueRange arguments, IRMapping &mapping) {
    mapping.map(region.getArguments(), arguments);
    for (Operation &inner : region.front())
      if (!isa<tile::YieldOp>(inner))
        b.clone(inner, mapping);
  }
  void runUnit(Value unit) {
    IRMapping mapping;
    run(op.getBody(), unit, mapping);
  }
  /// Spreads the ops between the block's last op with a region and `firstStep`
  /// over the ops from `firstStep` on.
  void weave(Operation *firstStep);

  /// Sums up and stores a block.
  void emitBlock(const Block &block);
  /// Stores what `sum` makes of vector [`at`, `lane`] of the target.
  void emitStored(Value sum, Value at, Value lane);

  tile::ProductOp op;
  Value left, right, target;
};

} // namespace

// A broadcast serves all vectors of a block, and a vector all its rows. Where
// the lanes of a row leave room for four, all are in one block; otherwise four
// rows are. A target that fits the registers is one block.
int64_t ProductEmitter::rowsAtOnce() {
  if (fitsRegisters())
    return allRows();
  constexpr int64_t fewestRows = 4;
  return std::max(fewestRows, cpu.rowsInRegisters(allVectors()));
}

void ProductEmitter::forEachFew(int64_t count, int64_t atOnce, int64_t scale,
                                bool staysLoop,
                                function_ref<void(Value, int64_t)> body) {
  int64_t whole = count / atOnce * atOnce;
  if (whole == atOnce && !staysLoop)
    body(index(0), atOnce);
  else if (whole)
    loop(index(0), index(whole * scale), atOnce * scale, {},
         [&](Value first, ValueRange) {
           body(first, atOnce);
           return Values();
         });
  if (whole != count)
    body(index(whole * scale), count - whole);
}

Value ProductEmitter::column(const Block &block, Value at, Value i, int64_t r) {
  Value j = op.getTransposed() ? add(block.first, r) : i;
  if (!op.getTransposed())
    at = rowOf(block, r);
  return op.hasPairs() ? spreadPair(left, at, j) : spread(left, at, j);
}

ProductEmitter::Values ProductEmitter::loadLanes(const Block &block, Value i) {
  int64_t length = cpu.lanes * numbers();
  Type element = op.getRight().getType().getElementType();
  auto load = [&](int64_t c, int64_t numbers) -> Value {
    return vector::LoadOp::create(
        b, VectorType::get({numbers}, element), right,
        ValueRange{i, add(block.rightLane, c * length)});
  };
  Values lanes;
  for (int64_t c = 0; c < block.vectors; ++c) {
    if (areInTurn(block, c))
      llvm::append_range(lanes, splitWidened(load(c++, 2 * length)));
    else if (!op.hasPairs() && !element.isF32())
      lanes.push_back(arith::ExtFOp::create(b, row, load(c, length)));
    else
      lanes.push_back(load(c, length));
  }
  return lanes;
}

ProductEmitter::Values
ProductEmitter::emitStep(ValueRange sums, ArrayRef<Value> lanes,
                         function_ref<Value(int64_t)> column) {
  Values next;
  for (int64_t r = 0, rows = sums.size() / lanes.size(); r < rows; ++r) {
    Value number = column(r);
    for (auto [c, each] : llvm::enumerate(lanes))
      next.push_back(accumulate(number, each, sums[r * lanes.size() + c]));
  }
  return next;
}

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
        // The code of a unit fills a turn, too.
        Values next = loopInTurns(from, add(from, share - woven),
                                  cpu.stepsInTurn / 2, carried, step);
        if (isOne) {
          runUnit(first);
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
          runUnit(unit);
          return Values();
        });
        return next;
      });
  return loop(index(share * groups), index(count), 1, summed, step);
}

ProductEmitter::Units ProductEmitter::unitsOf(const Block &block) {
  // Blocks are counted row by row: those of whole rows, and the last ones.
  int64_t units = op.getUnits(), rows = rowsAtOnce();
  auto blocksOf = [&](int64_t few) {
    return llvm::divideCeil(allVectors(), vectorsAtOnce(few));
  };
  int64_t blocks = allRows() / rows * blocksOf(rows);
  if (allRows() % rows)
    blocks += blocksOf(allRows() % rows);
  int64_t most = llvm::divideCeil(units, blocks);
  Value rowBlock = b.createOrFold<arith::DivUIOp>(block.first, index(rows));
  Value laneBlock = b.createOrFold<arith::DivUIOp>(
      block.lane, index(vectorsAtOnce(block.rows) * cpu.lanes));
  Value number =
      add(b.createOrFold<arith::MulIOp>(rowBlock, index(blocksOf(rows))),
          laneBlock);
  Value begin = b.createOrFold<arith::MulIOp>(number, index(most));
  Value end =
      most * blocks == units
          ? Value()
          : b.createOrFold<arith::MinSIOp>(add(begin, most), index(units));
  return {begin, end, most};
}

ProductEmitter::Values ProductEmitter::emitSums(const Block &block) {
  auto step = [&](Value i, ValueRange sums) {
    Value at = op.getTransposed() ? rowOfLeft(i) : Value();
    if (op.getAhead())
      prefetch(right, add(i, op.getAhead()), block.rightLane,
               block.vectors * cpu.lanes * numbers(),
               /*locality=*/cpu.readsSlowly() ? 3 : 2);
    if (auto asked = op.getAsked())
      prefetch(asked, i, index(0), asked.getType().getDimSize(1),
               /*locality=*/3);
    return emitStep(sums, loadLanes(block, i),
                    [&](int64_t r) { return column(block, at, i, r); });
  };
  auto steps = [&](Value from, Value to, ValueRange sums) {
    // Clamped rows have no pointer that moves by a stride, and the products of
    // dense layers are cut into pieces, the last of which are short.
    int64_t few = op.getLast() ? 1 : op.getTransposed() ? cpu.stepsInTurn : 2;
    return loopInTurns(from, to, few, sums, step);
  };
  Values zeros(block.rows * block.vectors, splat(0)), sums;
  int64_t most = op.getMostSteps() - (op.isLastAlone() ? 1 : 0);
  Value count = op.getCount() ? op.getCount() : index(most);
  if (op.getAccumulates() && !op.getLost()) {
    // This is one part of the target's sum already: rounding errors grow with
    // the number of products plus the steps of one, not with all steps.
    sums = op.getUnits() ? emitBesideUnits(zeros, most, step, unitsOf(block))
                         : steps(index(0), count, zeros);
  } else if (op.getUnits()) {
    // Units run during the last part of the steps.
    int64_t alone = std::max<int64_t>(0, most - mostInPart);
    if (alone)
      sums = sumInParts(index(alone), alone, zeros, steps);
    Values last = emitBesideUnits(
        zeros, most - alone,
        [&](Value i, ValueRange carried) {
          return step(add(i, alone), carried);
        },
        unitsOf(block));
    sums = alone ? addEach(sums, last) : last;
  } else {
    sums = sumInParts(count, most, zeros, steps);
  }
  if (op.isLastAlone())
    sums = emitStep(sums, loadLanes(block, index(most)), [&](int64_t r) {
      Value at = rowOf(block, r);
      return spreadWithZero(left, at, index(sizeOf(left, 1) - 1));
    });
  return sums;
}

void ProductEmitter::emitStored(Value sum, Value at, Value lane) {
  SmallVector<Value> place = {at, lane};
  float factor = op.getFactor().convertToFloat();
  if (factor != 1.0f)
    sum = arith::MulFOp::create(b, sum, splat(factor));
  Value rest;
  if (op.getAccumulates()) {
    Value before = vector::LoadOp::create(b, row, target, place);
    if (Value lost = op.getLost()) {
      CompensatedSum total = addCompensated(
          b, before, sum, vector::LoadOp::create(b, row, lost, place));
      sum = total.sum;
      rest = total.lost;
    } else {
      sum = arith::AddFOp::create(b, before, sum);
    }
  }
  if (!op.getEpilogue().empty()) {
    IRMapping mapping;
    run(op.getEpilogue(), {sum, at, lane}, mapping);
    auto yield = cast<tile::YieldOp>(op.getEpilogue().front().back());
    sum = mapping.lookupOrDefault(yield.getRow());
  }
  vector::StoreOp::create(b, sum, target, place);
  if (rest)
    vector::StoreOp::create(b, rest, op.getLost(), place);
}

void ProductEmitter::emitBlock(const Block &block) {
  Values sums = emitSums(block);
  for (int64_t r = 0; r < block.rows; ++r)
    for (int64_t c = 0; c < block.vectors; ++c) {
      Value *sum = &sums[r * block.vectors + c];
      if (areInTurn(block, c))
        std::tie(sum[0], sum[1]) = std::tuple_cat(joinInTurn(sum[0], sum[1]));
      emitStored(sums[r * block.vectors + c], add(block.first, r),
                 add(block.lane, c * cpu.lanes));
    }
}

void ProductEmitter::emit() {
  // The rows of a transposed product are columns of `left`. Their loop stays
  // where it has one turn: steps that units are woven into have as many ops
  // then, whatever the number of rows.
  bool areColumns = op.getTransposed();
  auto emitLanes = [&](const Block &rows, Value lane, int64_t vectors) {
    Block block = rows;
    std::optional<int64_t> number = getConstantIntValue(lane);
    block.lane = lane;
    block.rightLane =
        number ? index(*number * numbers())
               : b.createOrFold<arith::MulIOp>(lane, index(numbers()));
    block.vectors = vectors;
    emitBlock(block);
  };
  forEachFew(allRows(), rowsAtOnce(), 1, areColumns && !fitsRegisters(),
             [&](Value first, int64_t few) {
               Block rows;
               rows.first = first;
               rows.rows = few;
               if (op.getLast() && !areColumns)
                 for (int64_t r = 0; r < few; ++r)
                   rows.leftRows.push_back(rowOfLeft(add(first, r)));
               forEachFew(allVectors(), vectorsAtOnce(few), cpu.lanes, false,
                          [&](Value lane, int64_t vectors) {
                            emitLanes(rows, lane, vectors);
                          });
             });
}

void mixattn::lower(RewriterBase &rewriter, tile::ProductOp op,
                    const CpuModel &cpu) {
  ProductEmitter(rewriter, cpu, op).emit();
  rewriter.eraseOp(op);
}
