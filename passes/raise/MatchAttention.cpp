// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts weights and scores together to an attention.

#include "passes/raise/MatchAttention.h"
#include "passes/raise/Positions.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// The atoms of `place` that are in `other`, or with `isIn` false that are not.
static Place select(ArrayRef<Atom> place, ArrayRef<Atom> other,
                    bool isIn = true) {
  Place result;
  for (Atom atom : place)
    if (llvm::is_contained(other, atom) == isIn)
      result.push_back(atom);
  return result;
}

static bool areSameSets(ArrayRef<Atom> a, ArrayRef<Atom> b) {
  return a.size() == b.size() && isWithin(a, b);
}

/// The atoms that any of `refs` depends on.
static Place atomsOf(const Expressions &make, ArrayRef<Ref> refs) {
  Place result;
  for (Ref ref : refs)
    for (Atom atom : make.freeAtoms(ref))
      if (!llvm::is_contained(result, atom))
        result.push_back(atom);
  return result;
}

void AttentionMatcher::give(StringRef name, Ref ref, ArrayRef<Place> dims,
                            Type type) {
  result.operands[name] = {ref, llvm::to_vector(dims), type};
}

Place AttentionMatcher::headsOf(ArrayRef<Ref> factors,
                                ArrayRef<Atom> all) const {
  Place own = select(all, atomsOf(make, factors));
  return ArrayRef(all).take_front(own.size()) == ArrayRef<Atom>(own)
             ? own
             : Place(all);
}

SmallVector<Place> AttentionMatcher::broadcastDims(Ref ref) const {
  Place own = make.freeAtoms(ref);
  SmallVector<Place> dims;
  for (const Place &place :
       {result.batch, result.heads, pooled.query, pooled.key})
    dims.push_back(meet(own, place) ? place : Place());
  return dims;
}

bool AttentionMatcher::matchMixerOfScores() {
  RawScore &raw = scores.raw;
  Place ofProducts = atomsOf(make, raw.queries);
  llvm::append_range(ofProducts, atomsOf(make, raw.keys));
  SmallVector<Ref> mixers;
  for (Ref factor : raw.mixers) {
    Place own = make.freeAtoms(factor);
    // What has heads of its own mixes; what has not scales queries.
    if (!isWithin(select(own, pooled.others), ofProducts))
      mixers.push_back(factor);
    else
      raw.queries.push_back(factor);
  }
  if (mixers.size() > 1)
    return no("several mixers of scores follow each other");
  raw.mixers = mixers;
  if (mixers.empty())
    return true;
  Place own = make.freeAtoms(mixers[0]);
  heads = select(pooled.others, own);
  sourceHeads = select(own, raw.bound);
  if (sourceHeads.empty() || !areSameSets(own, [&] {
        Place both = heads;
        llvm::append_range(both, sourceHeads);
        return both;
      }()))
    return no("what mixes scores is no matrix of heads");
  if (meet(heads, ofProducts))
    return no("a mixer of scores shares heads with queries or keys");
  give("premixer", mixers[0], {sourceHeads, heads});
  return true;
}

