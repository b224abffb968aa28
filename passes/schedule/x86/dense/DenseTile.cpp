// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk of a tile over the terms of its sums.

#include "passes/schedule/x86/dense/DenseTile.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

/// The left side, where it lies in memory.
static std::optional<DenseOperand> findLeft(KernelOp kernel,
                                            const Contraction &op) {
  if (!isa<BlockArgument>(op.left))
    return std::nullopt;
  return DenseOperand(kernel.getOperandOf(op.left), op.leftMap);
}

/// Buffers that know the sizes of all loops, the right side last.
SmallVector<DenseOperand> DenseTile::makeSides(KernelOp kernel,
                                               const Contraction &op) {
  std::optional<DenseOperand> left = findLeft(kernel, op);
  return {left ? *left : DenseOperand(kernel.getOutputs()[0], op.resultMap),
          DenseOperand(kernel.getOperandOf(op.right), op.rightMap)};
}

DenseTile::DenseTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                     const Contraction &op, const TileSizes &sizes,
                     Scratch &scratch)
    : DensePanel(b, sizes, scratch, makeSides(kernel, op), op.depths, op.lanes,
                 arePairsOf(op, sizes), termsOfPiece(op, sizes)),
      kernel(kernel), op(op), left(findLeft(kernel, op)),
      target(kernel.getOutputs()[0], op.resultMap), leftSide(chooseLeftSide()),
      panels(countPanels()) {}

static bool areOfBf16(const Contraction &op) {
  auto isBf16 = [](Value side) { return getElementTypeOrSelf(side).isBF16(); };
  return isBf16(op.left) && isBf16(op.right);
}

bool DenseTile::isAmxOf(const Contraction &op, const TileSizes &sizes) {
  return sizes.hasAmx && areOfBf16(op);
}

bool DenseTile::arePairsOf(const Contraction &op, const TileSizes &sizes) {
  return (sizes.hasPairs || sizes.hasAmx) && areOfBf16(op);
}

int64_t DenseTile::termsOfPiece(const Contraction &op, const TileSizes &sizes) {
  // AMX adds up less at a time, and a longer piece moves its sums less often.
  constexpr int64_t amxPiece = 256;
  return isAmxOf(op, sizes) ? amxPiece : usualPiece;
}

int64_t DenseTile::countPanels() {
  // Of more terms, pieces of two panels push left rows out of the first cache
  // more often than results are written.
  constexpr int64_t most = 2, mostTerms = 1024;
  std::optional<int64_t> known = getConstantIntValue(sizeOf(op.lanes)),
                         terms = getConstantIntValue(sizeOf(op.depths));
  bool areSquares = isAmx() && sizes.width == 2 * tile::amxSide;
  bool areFew = known && terms && *terms <= mostTerms;
  return areSquares && areFew && *known % (most * sizes.width) == 0 ? most : 1;
}

DenseTile::LeftSide DenseTile::chooseLeftSide() {
  if (!left)
    return LeftSide::Held;
  // Numbers of 16 bits are converted once, not for each panel.
  if (!left->getElementType().isF32() && !arePairs)
    return LeftSide::Held;
  if (left->isEven(op.rows) && left->isContiguous(op.depths)) {
    // The last number of an odd row has no other to make a pair with, and rows
    // of AMX come in whole squares.
    std::optional<int64_t> depth = getConstantIntValue(sizeOf(op.depths));
    if (!arePairs || (depth && *depth % (isAmx() ? tile::amxTerms : 2) == 0))
      return LeftSide::Rows;
  }
  if (!arePairs && left->isEven(op.depths) && left->isContiguous(op.rows))
    return LeftSide::Terms;
  return isAmx() ? LeftSide::Held : LeftSide::Copied;
}

bool DenseTile::hasRowsOfLanes() const {
  return right.isEven(op.depths) && right.isContiguous(op.lanes);
}

bool DenseTile::canReadRight() const {
  // Numbers of 16 bits are widened each time that a block of rows reads them.
  return hasRowsOfLanes() &&
         (right.getElementType().isF32() || sizes.rows == 1);
}

void DenseTile::takeScratch() {
  sumTile = takeMatrix(mostRowsOf(sizes), countLanes());
  pieces.clear();
  for (int64_t i = 0; i < panels; ++i)
    pieces.push_back(takePanel());
  Type copied = arePairs ? b.getBF16Type() : Type();
  if (leftSide == LeftSide::Copied)
    leftTile = takeMatrix(mostRowsOf(sizes), piece, copied);
  else if (leftSide == LeftSide::Terms ||
           (leftSide == LeftSide::Rows && isAmx()))
    leftTile = takeMatrix(sizes.rows, piece, copied);
}

