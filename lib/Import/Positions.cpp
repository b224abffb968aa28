// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How integers of a module that is built follow from their places.
#include "lib/Import/Positions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

/// Steps after which nothing more is understood: a graph may read one tensor by
/// more ways than there is time for.
static constexpr int64_t mostSteps = 4096;

bool PlacedInteger::isIndex(int64_t dim) const {
  if (hasOthers || constant != 0)
    return false;
  for (auto [other, factor] : llvm::enumerate(factors))
    if (factor != (int64_t(other) == dim))
      return false;
  return true;
}

namespace {

class PlacedReader {
public:
  explicit PlacedReader(unsigned rank) : rank(rank) {}

  PlacedInteger number(int64_t constant) const {
    PlacedInteger result;
    result.factors.assign(rank, 0);
    result.others.resize(rank);
    result.constant = constant;
    return result;
  }
  PlacedInteger index(unsigned dim) const {
    PlacedInteger result = number(0);
    result.factors[dim] = 1;
    return result;
  }
  /// The element of `tensor` at these indices.
  PlacedInteger read(Value tensor, ArrayRef<PlacedInteger> places);

private:
  using Known = DenseMap<Value, PlacedInteger>;
  PlacedInteger unknown(ArrayRef<PlacedInteger> parts) const;
  PlacedInteger sum(const PlacedInteger &a, const PlacedInteger &b,
                    int64_t sign) const;
  PlacedInteger product(const PlacedInteger &a, const PlacedInteger &b) const;
  PlacedInteger readLoops(linalg::LinalgOp op, ArrayRef<PlacedInteger> places);
  PlacedInteger readScalar(linalg::LinalgOp op, Value value,
                           ArrayRef<PlacedInteger> loops, Known &known);
  PlacedInteger readOp(linalg::LinalgOp op, Operation *made,
                       ArrayRef<PlacedInteger> loops, Known &known);

  unsigned rank;
  int64_t steps = 0;
};

} // namespace

/// An integer that may change with all dims that `parts` change with.
PlacedInteger PlacedReader::unknown(ArrayRef<PlacedInteger> parts) const {
  PlacedInteger result = number(0);
  result.hasOthers = true;
  for (const PlacedInteger &part : parts) {
    result.others |= part.others;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (part.factors[dim] != 0)
        result.others.set(dim);
  }
  return result;
}

PlacedInteger PlacedReader::sum(const PlacedInteger &a, const PlacedInteger &b,
                                int64_t sign) const {
  PlacedInteger result = a;
  bool overflows = false;
  auto add = [&](int64_t &to, int64_t from) {
    int64_t part;
    overflows |=
        llvm::MulOverflow(sign, from, part) || llvm::AddOverflow(to, part, to);
  };
  for (unsigned dim = 0; dim < rank; ++dim)
    add(result.factors[dim], b.factors[dim]);
  add(result.constant, b.constant);
  if (overflows)
    return unknown({a, b});
  result.hasOthers |= b.hasOthers;
  result.others |= b.others;
  if (b.hasOthers)
    result.argument = a.hasOthers || sign != 1 ? BlockArgument() : b.argument;
  return result;
}

PlacedInteger PlacedReader::product(const PlacedInteger &a,
                                    const PlacedInteger &b) const {
  auto isNumber = [](const PlacedInteger &each) {
    return !each.hasOthers &&
           llvm::all_of(each.factors, [](int64_t each) { return each == 0; });
  };
  if (!isNumber(a) && !isNumber(b))
    return unknown({a, b});
  const PlacedInteger &factor = isNumber(a) ? a : b;
  return sum(number(0), isNumber(a) ? b : a, factor.constant);
}

/// The indices of the dims of one side of a reshape from those of the other;
/// none where dims are joined or split. Dims of size 1 have the index 0.
static std::optional<SmallVector<int64_t>>
dimsAcross(ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims;
  for (const ReassociationIndices &group : groups) {
    int64_t own = -1;
    for (int64_t dim : group) {
      if (shape[dim] == 1)
        continue;
      if (own >= 0)
        return std::nullopt;
      own = dim;
    }
    dims.push_back(own);
  }
  return dims;
}

PlacedInteger PlacedReader::read(Value tensor, ArrayRef<PlacedInteger> places) {
  Operation *op = tensor.getDefiningOp();
  PlacedInteger other = unknown(places);
  other.argument = dyn_cast<BlockArgument>(tensor);
  if (!op || ++steps > mostSteps)
    return other;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto dims = dimsAcross(expand.getReassociationIndices(),
                           expand.getResultType().getShape());
    if (!dims)
      return other;
    SmallVector<PlacedInteger> inner;
    for (int64_t dim : *dims)
      inner.push_back(dim < 0 ? number(0) : places[dim]);
    return read(expand.getSrc(), inner);
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto dims = dimsAcross(collapse.getReassociationIndices(),
                           collapse.getSrcType().getShape());
    if (!dims)
      return other;
    SmallVector<PlacedInteger> inner(collapse.getSrcType().getRank(),
                                     number(0));
    for (auto [place, dim] : llvm::zip_equal(places, *dims))
      if (dim >= 0)
        inner[dim] = place;
    return read(collapse.getSrc(), inner);
  }
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  return loops ? readLoops(loops, places) : other;
}

PlacedInteger PlacedReader::readLoops(linalg::LinalgOp op,
                                      ArrayRef<PlacedInteger> places) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return unknown(places);
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!map.isPermutation())
    return unknown(places);
  SmallVector<PlacedInteger> loops(places);
  for (auto [expr, place] : llvm::zip_equal(map.getResults(), places))
    loops[cast<AffineDimExpr>(expr).getPosition()] = place;
  Known known;
  return readScalar(op, op.getBlock()->getTerminator()->getOperand(0), loops,
                    known);
}

PlacedInteger PlacedReader::readScalar(linalg::LinalgOp op, Value value,
                                       ArrayRef<PlacedInteger> loops,
                                       Known &known) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto remember = [&](PlacedInteger number) {
    known[value] = number;
    return number;
  };
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) &&
      constant.getSignificantBits() <= 64)
    return remember(number(constant.getSExtValue()));
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument && argument.getOwner() == op.getBlock()) {
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (!isa<RankedTensorType>(operand.get().getType()))
      return remember(readScalar(op, operand.get(), loops, known));
    SmallVector<PlacedInteger> inner;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        inner.push_back(loops[dim.getPosition()]);
      else
        return remember(unknown(loops));
    return remember(read(operand.get(), inner));
  }
  Operation *made = value.getDefiningOp();
  // A number from elsewhere is the same at all places.
  if (!made || !op->isProperAncestor(made))
    return remember(unknown({}));
  if (++steps > mostSteps)
    return unknown(loops);
  return remember(readOp(op, made, loops, known));
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
  // Narrow types do not hold all positions of a tensor.
  if (made->getResult(0).getType().isSignlessInteger() &&
      made->getResult(0).getType().getIntOrFloatBitWidth() < 32)
    return unknown(operands);
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(made))
    return operands[0];
  if (isa<arith::AddIOp>(made))
    return sum(operands[0], operands[1], 1);
  if (isa<arith::SubIOp>(made))
    return sum(operands[0], operands[1], -1);
  if (isa<arith::MulIOp>(made))
    return product(operands[0], operands[1]);
  return unknown(operands);
}

PlacedInteger mixattn::readPlaced(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  PlacedReader reader(type.getRank());
  SmallVector<PlacedInteger> places;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    places.push_back(reader.index(dim));
  return reader.read(tensor, places);
}
