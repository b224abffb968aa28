// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How integers that loops compute follow from their places.

#include "passes/raise/PlacedReader.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

/// Steps after which nothing more is understood: a graph may read one tensor by
/// more ways than there is time for.
static constexpr int64_t mostSteps = 4096;

/// The bits of an integer, or none where it is no integer of at most 64 bits.
static std::optional<unsigned> widthOf(Type type) {
  if (type.isIndex())
    return 64;
  if (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64)
    return type.getIntOrFloatBitWidth();
  return std::nullopt;
}

/// `number` as a type of `width` bits holds it.
static int64_t wrap(int64_t number, unsigned width) {
  return width == 1 ? number & 1 : llvm::SignExtend64(uint64_t(number), width);
}

PlacedInteger PlacedReader::extentOf(linalg::LinalgOp op, unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, op->getContext());
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      if (auto place =
              op.getMatchingIndexingMap(&operand).getResultPosition(dim))
        return integers.size(Size::of(operand.get(), *place));
  return integers.unknown({});
}

PlacedInteger PlacedReader::read(Value tensor, ArrayRef<PlacedInteger> places) {
  Operation *op = tensor.getDefiningOp();
  PlacedInteger other = integers.unknown(places);
  other.argument = dyn_cast<BlockArgument>(tensor);
  if (!op || !widthOf(getElementTypeOrSelf(tensor)) || ++steps > mostSteps)
    return other;
  if (std::optional<PlacedInteger> viewed = readView(op, places))
    return *viewed;
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  return loops ? readLoops(loops, places) : other;
}

PlacedInteger PlacedReader::readLoops(linalg::LinalgOp op,
                                      ArrayRef<PlacedInteger> places) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return integers.unknown(places);
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!map.isProjectedPermutation())
    return integers.unknown(places);
  SmallVector<PlacedInteger> loops(op.getNumLoops());
  for (auto [expr, place] : llvm::zip_equal(map.getResults(), places))
    loops[cast<AffineDimExpr>(expr).getPosition()] = place;
  SmallVector<unsigned> bound;
  for (auto [i, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isBound = !map.isFunctionOfDim(i);
    if (isBound != (type == utils::IteratorType::reduction))
      return integers.unknown(places);
    if (!isBound)
      continue;
    bound.push_back(integers.addIndex(extentOf(op, i)));
    loops[i] = integers.variable(bound.back());
  }
  if (!bound.empty())
    return readSum(op, read(init->get(), places), loops, bound);
  Known known;
  return readScalar(op, op.getBlock()->getTerminator()->getOperand(0), loops,
                    known);
}

PlacedInteger PlacedReader::readSum(linalg::LinalgOp op,
                                    const PlacedInteger &first,
                                    ArrayRef<PlacedInteger> loops,
                                    ArrayRef<unsigned> bound) {
  // One step of the sum, with what was there before.
  Block &body = *op.getBlock();
  OpOperand *init = op.getDpsInitOperand(0);
  Value before = body.getArgument(init->getOperandNumber());
  Operation *step = body.getTerminator()->getOperand(0).getDefiningOp();
  PlacedInteger other = integers.unknown(loops);
  if (!step || step->getNumOperands() != 2 || !before.hasOneUse() ||
      !llvm::is_contained(step->getOperands(), before))
    return other;
  Value added = step->getOperand(step->getOperand(0) == before ? 1 : 0);
  Known known;
  PlacedInteger each = readScalar(op, added, loops, known);
  // Taking in what is there already changes nothing.
  if (isa<arith::OrIOp, arith::AndIOp, arith::MaxSIOp, arith::MinSIOp>(step))
    return first.isSame(each) ? first : other;
  if (!isa<arith::AddIOp>(step))
    return other;
  if (each.isNumber(0))
    return first;
  if (bound.size() != 1)
    return other;
  std::optional<PlacedInteger> total;
  if (!each.hasOthers && !each.dependsOn(bound[0]))
    total = integers.product(each, integers.extentOf(bound[0]));
  auto select = added.getDefiningOp<arith::SelectOp>();
  auto condition =
      select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!total && condition) {
    PlacedInteger yes = readScalar(op, select.getTrueValue(), loops, known),
                  no = readScalar(op, select.getFalseValue(), loops, known);
    std::optional<PlacedInteger> times =
        count(op, condition, loops, bound[0], known);
    if (times && yes.isNumber() && no.isNumber(0))
      total = integers.product(yes, *times);
  }
  if (!total || total->hasOthers)
    return other;
  return integers.sum(first, *total);
}