Value DenseTile::arePanelsThere() {
  Value panels = kernel.getPanels();
  if (!panels)
    return {};
  // Tiles of one row may be of another width, or take no pairs: they read rows
  // as they lie.
  auto type = cast<MemRefType>(panels.getType());
  int64_t width = arePairs ? 2 * sizes.width : sizes.width;
  if (type.getDimSize(2) != width || type.getElementType().isBF16() != arePairs)
    return {};
  return at.compare(arith::CmpIPredicate::sgt,
                    b.createOrFold<memref::DimOp>(panels, 0), 0);
}

/// Asks memory for a part of the right side's next piece, after the one of
/// `count` terms from `first` on, or of the next tile's first one: its rows are
/// far from each other, and no hardware guesses them. Each block of rows asks
/// for its share.
void DenseTile::prefetch(Value row, Value first, Value count) {
  if (sizes.rows == 1 || areSumsWhole || !right.isEven(op.depths) ||
      !right.isContiguous(op.lanes))
    return;
  Value matrix = right.makeMatrix(b, op.depths, op.lanes, batch);
  Value blocks = at.div(at.add(here, sizes.rows - 1), sizes.rows);
  Value share = at.div(at.add(at.sub(blocks, 1), piece), blocks);
  Value after = at.add(first, count), depth = sizeOf(op.depths);
  Value isLast = at.compare(arith::CmpIPredicate::sge, after, depth);
  auto choose = [&](Value next, Value here) {
    return b.createOrFold<arith::SelectOp>(isLast, next, here);
  };
  Value next = at.add(choose(at.value(0), after),
                      at.mul(at.div(row, sizes.rows), share));
  Value lane = choose(at.add(firstLane, countLanes()), firstLane);
  // Panels that are there are read in turn: hardware guesses that.
  Value end = at.min(at.add(next, share), depth);
  if (Value areThere = arePanelsThere())
    end = b.createOrFold<arith::SelectOp>(areThere, next, end);
  forEach(next, end, 1,
          [&](Value term) { emitPrefetch(matrix, term, lane, countLanes()); });
}

/// Whether code asks for what comes next of the right side: it leaves the
/// second cache. AMX waits for its squares rather than for memory.
bool DenseTile::leavesCache() {
  std::optional<int64_t> terms = getConstantIntValue(sizeOf(op.depths)),
                         known = getConstantIntValue(sizeOf(op.lanes));
  return sizes.rows > 1 && !isAmx() && sizes.mostUnasked && terms && known &&
         *terms * *known * (arePairs ? 2 : 4) > sizes.mostUnasked;
}

/// The same where the kernel's panels are there: what comes next follows them.
void DenseTile::prefetchPanels(Value row, Value first, Value count) {
  Value areThere = arePanelsThere();
  if (!areThere || !leavesCache())
    return;
  Value blocks = at.div(at.add(here, sizes.rows - 1), sizes.rows);
  Value read = rowOf(count);
  Value share = at.div(at.add(at.sub(blocks, 1), read), blocks);
  Value next = at.mul(at.div(row, sizes.rows), share);
  // Few rows ask in their products, or read little by little: hardware guesses
  // that.
  constexpr int64_t fewestRows = 48;
  Value asks = b.createOrFold<arith::AndIOp>(
      areThere, at.compare(arith::CmpIPredicate::sge, here, fewestRows));
  Value end = b.createOrFold<arith::SelectOp>(asks, at.add(next, share), next);
  Value piece = pieceOf(kernel.getPanels(), number, at.add(rowOf(first), read));
  int64_t width = arePairs ? 2 * sizes.width : sizes.width;
  forEach(next, end, 1,
          [&](Value row) { emitPrefetch(piece, row, at.value(0), width); });
}

/// Whether products of the tile ask for the terms after theirs while they
/// multiply: those of few rows, which what is asked for at once would keep
/// waiting. Hardware reads ahead for the first block of rows alone. Null where
/// they never do.
Value DenseTile::asksInProducts() {
  if (!leavesCache() || arePairs || areSumsWhole ||
      *getConstantIntValue(sizeOf(op.depths)) > mostAskedTerms)
    return {};
  // Few rows alone read what lies as it does.
  static_assert(fewRows <= mostAskingRows);
  Value rows = isPacked ? here : at.value(fewRows);
  return at.compare(arith::CmpIPredicate::sle, rows, mostAskingRows);
}

