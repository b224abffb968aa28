// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores or weights of heads, and to them those of all heads mixed: one mixer.

#include "passes/raise/MatchAttention.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

namespace {

/// The factors of a term: weights, what depends on their keys, and what does
/// not.
struct WeighedTerm {
  Ref weights = nullptr;
  Place keys;
  SmallVector<Ref> values, mixers;
};

} // namespace

/// The mixer M that heads `from` are multiplied by, with `own`, by which head
/// `to` keeps its own, on its diagonal.
static Ref mixerOfBoth(Expressions &make, ProductTerm own,
                       const ProductTerm &mixers, Atom from, Atom to) {
  own.factors.push_back(make.identity(from, to));
  return make.sum({toExpression(make, mixers), toExpression(make, own)},
                  make.f32);
}

void AttentionMatcher::joinResidualScores() {
  RawScore &raw = scores.raw;
  if (raw.isGiven || raw.isRectified || raw.hidden || !raw.components.empty() ||
      raw.others.size() != 1)
    return;
  const SummedProduct &other = raw.others[0];
  bool isFirst = raw.mixers.empty();
  const SummedProduct &own = isFirst ? raw : other,
                      &mixed = isFirst ? other : raw;
  if (!own.mixers.empty() || mixed.factor == 0)
    return;
  Place ofMixers = make.freeAtoms(mixed.mixers),
        ofProducts = make.freeAtoms(mixed.queries);
  llvm::append_range(ofProducts, make.freeAtoms(mixed.keys));
  Place bound = flat(mixed.bound), to = select(ofMixers, bound, false);
  Place from = select(select(bound, ofMixers), ofProducts),
        between = select(select(bound, ofMixers), ofProducts, false),
        depth = select(bound, ofMixers, false), ownDepth = flat(own.bound);
  if (from.size() != 1 || to.size() != 1 || depth.size() != ownDepth.size() ||
      !(make.atoms.sizeOf(from[0]) == make.atoms.sizeOf(to[0])))
    return;
  // The mixed product reads heads `from` where this one reads its own.
  DenseMap<Atom, Atom> renamed = {{from[0], to[0]}};
  for (auto [theirs, ours] : llvm::zip_equal(depth, ownDepth))
    renamed[theirs] = ours;
  auto areSame = [&](ArrayRef<Ref> ours, ArrayRef<Ref> theirs) {
    return ours.size() == theirs.size() &&
           llvm::all_of(llvm::zip_equal(ours, theirs), [&](auto pair) {
             return make.areSame(std::get<0>(pair), std::get<1>(pair), renamed);
           });
  };
  if (!areSame(own.queries, mixed.queries) || !areSame(own.keys, mixed.keys))
    return;
  // Of one factor, that of what is mixed.
  SummedProduct joined = mixed;
  joined.mixers = {mixerOfBoth(make, {own.factor / mixed.factor},
                               {1, between, mixed.mixers}, from[0], to[0])};
  joined.bound = select(bound, between, false);
  raw.others.clear();
  static_cast<SummedProduct &>(raw) = std::move(joined);
}

static WeighedTerm takeApart(const Expressions &make, const ProductTerm &term,
                             Value weights, unsigned axis) {
  WeighedTerm apart;
  auto *found = llvm::find_if(term.factors, [&](Ref factor) {
    return factor->is(Kind::Element) && factor->tensor == weights;
  });
  apart.weights = *found;
  apart.keys = make.atoms.flat(apart.weights->places[axis]);
  for (Ref factor : term.factors)
    if (factor != apart.weights)
      (meet(make.freeAtoms(factor), apart.keys) ? apart.values : apart.mixers)
          .push_back(factor);
  return apart;
}

std::optional<ProductTerm>
mixattn::joinResidualWeights(Expressions &make, const ProductTerm &own,
                             const ProductTerm &mixed, Value weights,
                             unsigned axis) {
  const Atoms &atoms = make.atoms;
  WeighedTerm a = takeApart(make, own, weights, axis),
              b = takeApart(make, mixed, weights, axis);
  // Both read the same weights, but of a head each: `to` of the result, and
  // all, counted by `from`.
  std::optional<Atom> to, from;
  for (auto [dim, ours] : llvm::enumerate(a.weights->places)) {
    Place one = atoms.flat(ours), other = atoms.flat(b.weights->places[dim]);
    if (dim == axis || one == other)
      continue;
    if (to || one.size() != 1 || other.size() != 1)
      return std::nullopt;
    to = one[0];
    from = other[0];
  }
  Place ownBound = atoms.flat(own.bound), bound = atoms.flat(mixed.bound);
  if (!to || !llvm::is_contained(bound, *from) ||
      !(atoms.sizeOf(*to) == atoms.sizeOf(*from)) ||
      !areSameSets(ownBound, a.keys) || !isWithin(b.keys, bound) ||
      a.keys.size() != b.keys.size() || a.values.size() != b.values.size())
    return std::nullopt;
  DenseMap<Atom, Atom> renamed;
  for (auto [ours, theirs] : llvm::zip_equal(a.keys, b.keys))
    renamed[theirs] = ours;
  for (auto [ours, theirs] : llvm::zip_equal(a.values, b.values))
    if (!make.areSame(ours, theirs, renamed))
      return std::nullopt;
  Place joined = b.keys;
  joined.push_back(*from);
  Place between = select(bound, joined, /*isIn=*/false);
  if (!isWithin(between, make.freeAtoms(b.mixers)) ||
      meet(between, make.freeAtoms(b.values)))
    return std::nullopt;
  Ref mixer = mixerOfBoth(make, {own.factor, {}, a.mixers},
                          {mixed.factor, between, b.mixers}, *from, *to);
  ProductTerm result{1, joined, {b.weights, mixer}};
  llvm::append_range(result.factors, b.values);
  return result;
}
