// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that values which their query does not see have spoiled.
//
// A product pools all values of a block of keys, also with weights of 0, and 0
// times NaN or infinity is NaN. Such values are rare, and to look for them
// before each product would cost what it costs to copy them. So the results are
// looked at, once: a row that holds NaN is computed again, by a warp, from the
// values alone whose weights are not 0. If these made it NaN, it is so again.

#include "passes/body/KeptHere.h"
#include "passes/schedule/gpu/FragmentBody.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

/// Lanes of a warp, rows of a fragment, and lanes that share a row.
static constexpr int64_t lanes = 32, warpRows = 16, rowLanes = 4;

/// `number` of lane `lane`, in all lanes.
static Value fromLane(ImplicitLocOpBuilder &b, Value number, Value lane) {
  Type i32 = b.getI32Type();
  Value width =
      arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(lanes)));
  return gpu::ShuffleOp::create(b, number,
                                arith::IndexCastOp::create(b, i32, lane), width,
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

/// Whether `number` is NaN: an i1.
static Value isNaN(ImplicitLocOpBuilder &b, Value number) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, number, number);
}

/// Runs what `inside` emits where `condition` holds.
static void onlyIf(ImplicitLocOpBuilder &b, Value condition,
                   function_ref<void()> inside) {
  auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  inside();
}

static Value threadOf(ImplicitLocOpBuilder &b) {
  return gpu::ThreadIdOp::create(b, gpu::Dimension::x);
}

/// Other lanes wrote the warp's rows.
void FragmentBody::emitWaitForStores() {
  NVVM::SyncWarpOp::create(
      b, arith::ConstantOp::create(b, b.getI32IntegerAttr(-1)));
}

/// Computes those of the warp's rows of head `g` again whose `sums` are NaN.
void FragmentBody::emitRowsAgain(int64_t g, Value sums,
                                 const Statistics &statistics) {
  auto half = [&](Value rows, int64_t i) -> Value {
    return vector::ExtractOp::create(b, rows, i);
  };
  Value areNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, sums, sums);
  onlyIf(b, tile::AnyOp::create(b, areNaN), [&] {
    emitWaitForStores();
    // Mixers of each query, and the numbers of an MLP along with weights of
    // several heads, leave fewest registers: what rare rows need of addresses
    // is computed here, not held while keys are visited.
    Value outside = batch;
    if (op.getMixSource() || (op.getW1() && heads.size() > 1))
      batch = keptHere(b, batch);
    Value warp = at.div(threadOf(b), lanes);
    Value first = at.add(firstRow(), at.mul(warp, warpRows));
    Value count = at.min(at.sub(endOfRows, first), warpRows);
    auto loop = scf::ForOp::create(b, at.value(0), count, at.value(1));
    b.setInsertionPointToStart(loop.getBody());
    Value row = loop.getInductionVar();
    Value isLower = at.compare(arith::CmpIPredicate::sge, row, warpRows / 2);
    Value lane = at.mul(at.rem(row, warpRows / 2), rowLanes);
    auto ofRow = [&](Value rows) {
      Value own =
          arith::SelectOp::create(b, isLower, half(rows, 1), half(rows, 0));
      return fromLane(b, own, lane);
    };
    onlyIf(b, isNaN(b, ofRow(sums)), [&] {
      emitRowAgain(g, at.add(first, row), ofRow(statistics.reference),
                   ofRow(statistics.sum));
    });
    batch = outside;
  });
}

