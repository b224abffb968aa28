// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components of keys: variances, terms and priors.

#include "passes/raise/ConstantNumbers.h"
#include "passes/raise/MatchAttention.h"
#include "passes/raise/ReadElement.h"

using namespace mlir;
using namespace mixattn;

using Ref = Expressions::Ref;

bool AttentionMatcher::isHalfSquare(ArrayRef<ProductTerm> terms,
                                    ArrayRef<Ref> of,
                                    ArrayRef<double> factors) {
  RawScore &raw = scores.raw;
  if (terms.size() != 1 || of.size() != 1 ||
      !of[0]->is(Expression::Kind::Element))
    return false;
  // Down to the tensor that is squared.
  Value tensor = of[0]->tensor;
  ElementReader reader(make, [&](Value value, ArrayRef<Place>) {
    return value == tensor || sumsSeveral(value);
  });
  SmallVector<Ref> operands;
  Type type = of[0]->type;
  Place components = flat(raw.components);
  for (Ref factor : terms[0].factors)
    operands.push_back(factor->is(Expression::Kind::Element) &&
                               !isWithin(make.freeAtoms(factor), components)
                           ? reader.read(factor->tensor, factor->places)
                           : factor);
  auto read = expandToTerms(
      make, make.total(make.product(operands, type), terms[0].bound));
  if (!read || read->size() != 1)
    return false;
  ProductTerm term = (*read)[0];
  SmallVector<Ref> squared, others;
  for (Ref factor : term.factors)
    (factor->is(Expression::Kind::Element) && factor->tensor == tensor ? squared
                                                                       : others)
        .push_back(factor);
  Place bound = flat(term.bound);
  Place depth = select(select(flat(raw.bound), make.freeAtoms(of[0])),
                       sourceHeads, /*isIn=*/false);
  if (squared.size() != 2 || bound.size() != depth.size())
    return false;
  DenseMap<Atom, Atom> renamed;
  for (auto [inner, outer] : llvm::zip_equal(bound, depth))
    renamed[inner] = outer;
  if (!make.areSame(of[0], squared[0], renamed) ||
      !make.areSame(of[0], squared[1], renamed))
    return false;
  others.push_back(make.number(terms[0].factor * term.factor, type));
  auto numbers = readConstants(make, make.product(others, type), components);
  constexpr double rounding = 1e-6;
  return numbers &&
         llvm::all_of(llvm::zip_equal(*numbers, factors), [](auto pair) {
           auto [number, factor] = pair;
           return std::abs(number + factor / 2) <= rounding * factor;
         });
}

bool AttentionMatcher::matchVariances() {
  RawScore &raw = scores.raw;
  Type f32 = make.f32;
  SmallVector<Ref> factors(componentFactors);
  factors.push_back(make.number(raw.factor, f32));
  auto numbers =
      readConstants(make, make.product(factors, f32), flat(raw.components));
  auto isVariance = [](double factor) {
    return factor > 0 && std::isnormal(float(factor)) &&
           std::isnormal(float(1 / factor));
  };
  if (!numbers || !llvm::all_of(*numbers, isVariance)) {
    // Factors that are not known are those of keys.
    llvm::append_range(raw.keys, componentFactors);
    if (raw.factor != 1)
      raw.keys.push_back(make.number(raw.factor, f32));
    raw.factor = 1;
    return true;
  }
  raw.factor = 1;
  for (double number : *numbers)
    result.variances.push_back(1 / number);
  // -|q - k|^2 / (2 variance), taken apart.
  SmallVector<ProductTerm> ofQueries, ofKeys, rest;
  for (const ProductTerm &term : raw.terms) {
    Place own = make.freeAtoms(toExpression(make, term));
    bool onQuery = meet(own, pooled.query), onKey = meet(own, pooled.key);
    (onQuery == onKey ? rest : onQuery ? ofQueries : ofKeys).push_back(term);
  }
  if (!isHalfSquare(ofQueries, raw.queries, *numbers) ||
      !isHalfSquare(ofKeys, raw.keys, *numbers))
    return true;
  result.isGaussian = true;
  raw.terms = rest;
  return true;
}

bool AttentionMatcher::matchComponents() {
  RawScore &raw = scores.raw;
  if (ShapedType::isDynamic(make.atoms.staticSize(raw.components)))
    return no("the number of components is open");
  result.isMaximum = raw.isMaximum;
  if (!matchVariances())
    return false;
  Place components = flat(raw.components);
  Type f32 = make.f32;
  SmallVector<Ref> ofQueries, ofKeys, priors;
  for (const ProductTerm &term : raw.terms) {
    Ref ref = toExpression(make, term);
    Place own = make.freeAtoms(ref);
    bool onQuery = meet(own, pooled.query), onKey = meet(own, pooled.key);
    if (onQuery && onKey)
      return no("a term of a component depends on queries and keys");
    // The same for all keys, and nothing but a softmax follows.
    if (!onKey && !meet(own, components) && !raw.hidden && !scores.changed)
      continue;
    bool isPrior = !onQuery && !meet(own, result.batch) && !raw.isMaximum;
    (onQuery ? ofQueries : isPrior ? priors : ofKeys).push_back(ref);
  }
  auto total = [&](ArrayRef<Ref> terms) { return make.sum(terms, f32); };
  SmallVector<Ref> keySide(raw.keys);
  llvm::append_range(keySide, ofKeys);
  keyHeads = headsOf(keySide, sourceHeads);
  if (!ofQueries.empty())
    give("query_term", total(ofQueries),
         {result.batch, sourceHeads, components, pooled.query}, f32);
  if (!ofKeys.empty())
    give("key_term", total(ofKeys),
         {result.batch, keyHeads, components, pooled.key}, f32);
  if (!priors.empty()) {
    Ref prior = total(priors);
    SmallVector<Place> dims = {sourceHeads, components};
    if (meet(make.freeAtoms(prior), pooled.key))
      dims.push_back(pooled.key);
    give("prior", prior, dims);
  }
  return true;
}
