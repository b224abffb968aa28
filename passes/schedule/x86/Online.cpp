// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the online schedule: scores, exponents, weights, pooled values.

#include "passes/schedule/x86/Online.h"
#include "dialect/tile/TileOps.h"
#include "passes/body/Body.h"
#include "passes/schedule/KeyRange.h"
#include "passes/schedule/x86/Operands.h"
#include "passes/schedule/x86/Threads.h"
#include "passes/schedule/x86/Widen.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// By how much an exponent may exceed its reference: sums of powers of 2 to
/// this stay far from infinity.
static constexpr double slack = 16.0;
/// Where references start: below every score, and finite.
static constexpr double lowest = -0x1p127;

namespace {

/// The rows of statistics that each head has in a tile.
enum Statistic {
  Reference, // what exponents of the query are less of
  Partial,   // the sum of the powers in the block of keys at hand
  Sum,       // the sum of those before, and what it lost to rounding
  Lost,
  NumStatistics
};

/// Emits the code of one width of tiles.
class OnlineTile {
public:
  OnlineTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
             Value scratch);

  /// The bytes of scratch memory that a tile of `sizes` takes.
  static int64_t scratchBytes(AttentionOpInterface op, int64_t products,
                              int64_t channels, const TileSizes &sizes);

  /// Emits the tile whose first query is `firstQuery`, of `queries` queries.
  /// `head` is null where the tile holds all heads.
  void emit(Value batch, Value head, Value firstQuery, Value queries);

private:
  // Scratch.
  Value takeTile(int64_t rows);
  void takeScratch();
  Value rowsOf(Value tile, Value row, int64_t rows);

  // Steps of a tile.
  void emitPackedQueries();
  void emitCleared();
  void emitBlocks();
  void emitPackedElements(Value keys);
  void emitScores(Value key, Value slot, int64_t unitsPerProduct,
                  function_ref<void(Value)> unit);
  void emitPooled(Value keys);
  void emitSummedBlock();
  void emitOutputs();
  void emitLse();

  // The body of a few keys and a row of lanes.
  void emitUnit(Value unit, Value row, Value key, Value slot);
  SmallVector<Value> emitMixed(Value key, Value slotRow);
  void emitHead(ArrayRef<SmallVector<Value>> mixed, Value head, Value row,
                Value key);
  SmallVector<Value> emitHidden(ArrayRef<Value> exponents, Value head,
                                Value key);
  SmallVector<Value> emitShifted(ArrayRef<Value> exponents, Value head,
                                 Value row);
  void emitLoweredSums(Value largest, Value head, Value row);

  // Loops and numbers.
  void forEach(OpFoldResult from, OpFoldResult to, int64_t step,
               function_ref<void(Value)> body);
  void forEachHead(function_ref<void(Value head, Value slot)> body);
  VectorType rowType() {
    return VectorType::get({sizes.lanes}, b.getF32Type());
  }
  Value splat(double number);
  Value load(Value tile, Value row, Value lane);
  void store(Value value, Value tile, Value row, Value lane);
  Value statistic(Value head, Statistic which);
  Value headSlot(Value head) { return isShared ? head : at.value(0); }
  ScorePlace placeAt(Value query, Value key, Value head) {
    return {batch, head, query, key, range.alignment};
  }

  ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  AttentionOpInterface op;
  TileSizes sizes;
  KernelOperands operands;
  Body body;
  /// Whether one tile holds all heads.
  bool isShared;
  int64_t heads, channels, products, features, valueFeatures;

  Value scratch;
  int64_t scratchUsed = 0;
  Value queryTile, outputTile, weightTile, scoreTile, statisticTile;

  Value batch, tileHead, firstQuery, queries;
  KeyRange range;
};

} // namespace

