// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of scores: linear ones and those with a hidden layer.

#include "passes/raise/MatchAttention.h"
#include "passes/raise/ReadElement.h"

using namespace mlir;
using namespace mixattn;

using Ref = Expressions::Ref;

/// As many zeros as `place` has indices.
TypedAttr AttentionMatcher::zerosOf(Type type, ArrayRef<Atom> place) const {
  auto made = RankedTensorType::get({make.atoms.staticSize(place)}, type);
  return DenseElementsAttr::get(made,
                                Builder(type.getContext()).getZeroAttr(type));
}

bool AttentionMatcher::sharesMixers(SummedProduct &other) const {
  const RawScore &raw = scores.raw;
  if (raw.isRectified || raw.hidden || raw.factor == 0)
    return false;
  Place ofProducts = make.freeAtoms(other.queries);
  llvm::append_range(ofProducts, make.freeAtoms(other.keys));
  SmallVector<Ref> left(raw.mixers);
  for (Ref factor : other.mixers) {
    auto *same = llvm::find_if(
        left, [&](Ref mixer) { return make.areSame(mixer, factor); });
    if (same != left.end())
      left.erase(same);
    else if (isWithin(make.freeAtoms(factor), ofProducts))
      other.queries.push_back(factor);
    else
      return false;
  }
  return left.empty() && (raw.mixers.empty() || !meet(heads, ofProducts));
}

bool AttentionMatcher::matchOtherProducts() {
  SmallVector<SummedProduct> all;
  std::swap(all, scores.raw.others);
  for (const SummedProduct &each : all) {
    SummedProduct other = each;
    if (sharesMixers(other)) {
      scores.raw.others.push_back(other);
      continue;
    }
    if (scores.changed)
      return no(
          "products that are mixed otherwise are added, and then changed");
    // Products first, one for each head, and then their mixer.
    Place depth = select(flat(each.bound), make.freeAtoms(each.mixers), false);
    ProductTerm product{1, depth, each.queries};
    llvm::append_range(product.factors, each.keys);
    ProductTerm mixed{each.factor,
                      select(flat(each.bound), depth, /*isIn=*/false),
                      {toExpression(make, product)}};
    llvm::append_range(mixed.factors, each.mixers);
    scores.added.push_back(toExpression(make, mixed));
  }
  return true;
}

bool AttentionMatcher::matchMixerOfScores() {
  RawScore &raw = scores.raw;
  Place ofProducts = make.freeAtoms(raw.queries);
  llvm::append_range(ofProducts, make.freeAtoms(raw.keys));
  SmallVector<Ref> mixers;
  for (Ref factor : raw.mixers) {
    Place own = make.freeAtoms(factor);
    if (!raw.components.empty() && isWithin(own, raw.components))
      componentFactors.push_back(factor);
    // A factor with heads of its own, or units of a hidden layer, mixes; one
    // without scales queries.
    else if (isWithin(own, ofProducts) && !raw.isRectified)
      raw.queries.push_back(factor);
    else
      mixers.push_back(factor);
  }
  if (!raw.components.empty()) {
    if (!mixers.empty())
      return no("components of mixed scores are combined");
    mixers = raw.combinedMixers;
  }
  raw.mixers = mixers;
  if (mixers.empty() && !raw.hidden && !raw.isRectified)
    return true;
  if (mixers.empty() || (mixers.size() > 1 && raw.isRectified))
    return no("rectified scores are mixed by no single matrix of heads");
  // Linear mixers that follow each other are one.
  Place between = select(select(flat(raw.bound), make.freeAtoms(mixers)),
                         ofProducts, false);
  Ref mixer =
      mixers.size() == 1 ? mixers[0] : toExpression(make, {1, between, mixers});
  Place own = make.freeAtoms(mixer);
  sourceHeads = select(own, raw.bound);
  if (raw.hidden)
    sourceHeads = select(sourceHeads, raw.hidden->units, false);
  Place mixed =
      raw.hidden ? flat(raw.hidden->units) : select(pooled.others, own);
  Place both = sourceHeads;
  llvm::append_range(both, mixed);
  if (sourceHeads.empty() || !areSameSets(own, both) ||
      !isWithin(sourceHeads, ofProducts))
    return no("what mixes scores is no matrix of heads");
  heads = raw.hidden ? select(pooled.others, make.freeAtoms(raw.hidden->mixer))
                     : mixed;
  if (meet(heads, ofProducts))
    return no("a mixer of scores shares heads with queries or keys");
  if (!raw.hidden) {
    give("premixer", mixer, {sourceHeads, heads});
    result.isRectified = raw.isRectified;
    return true;
  }
  const HiddenLayer &hidden = *raw.hidden;
  if (!areSameSets(make.freeAtoms(hidden.mixer), [&] {
        Place all = heads;
        llvm::append_range(all, mixed);
        return all;
      }()))
    return no("what mixes rectified scores is no matrix of heads");
  Type f32 = make.f32;
  give("w1", toExpression(make, {raw.scale(), {}, {mixer}}),
       {sourceHeads, mixed}, f32);
  if (hidden.offset && !isWithin(make.freeAtoms(hidden.offset), mixed))
    return no("what is rectified has an offset of more than hidden units");
  if (hidden.offset)
    give("b1", hidden.offset, {mixed}, f32);
  else
    result.operands["b1"] = {nullptr, {}, {}, zerosOf(f32, mixed)};
  give("w2", hidden.mixer, {mixed, heads}, f32);
  // An offset of heads is the same for all keys.
  result.operands["b2"] = {nullptr, {}, {}, zerosOf(f32, heads)};
  raw.scale() = hidden.factor;
  return true;
}