/// The products of the query in `row` with `key`, of all channels, as one lane
/// sums them up; a zero stands for those of given scores.
FragmentBody::Values FragmentBody::emitProductsAt(Value row, Value key) {
  if (op.getGivenScores())
    return {constant(b.getF32Type(), 0)};
  auto query = op.getQueryType(), keys = op.getKeyType();
  int64_t own = keys.getRank() == 5 ? op.getNumComponents() : 1;
  Values products(body.numChannels() * own, constant(b.getF32Type(), 0));
  auto loop = scf::ForOp::create(b, at.value(0), at.value(query.getDimSize(3)),
                                 at.value(1), products);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value feature = loop.getInductionVar();
  auto read = [&](Value operand, ValueRange place) {
    return toF32(b, b.getLoc(),
                 buffers.emitRead(b, b.getLoc(), operand, place));
  };
  for (auto [i, product] : llvm::enumerate(products)) {
    int64_t channel = int64_t(i) / own;
    Values place = {batch, keyHead(channel)};
    if (keys.getRank() == 5)
      place.push_back(at.value(int64_t(i) % own));
    place.append({key, feature});
    product = math::FmaOp::create(
        b, read(op.getQuery(), {batch, queryHead(channel), row, feature}),
        read(op.getKey(), place), loop.getRegionIterArg(i));
  }
  scf::YieldOp::create(b, products);
  return Values(loop.getResults());
}

Value FragmentBody::emitWeightAt(int64_t g, Value row, Value key,
                                 Value reference) {
  ScorePlace place = {batch, heads[g], row, at.min(key, at.sub(range.keys, 1)),
                      range.alignment};
  Values elements = emitProductsAt(row, place.j);
  if (!body.isScaledProduct() || op.hasPremix())
    elements = emitExponentsAt(place, g, 1, elements);
  elements.push_back(reference);
  Value weight = emitWeight(elements);
  for (Value condition : {body.emitIsVisible(b, place, /*isBelowLength=*/true),
                          body.emitIsKept(b, place)})
    if (condition)
      weight = arith::SelectOp::create(b, condition, weight,
                                       constant(b.getF32Type(), 0));
  return weight;
}

/// Pools and writes one row, a column a lane. Each lane weighs one of 32 keys.
void FragmentBody::emitRowAgain(int64_t g, Value row, Value reference,
                                Value sum) {
  int64_t columns = op.getValueType().getDimSize(3);
  Values group = heads;
  Value query = queryOfRow(row);
  heads[g] = headOfRow(g, row);
  Value zero = constant(b.getF32Type(), 0), lane = at.rem(threadOf(b), lanes);
  Values pooled(llvm::divideCeil(columns, lanes), zero), own;
  for (int64_t i = 0; i < int64_t(pooled.size()); ++i)
    own.push_back(at.add(lane, i * lanes));
  Value valueHead = at.div(heads[g], op.getValueGroup());
  auto blocks =
      scf::ForOp::create(b, range.begin, range.end, at.value(lanes), pooled);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(blocks.getBody());
    Value first = blocks.getInductionVar();
    Value weight = emitWeightAt(g, query, at.add(first, lane), reference);
    auto keys = scf::ForOp::create(b, at.value(0),
                                   at.min(at.sub(range.end, first), lanes),
                                   at.value(1), blocks.getRegionIterArgs());
    scf::YieldOp::create(b, keys.getResults());
    b.setInsertionPointToStart(keys.getBody());
    Value key = keys.getInductionVar(), factor = fromLane(b, weight, key);
    Value isSeen =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, factor, zero);
    auto choice = scf::IfOp::create(b, ValueRange(pooled).getTypes(), isSeen,
                                    /*withElseRegion=*/true);
    scf::YieldOp::create(b, choice.getResults());
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, keys.getRegionIterArgs());
    b.setInsertionPointToStart(choice.thenBlock());
    Values next;
    for (auto [column, before] : llvm::zip(own, keys.getRegionIterArgs())) {
      Value value =
          toF32(b, b.getLoc(),
                buffers.emitRead(b, b.getLoc(), op.getValue(),
                                 {batch, valueHead, at.add(first, key),
                                  at.min(column, columns - 1)}));
      next.push_back(math::FmaOp::create(b, factor, value, before));
    }
    scf::YieldOp::create(b, next);
  }
  Value inverse = Softmax::emitInverse(b, sum);
  for (size_t i = 0; i < own.size(); ++i)
    onlyIf(b, at.compare(arith::CmpIPredicate::slt, own[i], columns), [&] {
      emitStoreAt(g, query, own[i],
                  arith::MulFOp::create(b, blocks.getResult(i), inverse));
    });
  heads = group;
}
