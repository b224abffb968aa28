// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights, and to them the weights of all heads mixed: mixed by one matrix
// more.

#include "passes/raise/PooledWeights.h"

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

std::optional<ProductTerm> mixattn::joinResidual(Expressions &make,
                                                 const ProductTerm &own,
                                                 const ProductTerm &mixed,
                                                 Value weights, unsigned axis) {
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
  SmallVector<Ref> alone(a.mixers);
  alone.push_back(make.identity(*from, *to));
  Ref mixer = make.sum({toExpression(make, {mixed.factor, between, b.mixers}),
                        toExpression(make, {own.factor, {}, alone})},
                       make.f32);
  ProductTerm result{1, joined, {b.weights, mixer}};
  llvm::append_range(result.factors, b.values);
  return result;
}