std::optional<PlacedInteger> PlacedReader::count(linalg::LinalgOp op,
                                                 arith::CmpIOp condition,
                                                 ArrayRef<PlacedInteger> loops,
                                                 unsigned bound, Known &known) {
  using P = arith::CmpIPredicate;
  P predicate = condition.getPredicate();
  PlacedInteger left = readScalar(op, condition.getLhs(), loops, known),
                right = readScalar(op, condition.getRhs(), loops, known);
  unsigned width = widthOf(condition.getLhs().getType()).value_or(0);
  if (width == 0 || !integers.fits(left, width) || !integers.fits(right, width))
    return std::nullopt;
  // As: last is at least 0.
  bool isUp = predicate == P::sgt || predicate == P::sge;
  bool isStrict = predicate == P::sgt || predicate == P::slt;
  if (!isUp && predicate != P::sle && predicate != P::slt)
    return std::nullopt;
  PlacedInteger last =
      isUp ? integers.sum(left, right, -1) : integers.sum(right, left, -1);
  if (isStrict)
    last = integers.sum(last, integers.number(-1));
  const PlacedInteger extent = integers.extentOf(bound);
  PlacedInteger rest = integers.replace(last, bound, integers.number(0)), times;
  if (last.factor(bound) == -1)
    times = integers.sum(rest, integers.number(1));
  else if (last.factor(bound) == 1)
    times = integers.sum(extent, rest);
  else
    return std::nullopt;
  // From none to all of the indices.
  bool isWithin = integers.isAtLeastZero(times) &&
                  integers.isAtLeastZero(integers.sum(extent, times, -1));
  return isWithin ? std::optional(times) : std::nullopt;
}

PlacedInteger PlacedReader::readScalar(linalg::LinalgOp op, Value value,
                                       ArrayRef<PlacedInteger> loops,
                                       Known &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto remember = [&](PlacedInteger number) { return known[value] = number; };
  std::optional<unsigned> width = widthOf(value.getType());
  if (!width)
    return integers.unknown(loops);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return remember(integers.number(wrap(constant.getSExtValue(), *width)));
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBlock()) {
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (!isa<RankedTensorType>(operand.get().getType()))
      return remember(readScalar(op, operand.get(), loops, known));
    // It is the sum so far, which follows from no index.
    if (op.isDpsInit(&operand) && op.getNumReductionLoops() != 0)
      return remember(integers.unknown(loops));
    SmallVector<PlacedInteger> inner;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        inner.push_back(loops[dim.getPosition()]);
      else
        return remember(integers.unknown(loops));
    return remember(read(operand.get(), inner));
  }
  Operation *inside = value.getParentRegion()->getParentOp();
  // A number from elsewhere is the same at all places.
  if (inside != op && !op->isProperAncestor(inside))
    return remember(value.getType().isIndex() ? integers.size(Size::of(value))
                                              : integers.unknown({}));
  if (!value.getDefiningOp() || ++steps > mostSteps)
    return integers.unknown(loops);
  return remember(readOp(op, value.getDefiningOp(), loops, known));
}

PlacedInteger PlacedReader::readOp(linalg::LinalgOp op, Operation *made,
                                   ArrayRef<PlacedInteger> loops,
                                   Known &known) {
  if (auto index = dyn_cast<linalg::IndexOp>(made))
    return loops[index.getDim()];
  SmallVector<PlacedInteger> operands;
  auto extract = dyn_cast<tensor::ExtractOp>(made);
  for (Value operand : extract ? ValueRange(extract.getIndices())
                               : ValueRange(made->getOperands()))
    operands.push_back(readScalar(op, operand, loops, known));
  if (extract)
    return read(extract.getTensor(), operands);
  // Regions read what they like.
  if (made->getNumResults() != 1 || made->getNumRegions() != 0)
    return integers.unknown(loops);
  PlacedInteger result = compute(made, operands);
  unsigned width = *widthOf(made->getResult(0).getType());
  return result.isNumber() ? integers.number(wrap(result.constant, width))
                           : result;
}

