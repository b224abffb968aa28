// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of ops that a row of a tensor goes through.

#include "passes/schedule/x86/rows/RowKernel.h"

#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/RowSizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

RowKernel::RowKernel(ImplicitLocOpBuilder &b, KernelOp kernel, int64_t lanes)
    : b(b), at(b), kernel(kernel), lanes(lanes) {
  members.push_back(RowLoops::of(cast<linalg::LinalgOp>(kernel.getAnchor())));
  for (Operation *op : kernel.getConsumers())
    members.push_back(
        RowLoops::of(cast<linalg::LinalgOp>(op), members.front().rows));
}

RowKernel::RowKernel(ImplicitLocOpBuilder &b, KernelOp kernel, int64_t lanes,
                     ArrayRef<Operation *> producers, unsigned rows)
    : b(b), at(b), kernel(kernel), lanes(lanes) {
  for (Operation *op : producers)
    members.push_back(RowLoops::of(cast<linalg::LinalgOp>(op), rows));
}

/// The value outside of the kernel for `value`, an argument of its region or a
/// constant there.
Value RowKernel::outside(Value value) {
  return KernelBuffers(kernel.getInputs()).emitNumber(b, value);
}

Value RowKernel::sizeOf(Value tensor, unsigned dim) {
  return emitSize(b, tensor, dim, [&](Value value) { return outside(value); });
}

Value RowKernel::sizeOf(const RowLoops &loops, unsigned loop) {
  return emitLoopSize(b, loops, loop,
                      [&](Value value) { return outside(value); });
}

Value RowKernel::countTurns() {
  Value all = at.value(0);
  for (const RowLoops &each : members) {
    Value turns = at.value(1);
    for (unsigned loop = each.rows; loop < each.getOp().getNumLoops(); ++loop)
      turns = at.mul(turns, sizeOf(each, loop));
    all = at.add(all, turns);
  }
  return all;
}

bool RowKernel::hasSeparateLanes() const {
  DenseMap<Value, AffineMap> made;
  for (RowLoops each : members) {
    if (!each.lane || !each.outer.empty())
      return false;
    AffineExpr lane = getAffineDimExpr(*each.lane, b.getContext());
    auto endsWithLanes = [&](OpOperand &operand) {
      AffineMap map = each.mapOf(operand);
      return map.getNumResults() == each.rows + 1 &&
             map.getResults().back() == lane;
    };
    for (OpOperand *input : each.getOp().getDpsInputOperands())
      if (made.contains(input->get()) && !endsWithLanes(*input))
        return false;
    for (OpOperand &init : each.getOp().getDpsInitsMutable()) {
      if (!endsWithLanes(init))
        return false;
      made[each.getOp().getTiedOpResult(&init)] = each.mapOf(init);
    }
  }
  return true;
}

/// Whether no output takes `result`.
bool RowKernel::staysInside(OpResult result) const {
  Operation *results = result.getOwner()->getBlock()->getTerminator();
  return !llvm::is_contained(results->getOperands(), result);
}

/// Whether `result` is one number for each row.
bool RowKernel::isNumber(const RowLoops &loops, OpResult result) const {
  return loops.mapOf(*loops.getOp().getTiedOpOperand(result)).getNumResults() ==
         loops.rows;
}

/// The bytes of `result` in one row, rounded up to cache lines.
Value RowKernel::bytesOf(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  Type element = type.getElementType();
  int64_t width = element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8;
  Value bytes = at.value(width);
  for (int64_t dim = getNumRowLoops(); dim < type.getRank(); ++dim)
    bytes = at.mul(bytes, sizeOf(result, dim));
  return at.mul(at.div(at.add(bytes, 63), 64), 64);
}

