// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads linalg on tensors as expressions of elements.

#include "passes/raise/ReadElement.h"

#include "dialect/attn/ScoreMod.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// The number that `attribute` holds, or none.
static std::optional<double> numberOf(Attribute attribute) {
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number)
    return std::nullopt;
  if (number.getType().isInteger(1))
    return number.getValue().isZero() ? 0 : 1;
  return double(number.getValue().getSExtValue());
}

bool mixattn::sumsSeveral(Value value, bool onlyProducts) {
  auto loops = value.getDefiningOp<linalg::LinalgOp>();
  if (!loops || loops.getNumReductionLoops() == 0)
    return false;
  bool isOne = llvm::all_of(loops.getDpsInputs(), [&](Value input) {
    return input == loops.getDpsInputs()[0];
  });
  bool multiplies = !loops.getBlock()->getOps<arith::MulFOp>().empty();
  return !isOne && (multiplies || !onlyProducts);
}

Ref ElementReader::read(Value tensor, ArrayRef<Place> places) {
  SmallVector<Place> flat;
  for (const Place &place : places)
    flat.push_back(make.atoms.flat(place));
  auto key = std::pair(tensor.getAsOpaquePointer(), flat);
  if (auto found = seen.find(key); found != seen.end())
    return found->second;
  Ref result = readView(tensor, places);
  if (!result && !stop(tensor, places))
    if (auto op = tensor.getDefiningOp<linalg::LinalgOp>())
      result = readLoops(op, places);
  if (!result)
    result = make.element(tensor, places);
  return seen[key] = result;
}

/// Whether `op` copies its only input.
static bool isCopy(linalg::LinalgOp op) {
  if (isa<linalg::TransposeOp, linalg::BroadcastOp>(op))
    return true;
  if (op.getNumDpsInputs() != 1 || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  return op.getBlock()->getTerminator()->getOperand(0) ==
         op.getBlock()->getArgument(0);
}

namespace {
/// Tensors of one size side by side along a dim.
struct Stack {
  int64_t dim;
  Size size;
  SmallVector<Value> parts;
};
} // namespace

/// The tensors that `tensor` has side by side, or none.
static std::optional<Stack> findStack(Value tensor) {
  Stack stack{-1, {}, {}};
  SmallVector<OpFoldResult> offsets;
  // The last one first.
  while (auto insert = tensor.getDefiningOp<tensor::InsertSliceOp>()) {
    RankedTensorType type = insert.getSourceType();
    if (!insert.hasUnitStride() || type.getRank() != insert.getType().getRank())
      return std::nullopt;
    std::optional<int64_t> along;
    SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (Size::of(insert.getDest(), dim) == Size::of(sizes[dim]))
        continue;
      if (along)
        return std::nullopt;
      along = dim;
    }
    if (!along || (stack.dim >= 0 && stack.dim != *along))
      return std::nullopt;
    Size size = Size::of(sizes[*along]);
    if (stack.dim >= 0 && !(size == stack.size))
      return std::nullopt;
    stack.dim = *along;
    stack.size = size;
    stack.parts.insert(stack.parts.begin(), insert.getSource());
    offsets.insert(offsets.begin(), insert.getMixedOffsets()[*along]);
    tensor = insert.getDest();
  }
  // An open size tells where the first two begin, and no more.
  if (stack.parts.empty() || (!stack.size.isStatic() && stack.parts.size() > 2))
    return std::nullopt;
  int64_t whole =
      cast<RankedTensorType>(tensor.getType()).getDimSize(stack.dim);
  if (stack.size.isStatic() &&
      whole != stack.size.number * int64_t(stack.parts.size()))
    return std::nullopt;
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    Size begin = stack.size.isStatic() ? Size::of(i * stack.size.number)
                 : i == 0              ? Size::of(0)
                                       : stack.size;
    if (!(Size::of(offset) == begin))
      return std::nullopt;
  }
  return stack;
}

