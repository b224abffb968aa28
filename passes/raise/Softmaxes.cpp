// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what is normalised over a dim as a softmax is.

#include "passes/raise/Softmaxes.h"
#include "passes/raise/PathsOfWeights.h"
#include "passes/raise/Powers.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// Whether `ref` has an exponential in it.
static bool hasPower(Ref ref) {
  return isExponential(ref) || llvm::any_of(ref->operands, hasPower);
}

/// Whether `op` computes elementwise what may be numbers over their sum.
static bool mayDivide(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics() ||
      op->getNumResults() != 1)
    return false;
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<arith::DivFOp, arith::MulFOp, math::ExpOp, math::Exp2Op>(inner);
  });
}

/// Reads elements down to products of two tensors, maxima, and all that is no
/// linalg, which are not looked into.
static ElementReader readerOf(Expressions &make) {
  return {make, [](Value value, ArrayRef<Place>) {
            return sumsSeveral(value, /*onlyProducts=*/true);
          }};
}

static SmallVector<Place> makePlaces(Expressions &make, Value tensor) {
  SmallVector<Place> places;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    places.push_back(make.atoms.makePlace(Size::of(tensor, dim)));
  return places;
}

/// The softmax that `op`, which is elementwise, computes: powers over their sum
/// along a dim.
static std::optional<FoundSoftmax> findQuotient(linalg::LinalgOp op) {
  Expressions make(op.getContext());
  Value weights = op->getResult(0);
  SmallVector<Place> places = makePlaces(make, weights);
  Ref all = readerOf(make).read(weights, places);
  for (const Fraction &fraction : findFractions(make, all)) {
    auto [total, whyNot] = findSum(make, fraction.divisor);
    if (!total || !hasPower(total))
      continue;
    Place bound = make.atoms.flat(total->bound);
    if (bound.size() != 1)
      continue;
    for (auto [axis, place] : llvm::enumerate(places)) {
      Place own = make.atoms.flat(place);
      if (own.size() != 1)
        continue;
      DenseMap<Atom, Atom> renamed;
      renamed[bound[0]] = own[0];
      if (make.atoms.sizeOf(own[0]) == make.atoms.sizeOf(bound[0]) &&
          isSumOf(make, fraction.power, total->operands[0], renamed))
        return FoundSoftmax{weights, {}, unsigned(axis), whyNot};
    }
  }
  return std::nullopt;
}

std::optional<FoundSoftmax> mixattn::findSoftmax(Operation *op) {
  if (op->getName().getStringRef() == "linalg.softmax" &&
      op->getNumResults() == 1) {
    auto axis = op->getAttrOfType<IntegerAttr>("dimension");
    FoundSoftmax found{op->getResult(0), op->getOperand(0),
                       unsigned(axis.getInt())};
    if (getElementTypeOrSelf(found.weights).isF64())
      found.whyNot = "weights are of 64 bits, and are computed in 32";
    return found;
  }
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  if (!loops || !mayDivide(loops) ||
      llvm::none_of(sumsBefore(op), sumsExponentials))
    return std::nullopt;
  return findQuotient(loops);
}

/// The dim of `powers` along which `op` sums them, or their squares, up.
static std::optional<unsigned> findAxis(linalg::LinalgOp op, Value powers) {
  Expressions make(op.getContext());
  SmallVector<Place> own = makePlaces(make, powers);
  if (!isPower(readerOf(make).read(powers, own)))
    return std::nullopt;
  ElementReader reader(make, [&](Value value, ArrayRef<Place>) {
    return value == powers || sumsSeveral(value, /*onlyProducts=*/true);
  });
  Value result = op->getResult(0);
  Ref total = reader.read(result, makePlaces(make, result));
  if (!total->is(Kind::Total))
    return std::nullopt;
  Ref summed = total->operands[0];
  std::optional<unsigned> axis;
  for (Ref factor : summed->is(Kind::Product) ? ArrayRef<Ref>(summed->operands)
                                              : ArrayRef<Ref>(summed)) {
    if (factor->is(Kind::Apply) && isa<math::AbsFOp>(factor->op))
      factor = factor->operands[0];
    if (factor->is(Kind::Number))
      continue;
    if (!factor->is(Kind::Element) || factor->tensor != powers)
      return std::nullopt;
    for (auto [dim, place] : llvm::enumerate(factor->places))
      if (!place.empty() &&
          make.atoms.flat(place) == make.atoms.flat(total->bound))
        axis = dim;
  }
  return axis;
}

std::optional<FoundSoftmax> mixattn::findPowers(Operation *op) {
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  if (!loops || !isSum(loops) || !sumsExponentials(loops))
    return std::nullopt;
  for (Value powers : elementwiseBefore(op)) {
    auto maker = powers.getDefiningOp<linalg::LinalgOp>();
    if (!maker || maker.getNumReductionLoops() != 0)
      continue;
    std::optional<unsigned> axis = findAxis(loops, powers);
    if (axis && !findPools(powers, *axis).empty())
      return FoundSoftmax{powers, {}, *axis, {}, loops};
  }
  return std::nullopt;
}