bool AttentionMatcher::chooseHeads() {
  Atoms &atoms = make.atoms;
  if (!pooled.mixed.empty()) {
    if (!heads.empty() && !areSameSets(heads, pooled.mixed))
      return no("mixers before and after the softmax are of different heads");
    heads = select(pooled.others, pooled.mixed);
  }
  if (heads.empty()) {
    // Numbers that are known are heads; the outermost dim is the batch where
    // all are known.
    SmallVector<Place> dims;
    for (const Place &place : pooled.weights)
      if (Place own = select(flat(place), pooled.others); !own.empty())
        dims.push_back(own);
    bool isAnyOpen = llvm::any_of(pooled.others, [&](Atom atom) {
      return !atoms.sizeOf(atom).isStatic();
    });
    for (auto [i, dim] : llvm::enumerate(dims))
      if (isAnyOpen || i > 0 || dims.size() == 1)
        for (Atom atom : dim)
          if (atoms.sizeOf(atom).isStatic())
            heads.push_back(atom);
    // Heads that share keys and values lie side by side.
    Place shared =
        select(atomsOf(make, scores.raw.keys), atomsOf(make, pooled.values));
    Place first = select(heads, shared);
    llvm::append_range(first, select(heads, shared, false));
    heads = first;
  }
  if (ShapedType::isDynamic(atoms.staticSize(heads)))
    return no("the number of heads is open");
  result.heads = heads;
  result.batch = select(pooled.others, heads, false);
  result.query = pooled.query;
  result.key = pooled.key;
  if (scores.raw.mixers.empty())
    sourceHeads = heads;
  return true;
}

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
  // What depends on queries and on both heads is taken apart.
  ElementReader reader(make, [&](Value, ArrayRef<Place> at) {
    Place own = make.atoms.flatAll(at);
    return !meet(own, pooled.query) || !meet(own, heads) ||
           !meet(own, resultHeads);
  });
  auto terms = expandToTerms(make, reader.read(mixer->tensor, mixer->places));
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
  if (products.size() == 1 && products[0].factors.size() == 2) {
    auto [source, weight] =
        std::pair(products[0].factors[0], products[0].factors[1]);
    if (!meet(make.freeAtoms(source), pooled.query))
      std::swap(source, weight);
    Place own = make.freeAtoms(source), other = make.freeAtoms(weight);
    Place depth = make.atoms.flat(products[0].bound), both = resultHeads;
    llvm::append_range(both, depth);
    if (areSameSets(other, both) && !depth.empty() && isWithin(depth, own) &&
        !meet(own, resultHeads)) {
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
  if (pooled.mixers.empty()) {
    if (!pooled.mixed.empty())
      return no("weights of heads are added without a mixer");
    return true;
  }
  if (pooled.mixers.size() > 1)
    return no("several mixers of weights follow each other");
  Ref mixer = pooled.mixers[0];
  Place own = make.freeAtoms(mixer);
  Place free = select(own, pooled.bound, false);
  resultHeads =
      select(select(select(free, result.batch, false), pooled.query, false),
             heads, false);
  if (pooled.mixed.empty() || resultHeads.empty())
    return no("weights are multiplied by what mixes no heads");
  if (make.atoms.staticSize(resultHeads) != make.atoms.staticSize(heads))
    return no("a mixer of weights changes the number of heads");
  if (!meet(own, pooled.query) && !meet(own, result.batch)) {
    give("mixer", mixer, {heads, resultHeads});
    return true;
  }
  return matchMixerByRow(mixer);
}

bool AttentionMatcher::matchQueriesAndKeys() {
  RawScore &raw = scores.raw;
  Type f32 = Float32Type::get(raw.queries[0]->type.getContext());
  Place ofQueries = atomsOf(make, raw.queries),
        ofKeys = atomsOf(make, raw.keys);
  Place bound = select(flat(raw.bound), sourceHeads, false);
  Place depth = select(select(bound, ofQueries), ofKeys);
  auto toSide = [&](ArrayRef<Ref> factors, ArrayRef<Atom> own) {
    ProductTerm side{1, select(select(bound, own), depth, false),
                     llvm::to_vector(factors)};
    return toExpression(make, side);
  };
  Ref query = toSide(raw.queries, ofQueries), key = toSide(raw.keys, ofKeys);
  Type type = query->is(Kind::Element) && key->is(Kind::Element) &&
                      query->type == key->type
                  ? query->type
                  : f32;
  Place keyHeads = headsOf(raw.keys, sourceHeads);
  give("query", query, {result.batch, sourceHeads, pooled.query, depth}, type);
  give("key", key, {result.batch, keyHeads, pooled.key, depth}, type);
  result.scale = raw.factor;
  return true;
}

bool AttentionMatcher::matchValues() {
  Place own = atomsOf(make, pooled.values);
  Place all = make.atoms.flatAll(pooled.result);
  Place known = result.batch;
  llvm::append_range(known, resultHeads);
  llvm::append_range(known, pooled.query);
  Place features = select(select(all, known, false), own);
  Place covered = known;
  llvm::append_range(covered, features);
  if (!areSameSets(covered, all))
    return no("the result has dims that are none of an attention's");
  Place bound = select(select(pooled.bound, own), pooled.key, false);
  bound = select(bound, pooled.mixed, false);
  Ref value = toExpression(make, {1, bound, pooled.values});
  give("value", value,
       {result.batch, headsOf(pooled.values, resultHeads), pooled.key,
        features});
  result.result = {result.batch, resultHeads, pooled.query, features};
  return true;
}

/// Takes conditions of which all must hold apart.
static void takeApart(ArrayRef<Visibility> from, SmallVector<Visibility> &to) {
  for (const Visibility &each : from) {
    Operation *op = each.condition->op;
    bool isApart =
        each.condition->is(Kind::Apply) &&
        op->getResult(0).getType().isInteger(1) &&
        (each.isSeen ? isa<arith::AndIOp>(op) : isa<arith::OrIOp>(op));
    if (!isApart) {
      to.push_back(each);
      continue;
    }
    for (Ref operand : each.condition->operands)
      takeApart(Visibility{operand, each.isSeen}, to);
  }
}

bool AttentionMatcher::matchMasks() {
  Atoms &atoms = make.atoms;
  // Causal and band count from the last query and the last key.
  bool isAligned = pooled.query.size() == 1 && pooled.key.size() == 1 &&
                   atoms.sizeOf(pooled.query[0]) == atoms.sizeOf(pooled.key[0]);
  SmallVector<Visibility> all, masks;
  takeApart(scores.seen, all);
  Distance distance;
  for (const Visibility &each : all) {
    auto bounds = readDistance(make, each.condition, each.isSeen, pooled.query,
                               pooled.key);
    if (!bounds || !isAligned || bounds->before.value_or(0) < 0 ||
        bounds->after.value_or(0) < 0) {
      masks.push_back(each);
      continue;
    }
    auto narrow = [](std::optional<int64_t> &known,
                     std::optional<int64_t> bound) {
      if (bound)
        known = std::min(*bound, known.value_or(*bound));
    };
    narrow(distance.before, bounds->before);
    narrow(distance.after, bounds->after);
  }
  // Wider than any tensor.
  constexpr int64_t widest = int64_t(1) << 62;
  result.causal = distance.after == 0;
  if (distance.before || distance.after.value_or(0) != 0)
    result.band = {distance.before.value_or(widest),
                   distance.after.value_or(widest)};
  SmallVector<Ref> conditions;
  for (const Visibility &each : masks)
    conditions.push_back(each.isSeen ? each.condition
                                     : make.negation(each.condition));
  if (!conditions.empty()) {
    Ref mask = make.all(conditions);
    give("mask", mask, broadcastDims(mask));
  }
  return true;
}

/// Whether `ref` reads a position.
static bool readsPosition(Ref ref) {
  return ref->is(Kind::Position) || llvm::any_of(ref->operands, readsPosition);
}

/// Whether a score_mod can compute `ref`: it reads tensors of two dims at most.
static bool fitsScoreMod(Ref ref) {
  switch (ref->kind) {
  case Kind::Total:
  case Kind::Largest:
    return false;
  case Kind::Element:
    return llvm::count_if(ref->places, [](const Place &place) {
             return !place.empty();
           }) <= 2;
  default:
    return llvm::all_of(ref->operands, fitsScoreMod);
  }
}

bool AttentionMatcher::matchAdded() {
  if (scores.changed) {
    if (!fitsScoreMod(scores.changed))
      return no("what changes scores reads tensors of more than two dims");
    result.scoreMod = scores.changed;
    return true;
  }
  SmallVector<Ref> biases, computed;
  for (Ref each : scores.added)
    (readsPosition(each) && fitsScoreMod(each) ? computed : biases)
        .push_back(each);
  if (!biases.empty()) {
    Ref bias = make.sum(biases, biases[0]->type);
    give("bias", bias, broadcastDims(bias));
  }
  if (!computed.empty()) {
    Type type = Float32Type::get(computed[0]->type.getContext());
    computed.insert(computed.begin(), make.raw(type));
    result.scoreMod = make.sum(computed, type);
  }
  return true;
}

std::optional<RaisedAttention>
AttentionMatcher::match(linalg::LinalgOp root, const FoundSoftmax &softmax,
                        std::string &reason) {
  auto found = readPooledWeights(make, root, softmax, reason);
  if (!found)
    return std::nullopt;
  pooled = std::move(*found);
  ScoreReader reader(make, pooled.query, pooled.key);
  auto read = reader.read(softmax.scores, pooled.weights, reason);
  if (!read)
    return std::nullopt;
  scores = std::move(*read);
  // Reading scores may have split atoms.
  for (Place *place : {&pooled.query, &pooled.key, &pooled.others,
                       &pooled.mixed, &pooled.bound})
    *place = flat(*place);
  result.factor = pooled.factor;
  result.wanted = pooled.result;
  if (matchMixerOfScores() && chooseHeads() && matchMixerOfWeights() &&
      matchQueriesAndKeys() && matchValues() && matchMasks() && matchAdded())
    return std::move(result);
  reason = why;
  return std::nullopt;
}