Ref ElementReader::readView(Value tensor, ArrayRef<Place> places) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return nullptr;
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant)))
    if (std::optional<double> number = numberOf(constant))
      return make.number(*number, getElementTypeOrSelf(tensor));
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    if (!matchPattern(fill.getInputs()[0], m_Constant(&constant)))
      return nullptr;
    return make.number(*numberOf(constant), getElementTypeOrSelf(tensor));
  }
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? read(cast.getSource(), places)
               : nullptr;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    SmallVector<Place> joined;
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      Place &place = joined.emplace_back();
      for (int64_t dim : group)
        llvm::append_range(place, places[dim]);
    }
    return read(expand.getSrc(), joined);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    SmallVector<Place> apart(collapse.getSrcType().getRank());
    for (auto [group, place] :
         llvm::zip_equal(collapse.getReassociationIndices(), places)) {
      SmallVector<Size> sizes;
      for (int64_t dim : group)
        sizes.push_back(Size::of(collapse.getSrc(), dim));
      auto split = make.atoms.split(place, sizes);
      if (!split)
        return nullptr;
      for (auto [dim, part] : llvm::zip_equal(group, *split))
        apart[dim] = part;
    }
    return read(collapse.getSrc(), apart);
  }
  if (std::optional<Stack> stack = findStack(tensor)) {
    int64_t count = stack->parts.size();
    auto split =
        make.atoms.split(places[stack->dim], {Size::of(count), stack->size});
    if (!split || make.atoms.staticSize((*split)[0]) != count)
      return nullptr;
    SmallVector<Place> inner(places);
    inner[stack->dim] = (*split)[1];
    SmallVector<Ref> pieces;
    for (Value part : stack->parts)
      pieces.push_back(read(part, inner));
    return make.joinPieces((*split)[0], pieces);
  }
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  return loops && isCopy(loops) ? readLoops(loops, places) : nullptr;
}

Place ElementReader::placeOf(RankedTensorType type, unsigned dim,
                             const Place &place) const {
  return type.getDimSize(dim) != 1 || make.atoms.staticSize(place) == 1
             ? place
             : Place();
}

Ref ElementReader::readOperand(linalg::LinalgOp op, OpOperand &operand,
                               ArrayRef<Place> loops) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type) {
    Attribute constant;
    if (!matchPattern(operand.get(), m_Constant(&constant)))
      return nullptr;
    return make.number(*numberOf(constant), operand.get().getType());
  }
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Place> places;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop && type.getDimSize(dim) != 1)
      return nullptr;
    places.push_back(
        placeOf(type, dim, loop ? loops[loop.getPosition()] : Place()));
  }
  return read(operand.get(), places);
}

Ref ElementReader::readLoops(linalg::LinalgOp op, ArrayRef<Place> places) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return nullptr;
  OpOperand &init = *op.getDpsInitOperand(0);
  AffineMap resultMap = op.getMatchingIndexingMap(&init);
  if (!resultMap.isProjectedPermutation())
    return nullptr;
  SmallVector<Place> loops(op.getNumLoops());
  for (auto [expr, place] : llvm::zip_equal(resultMap.getResults(), places))
    loops[cast<AffineDimExpr>(expr).getPosition()] = place;
  // Loops that the result does not have.
  Place bound;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    if (resultMap.isFunctionOfDim(loop))
      continue;
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto dim = op.getMatchingIndexingMap(input).getResultPosition(
              getAffineDimExpr(loop, op.getContext()))) {
        loops[loop] = make.atoms.makePlace(Size::of(input->get(), *dim));
        llvm::append_range(bound, loops[loop]);
        break;
      }
  }
  bool sums = op.getNumReductionLoops() != 0;
  Block &body = *op.getBlock();
  Value yielded = body.getTerminator()->getOperand(0);
  DenseMap<Value, Ref> known;
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value argument = body.getArgument(input->getOperandNumber());
    if (argument.use_empty())
      continue;
    Ref read = readOperand(op, *input, loops);
    if (!read)
      return nullptr;
    known[argument] = read;
  }
  Value before = body.getArgument(init.getOperandNumber());
  if (!sums) {
    if (!before.use_empty()) {
      Ref read = readOperand(op, init, loops);
      if (!read)
        return nullptr;
      known[before] = read;
    }
    return readScalar(op, yielded, loops, known);
  }
  // One step of a sum, of a maximum or of a search, with what was there before.
  Operation *step = yielded.getDefiningOp();
  if (!step || !before.hasOneUse() ||
      !isa<arith::AddFOp, arith::MaximumFOp, arith::MaxNumFOp, arith::OrIOp>(
          step) ||
      !llvm::is_contained(step->getOperands(), before))
    return nullptr;
  Ref first = readOperand(op, init, loops);
  Ref next =
      readScalar(op, step->getOperand(step->getOperand(0) == before ? 1 : 0),
                 loops, known);
  if (!first || !next)
    return nullptr;
  if (isa<arith::AddFOp>(step))
    return make.sum({first, make.total(next, bound)}, next->type);
  if (isa<arith::OrIOp>(step))
    return first->isNumber(0) && next->type.isInteger(1) ? make.any(next, bound)
                                                         : nullptr;
  if (!first->isNumber(-std::numeric_limits<double>::infinity()))
    return nullptr;
  return make.largest(next, bound);
}