Value RowKernel::countScratch() {
  Value bytes = at.value(0);
  for (const RowLoops &each : members)
    for (OpResult result : each.getOp()->getResults())
      if (staysInside(result) && !isNumber(each, result) &&
          !given.contains(result))
        bytes = at.add(bytes, bytesOf(result));
  return bytes;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Says where results are while a row is handled.
void RowKernel::holdResults(Value scratch) {
  Value taken = at.value(0);
  auto results = cast<ResultsOp>(kernel.getBody().front().getTerminator());
  for (auto [value, buffer] :
       llvm::zip(results.getTensors(), kernel.getOutputs()))
    held[value] = {buffer, {}, 0};
  for (RowLoops each : members)
    for (OpResult result : each.getOp()->getResults()) {
      if (!staysInside(result) || isNumber(each, result) ||
          given.contains(result))
        continue;
      auto type = cast<RankedTensorType>(result.getType());
      ArrayRef<int64_t> shape = type.getShape().drop_front(each.rows);
      SmallVector<Value> dynamic;
      for (int64_t dim = each.rows; dim < type.getRank(); ++dim)
        if (type.isDynamicDim(dim))
          dynamic.push_back(sizeOf(result, dim));
      held[result].buffer = memref::ViewOp::create(
          b, MemRefType::get(shape, type.getElementType()), scratch, taken,
          dynamic);
      held[result].dropped = each.rows;
      taken = at.add(taken, bytesOf(result));
    }
}

void RowKernel::emit(ArrayRef<Value> row, Value scratch, Value from, Value to) {
  firstLane = from;
  lastLane = to;
  holdResults(scratch);
  for (const RowLoops &each : members) {
    place.assign(row.begin(), row.end());
    place.resize(each.getOp().getNumLoops());
    emitOuter(each, 0);
  }
}

RowKernel::Values
RowKernel::emitFor(Value from, Value to, int64_t step, ValueRange sums,
                   function_ref<Values(Value, ValueRange)> inside) {
  auto loop = scf::ForOp::create(b, from, to, at.value(step), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values next = inside(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!sums.empty())
    scf::YieldOp::create(b, next);
  return Values(loop.getResults());
}

void RowKernel::emitOuter(const RowLoops &loops, unsigned number) {
  if (number == loops.outer.size())
    return emitOp(loops);
  unsigned loop = loops.outer[number];
  emitFor(at.value(0), sizeOf(loops, loop), 1, {},
          [&](Value turn, ValueRange) -> Values {
            place[loop] = turn;
            emitOuter(loops, number + 1);
            return {};
          });
}

RowKernel::Values RowKernel::emitTurns(const RowLoops &loops, unsigned number,
                                       ValueRange sums, Inside inside) {
  if (number == loops.turns.size())
    return inside(sums);
  unsigned loop = loops.turns[number];
  return emitFor(at.value(0), sizeOf(loops, loop), 1, sums,
                 [&](Value turn, ValueRange sums) {
                   place[loop] = turn;
                   return emitTurns(loops, number + 1, sums, inside);
                 });
}

/// A vector of lanes from `first` on.
RowKernel::Lanes RowKernel::makeLanes(const RowLoops &loops, Value first) {
  auto indices = VectorType::get({lanes}, b.getIndexType());
  Value steps = vector::StepOp::create(b, indices);
  return {*loops.lane,
          first,
          {},
          {},
          arith::AddIOp::create(b, widen(first), steps)};
}

/// Runs `inside` for strips of up to `mostVectors` vectors of lanes, whose sums
/// grow together: what a turn reads is longer then, and no addition waits for
/// the one before. Gives the first lane that is left.
Value RowKernel::emitStrips(
    const RowLoops &loops, Value from, Value to, int64_t mostVectors,
    Values &sums, function_ref<Values(ArrayRef<Lanes>, ValueRange)> inside) {
  Value size = at.sub(to, from);
  int64_t vectors = mostVectors;
  if (std::optional<int64_t> known = getConstantIntValue(size))
    vectors = std::min(vectors, *known / lanes);
  if (vectors < 2)
    return from;
  int64_t strip = vectors * lanes;
  Value end = at.sub(to, at.rem(size, strip));
  sums = emitFor(from, end, strip, sums, [&](Value first, ValueRange before) {
    SmallVector<Lanes> some;
    for (int64_t i = 0; i < vectors; ++i)
      some.push_back(makeLanes(loops, at.add(first, i * lanes)));
    return inside(some, before);
  });
  return end;
}

/// Runs `inside` for the lanes from `from` to before `to`, a vector at a time.
RowKernel::Values
RowKernel::emitLanes(const RowLoops &loops, Value from, Value to,
                     ValueRange sums,
                     function_ref<Values(const Lanes &, ValueRange)> inside) {
  Value rest = at.rem(at.sub(to, from), lanes);
  Value whole = at.sub(to, rest);
  auto emit = [&](Value first, bool isRest, ValueRange sums) {
    Lanes some = makeLanes(loops, first);
    if (isRest) {
      some.mask = vector::CreateMaskOp::create(
          b, VectorType::get({lanes}, b.getI1Type()), rest);
      some.last = at.sub(to, 1);
      some.positions =
          arith::MinSIOp::create(b, some.positions, widen(some.last));
    }
    return inside(some, sums);
  };
  std::optional<int64_t> knownRest = getConstantIntValue(rest);
  Values made(sums);
  if (std::optional<int64_t> known = getConstantIntValue(at.sub(whole, from));
      !known || *known > 0)
    made = emitFor(from, whole, lanes, made, [&](Value first, ValueRange sums) {
      return emit(first, false, sums);
    });
  if (knownRest)
    return *knownRest ? emit(whole, true, made) : made;
  auto isThere = scf::IfOp::create(
      b, ValueRange(made).getTypes(),
      at.compare(arith::CmpIPredicate::ne, rest, 0), !made.empty());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isThere.thenBlock());
  Values last = emit(whole, true, made);
  if (made.empty())
    return made;
  scf::YieldOp::create(b, last);
  b.setInsertionPointToStart(isThere.elseBlock());
  scf::YieldOp::create(b, made);
  return Values(isThere.getResults());
}

/// The initial values of sums, for `lanes` or for one.
RowKernel::Values RowKernel::makeInits(const RowLoops &loops,
                                       const Lanes *lanes) {
  Values inits;
  for (OpOperand &init : loops.getOp().getDpsInitsMutable()) {
    auto type = cast<RankedTensorType>(init.get().getType());
    Value number;
    if (auto fill = init.get().getDefiningOp<linalg::FillOp>())
      number = outside(fill.getInputs()[0]);
    else if (init.get().getDefiningOp<tensor::EmptyOp>())
      number =
          arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
    else
      number = read(init.get(), loops.mapOf(init), loops, lanes);
    inits.push_back(lanes ? widen(number) : number);
  }
  return inits;
}

/// Emits `loops` in one turn of its rows and outer loops.
void RowKernel::emitOp(const RowLoops &loops) {
  auto writeAll = [&](ValueRange values, const Lanes *lanes) {
    for (auto [result, value] : llvm::zip(loops.getOp()->getResults(), values))
      write(loops, result, value, lanes);
  };
  if (!loops.lane) {
    Values sums =
        emitTurns(loops, 0, makeInits(loops, nullptr), [&](ValueRange sums) {
          return emitBody(loops, nullptr, sums);
        });
    return writeAll(sums, nullptr);
  }
  Value from = firstLane ? firstLane : at.value(0);
  Value to = lastLane ? lastLane : sizeOf(loops, *loops.lane);
  if (loops.reducesLanes())
    return writeAll(emitSums(loops, from, to), nullptr);
  auto emitSome = [&](ArrayRef<Lanes> some) {
    unsigned results = loops.getOp()->getNumResults();
    Values inits;
    for (const Lanes &each : some)
      llvm::append_range(inits, makeInits(loops, &each));
    Values sums = emitTurns(loops, 0, inits, [&](ValueRange sums) {
      Values next;
      for (auto [i, each] : llvm::enumerate(some))
        llvm::append_range(
            next, emitBody(loops, &each, sums.slice(i * results, results)));
      return next;
    });
    for (auto [i, each] : llvm::enumerate(some))
      writeAll(ValueRange(sums).slice(i * results, results), &each);
  };
  Values none;
  if (!loops.turns.empty())
    from = emitStrips(loops, from, to, /*mostVectors=*/8, none,
                      [&](ArrayRef<Lanes> some, ValueRange) {
                        emitSome(some);
                        return Values();
                      });
  emitLanes(loops, from, to, {}, [&](const Lanes &lanes, ValueRange) {
    emitSome(lanes);
    return Values();
  });
}
