// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the weights of a softmax forward to the sum of weighted values.

#include "passes/raise/PooledWeights.h"
#include "passes/raise/EmptyRows.h"
#include "passes/raise/Powers.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Analysis/SliceAnalysis.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// The dim of the weights that counts queries: one that no value depends on.
/// Of several an open one, else the last, is that of queries, and the others
/// are of heads that share values.
static std::optional<unsigned> findQueryDim(const Expressions &make,
                                            const PooledWeights &pooled,
                                            ArrayRef<Ref> values,
                                            unsigned axis) {
  const Atoms &atoms = make.atoms;
  Place ofValues = make.freeAtoms(values);
  std::optional<unsigned> found;
  bool isOpen = false;
  for (auto [dim, place] : llvm::enumerate(pooled.weights)) {
    Place flat = atoms.flat(place);
    if (dim == axis || flat.empty() || meet(flat, ofValues) ||
        meet(flat, pooled.bound))
      continue;
    bool open = ShapedType::isDynamic(atoms.staticSize(flat));
    if (found && isOpen && !open)
      continue;
    found = dim;
    isOpen = open;
  }
  return found;
}

/// Why weights whose queries have no dim of their own are no attention's.
static constexpr llvm::StringLiteral noQueries =
    "no dim of the weights is of queries alone";

/// Whether a factor that depends on keys depends on queries, too: on the dim of
/// the weights that values with features do not depend on.
static bool hasFactorOfPairs(const Expressions &make,
                             const PooledWeights &pooled, unsigned axis) {
  Place ofWeights = make.atoms.flatAll(pooled.weights);
  SmallVector<Ref> values;
  for (Ref value : pooled.values)
    if (!isWithin(make.freeAtoms(value), ofWeights))
      values.push_back(value);
  // A dim of size 1 may be that of a single query.
  for (auto [dim, place] : llvm::enumerate(pooled.weights))
    if (dim != axis && place.empty())
      return false;
  auto query = findQueryDim(make, pooled, values, axis);
  return !values.empty() && query &&
         query != findQueryDim(make, pooled, pooled.values, axis);
}

/// Whether `total` is the sum of `weights` along their dim `axis`.
static bool isSumOfRow(const Expressions &make, Ref total, Ref weights,
                       unsigned axis) {
  Ref summed = total->operands[0];
  if (!summed->is(Kind::Element) || summed->tensor != weights->tensor)
    return false;
  for (auto [dim, place] : llvm::enumerate(summed->places)) {
    Place own = make.atoms.flat(place);
    if (own !=
        make.atoms.flat(dim == axis ? total->bound : weights->places[dim]))
      return false;
  }
  return true;
}

/// Takes the reciprocal of the sum of `weights` out of `factors`, or says why
/// there is none.
static bool takeSum(Expressions &make, SmallVectorImpl<Ref> &factors,
                    Ref weights, unsigned axis, std::string &why) {
  why = "exponentials are divided by something other than their sum";
  for (Ref &factor : factors) {
    if (!factor->is(Kind::Reciprocal))
      continue;
    auto [total, whyNot] = findSum(make, factor->operands[0]);
    if (!total || !isSumOfRow(make, total, weights, axis))
      continue;
    if (!whyNot.empty()) {
      why = whyNot;
      return false;
    }
    factors.erase(&factor);
    return true;
  }
  return false;
}

static constexpr llvm::StringLiteral onlySums =
    "weights are not only multiplied and summed";
static constexpr llvm::StringLiteral severalSums =
    "several sums of one softmax's weights meet";