/// Clears terms of `panel` after `count` of them, up to a whole step of AMX.
void DenseTile::clearTerms(Value panel, Value count) {
  std::optional<int64_t> depth = getConstantIntValue(sizeOf(op.depths));
  if (!isAmx() || (depth && *depth % tile::amxTerms == 0))
    return;
  auto type = VectorType::get({2 * sizes.lanes}, b.getBF16Type());
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value end = at.mul(at.div(at.add(count, tile::amxTerms - 1), tile::amxTerms),
                     tile::amxTerms / 2);
  forEach(at.div(at.add(count, 1), 2), end, 1, [&](Value pair) {
    forEachLane([&](Value lane) {
      vector::StoreOp::create(b, none, panel,
                              ValueRange{pair, at.mul(lane, 2)});
    });
  });
}

/// `count` terms from `first` on of panel `which` of the tile, as products take
/// them.
Value DenseTile::takePiece(int64_t which, Value first, Value count) {
  Value lane = at.add(firstLane, which * sizes.width);
  if (!isPacked) {
    Value matrix = right.makeMatrix(b, op.depths, op.lanes, batch);
    return partOf(matrix, first, lane, b.getIndexAttr(piece),
                  b.getIndexAttr(sizes.width));
  }
  auto pack = [&] {
    emitPanel(batch, lane, pieces[which], first, count);
    clearTerms(pieces[which], count);
    return pieces[which];
  };
  Value areThere = arePanelsThere();
  if (!areThere)
    return pack();
  Value there =
      pieceOf(kernel.getPanels(), at.add(number, which), rowOf(first));
  auto choice =
      scf::IfOp::create(b, there.getType(), areThere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, there);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(
      b, Value(memref::CastOp::create(b, there.getType(), pack())));
  return choice.getResult(0);
}

/// Adds the products of `count` terms from `first` on to the sums, which are
/// stored after the last ones.
void DenseTile::emitPiece(Value first, Value count) {
  lanes.clear();
  for (int64_t i = 0; i < panels; ++i)
    lanes.push_back(takePiece(i, first, count));
  if (leftSide == LeftSide::Copied)
    emitLeft(first, count, at.value(0), here);
  Value isLast = at.compare(arith::CmpIPredicate::sge, at.add(first, count),
                            sizeOf(op.depths));
  forEach(0, here, sizes.rows, [&](Value row) {
    if (!asksNext) {
      prefetch(row, first, count);
      if (isPacked)
        prefetchPanels(row, first, count);
    }
    emitProducts(row, first, count);
    if (matchPattern(isLast, m_One()))
      return emitResults(row, at.min(at.add(row, sizes.rows), here));
    auto choice = scf::IfOp::create(b, isLast);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    emitResults(row, at.min(at.add(row, sizes.rows), here));
  });
}

/// The terms from `begin` to before `end`, `step` of them at a time.
void DenseTile::emitPieces(Value begin, Value end, int64_t step) {
  Value depth = sizeOf(op.depths);
  forEach(begin, end, step, [&](Value first) {
    emitPiece(first, at.min(at.sub(depth, first), step));
  });
}

void DenseTile::emit(const Place &place, Value panelNumber, Value row,
                     Value lane, Value rows, bool packs) {
  takeScratch();
  isPacked = packs;
  batch = place;
  number = panelNumber;
  firstRow = row;
  firstLane = lane;
  here = at.min(at.sub(sizeOf(op.rows), row), rows);
  Value depth = sizeOf(op.depths);
  std::optional<int64_t> known = getConstantIntValue(depth);
  areSumsWhole = known && *known <= piece;
  // Products by AMX begin with zeros in registers: what other code stores keeps
  // its loads waiting.
  sumsBegin = areSumsWhole || isAmx();
  Value begin = at.value(0), end = depth;
  if (sumsBegin) {
    emitPiece(begin, at.min(depth, piece));
    if (areSumsWhole)
      return;
    sumsBegin = false;
    begin = at.value(piece);
  } else {
    forEach(0, here, 1, [&](Value each) {
      forEachLane([&](Value lane) { store(splat(0), sumTile, each, lane); });
    });
    // Sums of no terms are stored, too.
    end = at.max(depth, 1);
  }
  Value asks = asksInProducts();
  if (!asks)
    return emitPieces(begin, end, piece);
  asksNext = true;
  if (matchPattern(asks, m_One()))
    return emitPieces(begin, end, askedPiece);
  auto choice = scf::IfOp::create(b, asks, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  emitPieces(begin, end, askedPiece);
  b.setInsertionPointToStart(choice.elseBlock());
  asksNext = false;
  emitPieces(begin, end, piece);
}