OnlineTile::OnlineTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                       const TileSizes &sizes, Value scratch)
    : b(b), at(b), kernel(kernel),
      op(cast<AttentionOpInterface>(kernel.getComputation())), sizes(sizes),
      operands(kernel, sizes.lanes), body(op, operands),
      isShared(body.isCoupled()), heads(isShared ? op.getNumHeads() : 1),
      channels(body.numChannels()), products(body.numProducts()),
      features(op.getQuery() ? op.getQueryType().getDimSize(3) : 0),
      valueFeatures(op.getValueType().getDimSize(3)), scratch(scratch) {
  operands.block = sizes.block;
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// The next `rows` rows of scratch, as a tile.
Value OnlineTile::takeTile(int64_t rows) {
  auto type = MemRefType::get({rows, sizes.width}, b.getF32Type());
  Value tile = memref::ViewOp::create(b, type, scratch, at.value(scratchUsed),
                                      ValueRange());
  scratchUsed += rows * sizes.width * int64_t(sizeof(float));
  return tile;
}

/// How many heads of `element`'s operand a tile holds.
static int64_t elementHeads(Value element, bool isShared) {
  auto type = cast<RankedTensorType>(element.getType());
  return isShared && type.getRank() >= 3 ? type.getDimSize(type.getRank() - 3)
                                         : 1;
}

int64_t OnlineTile::scratchBytes(AttentionOpInterface op, int64_t products,
                                 int64_t channels, const TileSizes &sizes) {
  bool isShared = op.hasPremix();
  int64_t heads = isShared ? op.getNumHeads() : 1;
  int64_t rows =
      heads * (op.getValueType().getDimSize(3) + sizes.block + NumStatistics);
  if (op.getQuery())
    rows += channels *
            (op.getQueryType().getDimSize(3) + 2 * products * sizes.rows);
  for (Value element : KernelOperands::elementsOf(op))
    rows += elementHeads(element, isShared) * sizes.block;
  return rows * sizes.width * int64_t(sizeof(float));
}

void OnlineTile::takeScratch() {
  outputTile = takeTile(heads * valueFeatures);
  weightTile = takeTile(heads * sizes.block);
  statisticTile = takeTile(heads * NumStatistics);
  if (op.getQuery()) {
    queryTile = takeTile(channels * features);
    scoreTile = takeTile(2 * channels * products * sizes.rows);
  }
  for (Value tensor : KernelOperands::elementsOf(op)) {
    int64_t held = elementHeads(tensor, isShared);
    operands.elements.push_back({tensor, held, takeTile(held * sizes.block)});
  }
}

/// `rows` rows of `tile` from `row` on.
Value OnlineTile::rowsOf(Value tile, Value row, int64_t rows) {
  Attribute one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
  SmallVector<OpFoldResult> offsets = {getAsOpFoldResult(row), zero};
  SmallVector<OpFoldResult> extents = {b.getIndexAttr(rows),
                                       b.getIndexAttr(sizes.width)};
  SmallVector<OpFoldResult> strides = {one, one};
  return memref::SubViewOp::create(b, tile, offsets, extents, strides);
}

//===----------------------------------------------------------------------===//
// Loops and numbers
//===----------------------------------------------------------------------===//

void OnlineTile::forEach(OpFoldResult from, OpFoldResult to, int64_t step,
                         function_ref<void(Value)> inside) {
  auto loop =
      scf::ForOp::create(b, at.value(from), at.value(to), at.value(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  inside(loop.getInductionVar());
}

/// Runs `inside` for the heads of the tile, each with its place in the tile.
void OnlineTile::forEachHead(function_ref<void(Value, Value)> inside) {
  if (!isShared)
    return inside(tileHead, at.value(0));
  forEach(b.getIndexAttr(0), b.getIndexAttr(heads), 1,
          [&](Value head) { inside(head, head); });
}

Value OnlineTile::splat(double number) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(rowType(), float(number)));
}

Value OnlineTile::load(Value tile, Value row, Value lane) {
  return vector::LoadOp::create(b, rowType(), tile, ValueRange{row, lane});
}

void OnlineTile::store(Value value, Value tile, Value row, Value lane) {
  vector::StoreOp::create(b, value, tile, ValueRange{row, lane});
}

Value OnlineTile::statistic(Value head, Statistic which) {
  return at.add(at.mul(headSlot(head), NumStatistics), int64_t(which));
}

//===----------------------------------------------------------------------===//
// Steps of a tile
//===----------------------------------------------------------------------===//

void OnlineTile::emit(Value inBatch, Value head, Value first, Value count) {
  batch = inBatch;
  tileHead = head;
  firstQuery = first;
  queries = count;
  Value zero = at.value(0);
  operands.place = {batch, zero, firstQuery,
                    at.add(firstQuery, at.sub(queries, 1)), zero};
  takeScratch();
  range = emitKeyRange(b, op, operands, firstQuery, queries, batch);
  emitPackedQueries();
  emitCleared();
  Value hasKeys = at.compare(arith::CmpIPredicate::slt, range.begin, range.end);
  auto onlyIf = scf::IfOp::create(b, hasKeys, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(onlyIf.thenBlock());
    emitBlocks();
  }
  emitOutputs();
}

void OnlineTile::emitPackedQueries() {
  if (!op.getQuery())
    return;
  Value buffer = operands.bufferOf(op.getQuery());
  for (int64_t c = 0; c < channels; ++c) {
    Value channel = isShared ? at.value(c) : tileHead;
    Value matrix = KernelOperands::matrixAt(b, buffer, {batch, channel});
    tile::PackOp::create(b, matrix, firstQuery, at.value(0), queries,
                         at.value(features),
                         b.getF32FloatAttr(body.queryFactor()),
                         rowsOf(queryTile, at.value(c * features), features));
  }
}

void OnlineTile::emitCleared() {
  forEach(b.getIndexAttr(0), b.getIndexAttr(sizes.width), sizes.lanes,
          [&](Value lane) {
            forEach(b.getIndexAttr(0), b.getIndexAttr(heads * valueFeatures), 1,
                    [&](Value row) { store(splat(0), outputTile, row, lane); });
            forEachHead([&](Value head, Value) {
              store(splat(lowest), statisticTile, statistic(head, Reference),
                    lane);
              for (Statistic which : {Partial, Sum, Lost})
                store(splat(0), statisticTile, statistic(head, which), lane);
            });
          });
}

void OnlineTile::emitPackedElements(Value keys) {
  for (const ElementTile &element : operands.elements) {
    Value buffer = operands.bufferOf(element.tensor);
    auto type = cast<RankedTensorType>(element.tensor.getType());
    int64_t rank = type.getRank();
    auto pack = [&](Value head, Value firstRow) {
      SmallVector<Value> leading;
      for (int64_t i = 0; i < rank - 2; ++i) {
        Value index = rank - 2 - i == 2 ? batch : head;
        leading.push_back(type.getDimSize(i) == 1 ? at.value(0) : index);
      }
      tile::PackOp::create(b, KernelOperands::matrixAt(b, buffer, leading),
                           firstQuery, operands.place.blockStart, queries, keys,
                           b.getF32FloatAttr(1.0),
                           rowsOf(element.tile, firstRow, sizes.block));
    };
    if (element.heads == 1)
      pack(isShared ? at.value(0) : tileHead, at.value(0));
    else
      forEach(b.getIndexAttr(0), b.getIndexAttr(element.heads), 1,
              [&](Value head) { pack(head, at.mul(head, sizes.block)); });
  }
}

/// Sums up the products of `sizes.rows` keys from `key` on, of all channels,
/// into the half `slot` of the score tile, and runs `unit` meanwhile.
void OnlineTile::emitScores(Value key, Value slot, int64_t unitsPerProduct,
                            function_ref<void(Value)> unit) {
  Value buffer = operands.bufferOf(op.getKey());
  int64_t perChannel = products * sizes.rows;
  auto emitChannel = [&](Value c) {
    Value channel = isShared ? c : tileHead;
    Value group = at.div(channel, op.getKeyGroup());
    for (int64_t r = 0; r < products; ++r) {
      SmallVector<Value> leading = {batch, group};
      if (products > 1 || op.getKeyType().getRank() == 5)
        leading.push_back(at.value(r));
      Value row = at.add(at.mul(at.add(at.mul(slot, channels), c), perChannel),
                         r * sizes.rows);
      auto scores = tile::ScoresOp::create(
          b, KernelOperands::matrixAt(b, buffer, leading), key,
          at.sub(range.keys, 1),
          rowsOf(queryTile, at.mul(c, features), features),
          rowsOf(scoreTile, row, sizes.rows), unitsPerProduct);
      OpBuilder::InsertionGuard guard(b);
      Block *block =
          b.createBlock(&scores.getBody(), {}, b.getIndexType(), b.getLoc());
      if (unitsPerProduct > 0)
        unit(at.add(block->getArgument(0),
                    at.mul(at.add(at.mul(c, products), r), unitsPerProduct)));
    }
  };
  if (channels == 1)
    emitChannel(at.value(0));
  else
    forEach(b.getIndexAttr(0), b.getIndexAttr(channels), 1, emitChannel);
}

void OnlineTile::emitBlocks() {
  int64_t units = sizes.chunks() * (sizes.rows / sizes.bodyRows);
  int64_t scoring = channels * products;
  int64_t perProduct = llvm::divideCeil(units, scoring);
  bool hasScores = op.getQuery() != nullptr;
  if (hasScores)
    emitScores(range.begin, at.value(0), 0, nullptr);
  forEach(range.begin, range.end, sizes.block, [&](Value blockStart) {
    operands.place.blockStart = blockStart;
    Value keys = at.min(at.sub(range.end, blockStart), sizes.block);
    emitPackedElements(keys);
    forEach(b.getIndexAttr(0), keys, sizes.rows, [&](Value row) {
      Value key = at.add(blockStart, row);
      Value step = at.div(at.sub(key, range.begin), sizes.rows);
      Value slot = at.rem(step, 2);
      auto emitOne = [&](Value unit) {
        if (perProduct * scoring == units)
          return emitUnit(unit, row, key, slot);
        Value isThere = at.compare(arith::CmpIPredicate::slt, unit, units);
        auto onlyIf = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(onlyIf.thenBlock());
        emitUnit(unit, row, key, slot);
      };
      if (hasScores)
        emitScores(at.add(key, sizes.rows), at.sub(at.value(1), slot),
                   perProduct, emitOne);
      else
        forEach(b.getIndexAttr(0), b.getIndexAttr(units), 1, emitOne);
    });
    emitPooled(keys);
    emitSummedBlock();
  });
}

void OnlineTile::emitPooled(Value keys) {
  Value buffer = operands.bufferOf(op.getValue());
  forEachHead([&](Value head, Value slot) {
    Value group = at.div(head, op.getValueGroup());
    tile::PoolOp::create(
        b, KernelOperands::matrixAt(b, buffer, {batch, group}),
        operands.place.blockStart, keys,
        rowsOf(weightTile, at.mul(slot, sizes.block), sizes.block),
        rowsOf(outputTile, at.mul(slot, valueFeatures), valueFeatures));
  });
}

/// Adds the block's sums to those before; what is lost to rounding is kept.
void OnlineTile::emitSummedBlock() {
  forEachHead([&](Value head, Value) {
    forEach(
        b.getIndexAttr(0), b.getIndexAttr(sizes.width), sizes.lanes,
        [&](Value lane) {
          Value partial = load(statisticTile, statistic(head, Partial), lane);
          Value sum = load(statisticTile, statistic(head, Sum), lane);
          Value lost = load(statisticTile, statistic(head, Lost), lane);
          auto add = [&](Value x, Value y) -> Value {
            return arith::AddFOp::create(b, x, y);
          };
          auto sub = [&](Value x, Value y) -> Value {
            return arith::SubFOp::create(b, x, y);
          };
          // Knuth's sum of two numbers and its error.
          Value total = add(sum, partial);
          Value part = sub(total, sum);
          Value error = add(sub(sum, sub(total, part)), sub(partial, part));
          store(total, statisticTile, statistic(head, Sum), lane);
          store(add(lost, error), statisticTile, statistic(head, Lost), lane);
          store(splat(0), statisticTile, statistic(head, Partial), lane);
        });
  });
}

void OnlineTile::emitOutputs() {
  forEachHead([&](Value head, Value slot) {
    forEach(b.getIndexAttr(0), b.getIndexAttr(sizes.width), sizes.lanes,
            [&](Value lane) {
              Value total = arith::AddFOp::create(
                  b, load(statisticTile, statistic(head, Sum), lane),
                  load(statisticTile, statistic(head, Lost), lane));
              Value isEmpty = arith::CmpFOp::create(
                  b, arith::CmpFPredicate::OEQ, total, splat(0));
              Value inverse = arith::DivFOp::create(b, splat(1), total);
              inverse = arith::SelectOp::create(b, isEmpty, splat(0), inverse);
              store(total, statisticTile, statistic(head, Sum), lane);
              store(inverse, statisticTile, statistic(head, Partial), lane);
            });
    Value target = operands.bufferOf(op.getValue());
    unsigned index = cast<OpResult>(op.getResult()).getResultNumber();
    target = kernel.getOutputs()[index];
    tile::UnpackOp::create(
        b, rowsOf(outputTile, at.mul(slot, valueFeatures), valueFeatures),
        rowsOf(statisticTile, statistic(head, Partial), 1),
        KernelOperands::matrixAt(b, target, {batch, head}), firstQuery,
        queries);
  });
  if (op.getLse())
    emitLse();
}

/// lse = (reference + log2 sum) / log2 e
void OnlineTile::emitLse() {
  Value target =
      kernel.getOutputs()[cast<OpResult>(op.getLse()).getResultNumber()];
  forEachHead([&](Value head, Value) {
    forEach(b.getIndexAttr(0), b.getIndexAttr(sizes.width), sizes.lanes,
            [&](Value lane) {
              Value log = math::Log2Op::create(
                  b, load(statisticTile, statistic(head, Sum), lane));
              Value sum = arith::AddFOp::create(
                  b, load(statisticTile, statistic(head, Reference), lane),
                  log);
              Value natural =
                  arith::MulFOp::create(b, sum, splat(llvm::numbers::ln2));
              Value isThere = vector::CreateMaskOp::create(
                  b, VectorType::get({sizes.lanes}, b.getI1Type()),
                  ValueRange{at.sub(queries, lane)});
              vector::MaskedStoreOp::create(
                  b, target, ValueRange{batch, head, at.add(firstQuery, lane)},
                  isThere, natural);
            });
  });
}

//===----------------------------------------------------------------------===//
// The body of a few keys and a row of lanes
//===----------------------------------------------------------------------===//

/// Turns scores into weights: `sizes.bodyRows` rows of one row of lanes, number
/// `unit` of those of the keys from `key` on, which are `row` of the block.
void OnlineTile::emitUnit(Value unit, Value row, Value key, Value slot) {
  Value lane = at.mul(at.rem(unit, sizes.chunks()), sizes.lanes);
  Value part = at.mul(at.div(unit, sizes.chunks()), sizes.bodyRows);
  operands.place.lane = lane;
  SmallVector<SmallVector<Value>> mixed;
  Value firstRow = at.add(at.mul(slot, channels * products * sizes.rows), part);
  for (int64_t r = 0; r < sizes.bodyRows; ++r)
    mixed.push_back(
        emitMixed(at.add(at.add(key, part), r), at.add(firstRow, r)));
  forEachHead([&](Value head, Value) {
    emitHead(mixed, head, at.add(row, part), at.add(key, part));
  });
}

/// What all heads' exponents for `key` start from; its scores begin at row
/// `scoreRow`.
SmallVector<Value> OnlineTile::emitMixed(Value key, Value scoreRow) {
  SmallVector<Value> lanes = {operands.emitQueries(b)};
  if (op.getQuery())
    for (int64_t i = 0; i < channels * products; ++i)
      lanes.push_back(load(scoreTile, at.add(scoreRow, i * sizes.rows),
                           operands.place.lane));
  auto wide = [&](OpBuilder &, memref::LoadOp scalar, ArrayRef<Value> indices) {
    return operands.emitWideLoad(b, scalar, indices);
  };
  return emitWide(
      b, b.getLoc(), lanes,
      [&](OpBuilder &scalar, ValueRange one) {
        ScorePlace place = placeAt(one[0], key, tileHead);
        ValueRange scores = one.drop_front();
        SmallVector<Value> all;
        for (int64_t c = 0; c < channels; ++c) {
          Value channel =
              isShared ? arith::ConstantIndexOp::create(scalar, b.getLoc(), c)
                             .getResult()
                       : tileHead;
          SmallVector<Value> own;
          if (op.getQuery())
            llvm::append_range(own, scores.slice(c * products, products));
          else
            own.push_back(
                toF32(scalar, b.getLoc(),
                      operands.emitRead(scalar, b.getLoc(), op.getGivenScores(),
                                        {batch, channel, one[0], key})));
          llvm::append_range(all,
                             body.emitChannel(scalar, own, channel, place));
        }
        return body.emitMixed(scalar, all, place);
      },
      wide);
}

/// The weights of head `head` for `mixed.size()` keys from `key` on, which
/// stand in the weight tile from `row` on.
void OnlineTile::emitHead(ArrayRef<SmallVector<Value>> mixed, Value head,
                          Value row, Value key) {
  auto wide = [&](OpBuilder &, memref::LoadOp scalar, ArrayRef<Value> indices) {
    return operands.emitWideLoad(b, scalar, indices);
  };
  Value query = operands.emitQueries(b);
  SmallVector<Value> exponents;
  for (auto [r, values] : llvm::enumerate(mixed)) {
    SmallVector<Value> lanes = {query};
    llvm::append_range(lanes, values);
    Value own = at.add(key, int64_t(r));
    llvm::append_range(exponents, emitWide(
                                      b, b.getLoc(), lanes,
                                      [&](OpBuilder &scalar, ValueRange one) {
                                        return body.emitExponents(
                                            scalar, one.drop_front(),
                                            placeAt(one[0], own, head));
                                      },
                                      wide));
  }
  exponents = emitHidden(exponents, head, key);
  SmallVector<Value> shifted = emitShifted(exponents, head, row);

  int64_t perKey = body.numExponents();
  Value sum;
  for (size_t r = 0; r < mixed.size(); ++r) {
    Value weight;
    for (int64_t e = 0; e < perKey; ++e) {
      Value power = tile::Exp2Op::create(b, shifted[r * perKey + e]);
      weight =
          weight ? arith::AddFOp::create(b, weight, power).getResult() : power;
    }
    sum = sum ? arith::AddFOp::create(b, sum, weight).getResult() : weight;
    Value own = at.add(key, int64_t(r));
    if (op.getKeep())
      weight = arith::SelectOp::create(
          b,
          emitWide(
              b, b.getLoc(), query,
              [&](OpBuilder &scalar, ValueRange one) {
                return SmallVector<Value>{
                    body.emitKept(scalar, placeAt(one[0], own, head))};
              },
              wide)
              .front(),
          weight, splat(0));
    Value place =
        at.add(at.add(row, int64_t(r)), at.mul(headSlot(head), sizes.block));
    store(weight, weightTile, place, operands.place.lane);
  }
  Value place = statistic(head, Partial);
  Value before = load(statisticTile, place, operands.place.lane);
  store(arith::AddFOp::create(b, before, sum), statisticTile, place,
        operands.place.lane);
}

/// `exponents` with -inf for what is hidden.
SmallVector<Value> OnlineTile::emitHidden(ArrayRef<Value> exponents, Value head,
                                          Value key) {
  int64_t perKey = body.numExponents();
  auto hide = [&] {
    Value query = operands.emitQueries(b);
    SmallVector<Value> hidden;
    for (size_t r = 0; r < exponents.size() / perKey; ++r) {
      Value own = at.add(key, int64_t(r));
      Value isSeen =
          emitWide(
              b, b.getLoc(), query,
              [&](OpBuilder &scalar, ValueRange one) {
                Value exists = arith::CmpIOp::create(scalar, b.getLoc(),
                                                     arith::CmpIPredicate::slt,
                                                     own, range.end);
                Value seen =
                    body.emitVisible(scalar, placeAt(one[0], own, head));
                if (seen)
                  exists =
                      arith::AndIOp::create(scalar, b.getLoc(), exists, seen);
                return SmallVector<Value>{exists};
              },
              [&](OpBuilder &, memref::LoadOp scalar, ArrayRef<Value> indices) {
                return operands.emitWideLoad(b, scalar, indices);
              })
              .front();
      for (int64_t e = 0; e < perKey; ++e)
        hidden.push_back(arith::SelectOp::create(
            b, isSeen, exponents[r * perKey + e],
            splat(-std::numeric_limits<double>::infinity())));
    }
    return hidden;
  };
  if (op.getMask())
    return hide();
  Value last = at.add(key, int64_t(exponents.size() / perKey));
  Value isInside = arith::AndIOp::create(
      b, at.compare(arith::CmpIPredicate::sge, key, range.insideBegin),
      at.compare(arith::CmpIPredicate::sle, last, range.insideEnd));
  SmallVector<Type> types(exponents.size(), rowType());
  auto choice = scf::IfOp::create(b, types, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, exponents);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, hide());
  return SmallVector<Value>(choice.getResults());
}