/// Reads `root` at the places `result`. `single` is that of a single query, if
/// there is one: one among them, or one that no tensor has.
static std::optional<PooledWeights>
readAt(Expressions &make, linalg::LinalgOp root, ArrayRef<Place> result,
       ArrayRef<Atom> single, const FoundSoftmax &softmax, std::string &why) {
  Atoms &atoms = make.atoms;
  PooledWeights pooled;
  pooled.result = llvm::to_vector(result);
  // Factors that do not come from the weights are operands.
  SetVector<Operation *> slice;
  getForwardSlice(softmax.weights, &slice);
  ElementReader reader(make, [&](Value value, ArrayRef<Place>) {
    return value == softmax.weights || !slice.contains(value.getDefiningOp());
  });
  auto terms = expandToTerms(make, reader.read(root->getResult(0), result));
  if (!terms) {
    why = "what becomes of the weights is no sum of products";
    return std::nullopt;
  }
  SmallVector<ProductTerm> weighed;
  auto isWeights = [&](Ref factor) {
    return factor->is(Kind::Element) && factor->tensor == softmax.weights;
  };
  for (ProductTerm &term : *terms) {
    for (Ref &factor : term.factors)
      factor = peelZeros(make, factor, softmax, pooled.zeroed);
    if (llvm::none_of(term.factors, isWeights)) {
      if (!term.bound.empty() && llvm::any_of(term.factors, [&](Ref factor) {
            return readsTensor(factor, softmax.weights);
          })) {
        why = onlySums;
        return std::nullopt;
      }
      pooled.added.push_back(term);
      continue;
    }
    if (llvm::count_if(term.factors, isWeights) != 1) {
      why = severalSums;
      return std::nullopt;
    }
    Ref own = *llvm::find_if(term.factors, isWeights);
    if (softmax.sum && !takeSum(make, term.factors, own, softmax.axis, why))
      return std::nullopt;
    for (Ref factor : term.factors)
      if (!factor->is(Kind::Element)) {
        why = onlySums;
        return std::nullopt;
      }
    weighed.push_back(term);
  }
  if (weighed.size() == 2) {
    auto join = [&](const ProductTerm &own, const ProductTerm &mixed) {
      return joinResidualWeights(make, own, mixed, softmax.weights,
                                 softmax.axis);
    };
    std::optional<ProductTerm> joined = join(weighed[0], weighed[1]);
    if (!joined)
      joined = join(weighed[1], weighed[0]);
    if (joined)
      weighed = {*joined};
  }
  if (weighed.size() > 1) {
    why = severalSums;
    return std::nullopt;
  }
  Ref weights = nullptr;
  for (const ProductTerm &term : weighed) {
    weights = *llvm::find_if(term.factors, isWeights);
    pooled.weights = weights->places;
    pooled.key = select(atoms.flat(weights->places[softmax.axis]), single,
                        /*isIn=*/false);
    pooled.bound = atoms.flat(term.bound);
    pooled.factor = term.factor;
    for (Ref factor : term.factors) {
      bool ofKeys = meet(make.freeAtoms(factor), pooled.key);
      if (factor != weights)
        (ofKeys ? pooled.values : pooled.mixers).push_back(factor);
    }
  }
  if (!weights || pooled.values.empty() || pooled.key.empty() ||
      !isWithin(pooled.key, pooled.bound)) {
    why = noSumOverKeys.str();
    return std::nullopt;
  }
  if (hasFactorOfPairs(make, pooled, softmax.axis)) {
    why = "weights are multiplied by what depends on queries and keys";
    return std::nullopt;
  }
  Place ofValues = make.freeAtoms(pooled.values);
  if (auto query = findQueryDim(make, pooled, pooled.values, softmax.axis))
    pooled.query = atoms.flat(pooled.weights[*query]);
  else if (!meet(single, atoms.flatAll(result)))
    pooled.query = Place(single);
  else if (!meet(single, ofValues) &&
           !meet(single, atoms.flat(weights->places[softmax.axis])))
    pooled.query = select(atoms.flatAll(pooled.weights), single);
  if (pooled.query.empty()) {
    why = noQueries.str();
    return std::nullopt;
  }
  for (auto [dim, place] : llvm::enumerate(pooled.weights)) {
    if (dim == softmax.axis)
      continue;
    Place flat = select(atoms.flat(place), pooled.query, false);
    llvm::append_range(pooled.others, flat);
    for (Atom atom : flat)
      if (llvm::is_contained(pooled.bound, atom))
        pooled.mixed.push_back(atom);
  }
  return pooled;
}

std::optional<PooledWeights>
mixattn::readPooledWeights(Expressions &make, linalg::LinalgOp root,
                           const FoundSoftmax &softmax, std::string &why) {
  Value result = root->getResult(0);
  SmallVector<Place> places;
  SmallVector<unsigned> ones;
  auto type = cast<RankedTensorType>(result.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    places.push_back(make.atoms.makePlace(Size::of(result, dim)));
    if (type.getDimSize(dim) == 1)
      ones.push_back(dim);
  }
  auto pooled = readAt(make, root, places, {}, softmax, why);
  // A dim of size 1 is that of a single query, the last one that can be.
  while (!pooled && why == noQueries && !ones.empty()) {
    SmallVector<Place> of(places);
    Place single = {make.atoms.make(Size::of(1))};
    of[ones.pop_back_val()] = single;
    pooled = readAt(make, root, of, single, softmax, why);
  }
  if (pooled || why != noQueries)
    return pooled;
  // No tensor has a dim of it: the result's last one counts features, too.
  Place single = {make.atoms.make(Size::of(1))};
  pooled = readAt(make, root, places, single, softmax, why);
  if (!pooled)
    return std::nullopt;
  for (Place &place : llvm::reverse(pooled->result))
    if (!place.empty()) {
      place.insert(place.begin(), single.front());
      return pooled;
    }
  return std::nullopt;
}