/// `integer`, which a type of `width` bits holds, in a wider one.
PlacedInteger PlacedReader::extend(const PlacedInteger &integer,
                                   unsigned width) {
  if (integer.isNumber() && width == 1)
    return integers.number(-integer.constant);
  return integer.hasOthers || integers.fits(integer, width)
             ? integer
             : integers.unknown({integer});
}

PlacedInteger PlacedReader::compute(Operation *op,
                                    ArrayRef<PlacedInteger> operands) {
  auto other = [&] { return integers.unknown(operands); };
  // Of the operands, or of the last two.
  std::optional<unsigned> width =
      op->getNumOperands() ? widthOf(op->getOperands().back().getType())
                           : std::nullopt;
  if (!width)
    return other();
  if (isa<arith::AddIOp>(op))
    return integers.sum(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op))
    return integers.sum(operands[0], operands[1], -1);
  if (isa<arith::MulIOp>(op))
    return integers.product(operands[0], operands[1]);
  if (isa<arith::TruncIOp>(op))
    return operands[0];
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op)) {
    bool isWider = *widthOf(op->getResult(0).getType()) > *width;
    return isWider ? extend(operands[0], *width) : operands[0];
  }
  // Numbers at least 0 are extended alike.
  if (isa<arith::ExtUIOp>(op))
    return operands[0].isNumber() && operands[0].constant >= 0 ? operands[0]
                                                               : other();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    std::optional<bool> holds = integers.compare(
        compare.getPredicate(), operands[0], operands[1], *width);
    return holds ? integers.number(*holds) : other();
  }
  if (isa<arith::SelectOp>(op)) {
    if (operands[0].isNumber())
      return operands[operands[0].constant != 0 ? 1 : 2];
    return operands[1].isSame(operands[2]) ? operands[1] : other();
  }
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op)) {
    std::optional<bool> isFirst =
        integers.compare(isa<arith::MaxSIOp>(op) ? arith::CmpIPredicate::sge
                                                 : arith::CmpIPredicate::sle,
                         operands[0], operands[1], *width);
    return isFirst ? operands[*isFirst ? 0 : 1] : other();
  }
  // Bits that decide alone, and bits of numbers.
  bool areNumbers = llvm::all_of(
      operands, [](const PlacedInteger &each) { return each.isNumber(); });
  auto isAny = [&](int64_t number) {
    return llvm::any_of(operands, [&](const PlacedInteger &each) {
      return each.isNumber(number);
    });
  };
  int64_t ones = *width == 1 ? 1 : -1;
  if (isa<arith::AndIOp>(op) && (areNumbers || isAny(0)))
    return integers.number(
        isAny(0) ? 0 : operands[0].constant & operands[1].constant);
  if (isa<arith::OrIOp>(op) && (areNumbers || isAny(ones)))
    return integers.number(
        isAny(ones) ? ones : operands[0].constant | operands[1].constant);
  if (isa<arith::XOrIOp>(op) && areNumbers)
    return integers.number(operands[0].constant ^ operands[1].constant);
  return other();
}

SmallVector<PlacedInteger> PlacedReader::addIndices(unsigned count) {
  SmallVector<PlacedInteger> indices;
  for (unsigned i = 0; i < count; ++i)
    indices.push_back(integers.variable(integers.addIndex({})));
  return indices;
}

PlacedInteger mixattn::readPlaced(Value tensor) {
  PlacedReader reader;
  unsigned rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<PlacedInteger> places = reader.addIndices(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    reader.integers.setExtent(dim, reader.integers.size(Size::of(tensor, dim)));
  PlacedInteger result = reader.read(tensor, places);
  for (unsigned i = rank; i < result.factors.size(); ++i)
    result.hasOthers |= result.factors[i] != 0;
  result.factors.resize(rank, 0);
  result.others.resize(rank);
  return result;
}
