// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of weights: one for all rows, and one for each query.

#include "passes/raise/MatchAttention.h"
#include "passes/raise/ReadElement.h"

using namespace mlir;
using namespace mixattn;

using Ref = Expressions::Ref;

/// A square tensor of numbers, `diagonal` where both indices are the same.
static TypedAttr squareOf(MLIRContext *context, int64_t size, float diagonal) {
  SmallVector<float> numbers(size * size, 0);
  for (int64_t i = 0; i < size; ++i)
    numbers[i * size + i] = diagonal;
  auto type = RankedTensorType::get({size, size}, Float32Type::get(context));
  return DenseElementsAttr::get(type, ArrayRef(numbers));
}

bool AttentionMatcher::matchMixerByRow(Ref mixer) {
  MLIRContext *context = mixer->type.getContext();
  // A factor that depends on queries and on both heads is taken apart.
  ElementReader reader(make, [&](Value, ArrayRef<Place> at) {
    Place own = make.atoms.flatAll(at);
    return !meet(own, pooled.query) || !meet(own, heads) ||
           !meet(own, resultHeads);
  });
  auto terms =
      mixer->is(Expression::Kind::Element)
          ? expandToTerms(make, reader.read(mixer->tensor, mixer->places))
          : std::nullopt;
  SmallVector<ProductTerm> products;
  SmallVector<Ref> offsets;
  for (const ProductTerm &term : terms.value_or(SmallVector<ProductTerm>())) {
    Ref ref = toExpression(make, term);
    if (meet(make.freeAtoms(ref), pooled.query))
      products.push_back(term);
    else
      offsets.push_back(ref);
  }
  int64_t size = make.atoms.staticSize(heads);
  auto giveOffset = [&] {
    if (offsets.empty())
      result.operands["mix_bias"] = {
          nullptr, {}, {}, squareOf(context, size, 0)};
    else
      give("mix_bias", make.sum(offsets, offsets[0]->type),
           {heads, resultHeads});
  };
  // Sums of a source of queries times weights, plus an offset.
  Place ofMatrix = heads, ofSource = result.batch;
  llvm::append_range(ofMatrix, resultHeads);
  bool isSplit = terms && isWithin(make.freeAtoms(offsets), ofMatrix);
  if (isSplit && products.size() == 1 && products[0].factors.size() == 2) {
    auto [source, weight] =
        std::pair(products[0].factors[0], products[0].factors[1]);
    if (!meet(make.freeAtoms(source), pooled.query))
      std::swap(source, weight);
    Place own = make.freeAtoms(source), other = make.freeAtoms(weight);
    Place depth = make.atoms.flat(products[0].bound), both = resultHeads;
    llvm::append_range(both, depth);
    for (ArrayRef<Atom> place :
         {ArrayRef<Atom>(heads), ArrayRef<Atom>(pooled.query),
          ArrayRef<Atom>(depth)})
      llvm::append_range(ofSource, place);
    if (areSameSets(other, both) && !depth.empty() && isWithin(own, ofSource) &&
        isWithin(depth, own) && !meet(own, resultHeads)) {
      weight = toExpression(make, {products[0].factor, {}, {weight}});
      give("mix_source", source, {result.batch, heads, pooled.query, depth});
      give("mix_weight", weight, {depth, resultHeads});
      giveOffset();
      return true;
    }
  }
  // Any other mixer is its own source.
  offsets.clear();
  give("mix_source", mixer, {result.batch, heads, pooled.query, resultHeads});
  result.operands["mix_weight"] = {nullptr, {}, {}, squareOf(context, size, 1)};
  giveOffset();
  return true;
}

bool AttentionMatcher::matchMixerOfWeights() {
  resultHeads = heads;
  if (pooled.mixers.empty() && !pooled.mixed.empty())
    return no("weights of heads are added without a mixer");
  if (pooled.mixed.empty()) {
    // The same for all keys: factors of rows, or of values' features.
    if (meet(make.freeAtoms(pooled.mixers), pooled.bound))
      return no("weights are multiplied by what mixes no heads");
    result.factors = pooled.mixers;
    return true;
  }
  // Mixers that follow each other are one.
  Place between = select(pooled.bound, make.freeAtoms(pooled.mixers));
  between = select(between, pooled.mixed, false);
  Ref mixer = pooled.mixers.size() == 1
                  ? pooled.mixers[0]
                  : toExpression(make, {1, between, pooled.mixers});
  Place own = make.freeAtoms(mixer);
  Place free = select(own, pooled.bound, false);
  resultHeads =
      select(select(select(free, result.batch, false), pooled.query, false),
             heads, false);
  if (!areSameSets(select(own, pooled.bound), heads))
    return no("a mixer of weights does not tell all heads apart");
  if (resultHeads.empty())
    return no("weights are multiplied by what mixes no heads");
  if (make.atoms.staticSize(resultHeads) != make.atoms.staticSize(heads))
    return no("a mixer of weights changes the number of heads");
  if (!meet(own, pooled.query) && !meet(own, result.batch)) {
    give("mixer", mixer, {heads, resultHeads});
    return true;
  }
  return matchMixerByRow(mixer);
}
