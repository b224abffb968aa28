// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what is normalised over a dim as a softmax is.

#include "passes/raise/Softmaxes.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// Whether `ref` has an exponential in it.
static bool hasPower(Ref ref) {
  return (ref->is(Kind::Apply) && isa<math::ExpOp>(ref->op)) ||
         llvm::any_of(ref->operands, hasPower);
}

/// Whether `op` divides numbers elementwise.
static bool divides(linalg::LinalgOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      !op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return false;
  auto inside = op.getBlock()->getOps<arith::DivFOp>();
  return !inside.empty();
}

/// The softmax that `op`, which divides, computes: powers over their sum along
/// a dim.
static std::optional<FoundSoftmax> findQuotient(linalg::LinalgOp op) {
  Expressions make(op.getContext());
  Value weights = op->getResult(0);
  // Products of two tensors, maxima, and all that is no linalg are not looked
  // into.
  ElementReader reader(make, [](Value value, ArrayRef<Place>) {
    return sumsSeveral(value, /*onlyProducts=*/true);
  });
  SmallVector<Place> places;
  auto type = cast<RankedTensorType>(weights.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    places.push_back(make.atoms.makePlace(Size::of(weights, dim)));
  Ref all = reader.read(weights, places);
  if (!all->is(Kind::Product))
    return std::nullopt;
  for (auto [i, factor] : llvm::enumerate(all->operands)) {
    if (!factor->is(Kind::Reciprocal))
      continue;
    Ref sum = factor->operands[0];
    llvm::StringRef whyNot;
    if (sum->is(Kind::Sum) && sum->operands[0]->is(Kind::Total)) {
      whyNot = "more than weights is summed up in what divides them";
      sum = sum->operands[0];
    }
    if (!sum->is(Kind::Total))
      continue;
    Place bound = make.atoms.flat(sum->bound);
    if (bound.size() != 1 || !hasPower(sum))
      continue;
    SmallVector<Ref> powers(all->operands);
    powers.erase(powers.begin() + i);
    Ref power = make.product(powers, make.f32);
    for (auto [axis, place] : llvm::enumerate(places)) {
      Place own = make.atoms.flat(place);
      if (own.size() != 1)
        continue;
      DenseMap<Atom, Atom> renamed;
      renamed[bound[0]] = own[0];
      if (make.atoms.sizeOf(own[0]) == make.atoms.sizeOf(bound[0]) &&
          make.areSame(power, sum->operands[0], renamed))
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
  return loops && divides(loops) ? findQuotient(loops) : std::nullopt;
}