/// `exponents` less their queries' references, which move up where an exponent
/// exceeds them by more than the slack.
SmallVector<Value> OnlineTile::emitShifted(ArrayRef<Value> exponents,
                                           Value head, Value row) {
  Value lane = operands.place.lane;
  Value place = statistic(head, Reference);
  Value reference = load(statisticTile, place, lane);
  auto larger = [&](Value x, Value y) -> Value {
    Value isLarger = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
    return arith::SelectOp::create(b, isLarger, x, y);
  };
  auto lessReference = [&](Value by) {
    return llvm::map_to_vector(exponents, [&](Value exponent) -> Value {
      return arith::SubFOp::create(b, exponent, by);
    });
  };
  SmallVector<Value> shifted = lessReference(reference);
  Value most = shifted.front();
  for (Value each : ArrayRef<Value>(shifted).drop_front())
    most = larger(each, most);
  Value exceeds =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, most, splat(slack));
  Value any =
      vector::ReductionOp::create(b, vector::CombiningKind::OR, exceeds);
  Value no = arith::ConstantOp::create(b, b.getBoolAttr(false));
  any = LLVM::ExpectOp::create(b, any, no);

  SmallVector<Type> types(exponents.size(), rowType());
  auto choice = scf::IfOp::create(b, types, any, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, shifted);
  b.setInsertionPointToStart(choice.thenBlock());
  Value largest = reference;
  for (Value exponent : exponents)
    largest = larger(exponent, largest);
  store(largest, statisticTile, place, lane);
  emitLoweredSums(
      tile::Exp2Op::create(b, arith::SubFOp::create(b, reference, largest)),
      head, row);
  scf::YieldOp::create(b, lessReference(largest));
  return SmallVector<Value>(choice.getResults());
}