Ref ElementReader::readScalar(linalg::LinalgOp op, Value value,
                              ArrayRef<Place> loops,
                              DenseMap<Value, Ref> &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *made = value.getDefiningOp();
  if (!made)
    return nullptr;
  auto remember = [&](Ref ref) { return known[value] = ref; };
  Attribute constant;
  if (matchPattern(made, m_Constant(&constant))) {
    std::optional<double> number = numberOf(constant);
    return number ? remember(make.number(*number, value.getType())) : nullptr;
  }
  // Numbers computed around the loops, such as sizes.
  if (!op->isProperAncestor(made))
    return nullptr;
  if (auto index = dyn_cast<linalg::IndexOp>(made))
    return remember(make.position(loops[index.getDim()], value.getType()));
  if (auto pick = dyn_cast<tensor::ExtractOp>(made))
    return remember(readPick(op, pick, loops, known));
  SmallVector<Ref> operands;
  for (Value operand : made->getOperands()) {
    Ref read = readScalar(op, operand, loops, known);
    if (!read)
      return nullptr;
    operands.push_back(read);
  }
  return remember(readOp(made, operands));
}

Ref ElementReader::readPick(linalg::LinalgOp op, tensor::ExtractOp pick,
                            ArrayRef<Place> loops,
                            DenseMap<Value, Ref> &known) {
  RankedTensorType type = pick.getTensor().getType();
  SmallVector<Place> places;
  for (auto [dim, operand] : llvm::enumerate(pick.getIndices())) {
    Ref index = readScalar(op, operand, loops, known);
    bool isPosition = index && index->is(Kind::Position);
    if (!isPosition && (!index || type.getDimSize(dim) != 1))
      break;
    places.push_back(
        placeOf(type, dim, isPosition ? index->places[0] : Place()));
  }
  if (int64_t(places.size()) == type.getRank())
    return read(pick.getTensor(), places);
  auto [found, isNew] = make.picks.try_emplace(pick);
  if (isNew)
    found->second = pickOutside(op, pick);
  if (!found->second)
    return nullptr;
  auto at = llvm::map_to_vector(found->second->loops,
                                [&](unsigned loop) { return loops[loop]; });
  return make.element(found->second->tensor, at);
}

Ref ElementReader::readOp(Operation *op, ArrayRef<Ref> operands) {
  if (op->getNumResults() != 1)
    return nullptr;
  Type type = op->getResult(0).getType();
  auto isWide = [](Type type) {
    return isa<FloatType>(type) && type.getIntOrFloatBitWidth() > 32;
  };
  if (isWide(type) || llvm::any_of(op->getOperandTypes(), isWide))
    return nullptr;
  Ref minusOne = make.number(-1, type);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return operands[0];
  if (isa<arith::AddFOp>(op))
    return make.sum(operands, type);
  if (isa<arith::SubFOp>(op))
    return make.sum({operands[0], make.product({minusOne, operands[1]}, type)},
                    type);
  if (isa<arith::NegFOp>(op))
    return make.product({minusOne, operands[0]}, type);
  if (isa<arith::MulFOp>(op))
    return make.product(operands, type);
  if (isa<arith::DivFOp>(op))
    return make.product({operands[0], make.reciprocal(operands[1])}, type);
  return isScoreModElementwise(op) ? make.apply(op, operands) : nullptr;
}