/// Multiplies all that was summed up for the lanes of `head`, the weights in
/// front of `row` too, by `factor`.
void OnlineTile::emitLoweredSums(Value factor, Value head, Value row) {
  Value lane = operands.place.lane;
  auto lower = [&](Value tile, Value at) {
    store(arith::MulFOp::create(b, load(tile, at, lane), factor), tile, at,
          lane);
  };
  for (Statistic which : {Partial, Sum, Lost})
    lower(statisticTile, statistic(head, which));
  Value slot = headSlot(head);
  Value output = at.mul(slot, valueFeatures);
  forEach(output, at.add(output, valueFeatures), 1,
          [&](Value each) { lower(outputTile, each); });
  Value weight = at.mul(slot, sizes.block);
  forEach(weight, at.add(weight, row), 1,
          [&](Value each) { lower(weightTile, each); });
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void mixattn::scheduleOnline(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<AttentionOpInterface>(kernel.getComputation());
  KernelOperands operands(kernel, sizes.lanes);
  Body body(op, operands);
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(operands.bufferOf(of.value), of.dim);
  };
  Value batches = sizeOf(op.getBatchDim());
  Value queries = sizeOf(op.getQueriesDim());
  Value keys = sizeOf(op.getKeysDim());

  // Whole tiles, then what is left over in tiles one row of lanes wide.
  TileSizes narrow = sizes;
  narrow.width = sizes.lanes;
  narrow.rows = sizes.rows * sizes.chunks();
  Value whole = at.div(queries, sizes.width);
  Value rest = at.rem(queries, sizes.width);
  Value tiles =
      at.add(whole, at.div(at.add(rest, sizes.lanes - 1), sizes.lanes));
  int64_t groups = body.isCoupled() ? 1 : op.getNumHeads();
  Value items = at.mul(at.mul(batches, groups), tiles);

  int64_t bytes = 0;
  for (const TileSizes &each : {sizes, narrow})
    bytes = std::max(bytes, OnlineTile::scratchBytes(op, body.numProducts(),
                                                     body.numChannels(), each));
  // Waking threads takes about as long as this many products.
  constexpr int64_t largeWork = 1 << 14;
  Value isLarge = at.compare(arith::CmpIPredicate::sgt,
                             at.mul(at.mul(batches, queries), keys), largeWork);
  emitThreads(b, items, isLarge, bytes,
              [&](ImplicitLocOpBuilder &b, Value item, Value scratch) {
                IndexMath at(b);
                // Tiles with more keys to see come first.
                Value tile = at.sub(at.sub(tiles, 1), at.rem(item, tiles));
                Value group = at.div(item, tiles);
                Value batch = at.div(group, groups);
                Value head = body.isCoupled() ? Value() : at.rem(group, groups);
                Value isWhole =
                    at.compare(arith::CmpIPredicate::slt, tile, whole);
                auto choice =
                    scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
                OpBuilder::InsertionGuard guard(b);
                b.setInsertionPointToStart(choice.thenBlock());
                OnlineTile(b, kernel, sizes, scratch)
                    .emit(batch, head, at.mul(tile, sizes.width),
                          at.value(sizes.width));
                b.setInsertionPointToStart(choice.elseBlock());
                Value first = at.add(at.mul(whole, sizes.width),
                                     at.mul(at.sub(tile, whole), narrow.width));
                OnlineTile(b, kernel, narrow, scratch)
                    .emit(batch, head, first,
                          at.min(at.sub(queries, first), narrow.width));
              });
  kernel.erase();
}
