// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts weights and scores together to an attention.

#include "passes/raise/MatchAttention.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

void AttentionMatcher::give(StringRef name, Ref ref, ArrayRef<Place> dims,
                            Type type) {
  result.operands[name] = {ref, llvm::to_vector(dims), type};
}

Place AttentionMatcher::headsOf(ArrayRef<Ref> factors,
                                ArrayRef<Atom> all) const {
  Place own = select(all, make.freeAtoms(factors));
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
    Place shared = make.freeAtoms(pooled.values);
    if (!scores.raw.isGiven)
      shared = select(make.freeAtoms(scores.raw.keys), shared);
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

bool AttentionMatcher::matchQueriesAndKeys() {
  RawScore &raw = scores.raw;
  if (!raw.components.empty() && !matchComponents())
    return false;
  takeScoreFactors();
  if (raw.isGiven) {
    Place own = make.freeAtoms(raw.queries);
    Place bound = select(select(flat(raw.bound), sourceHeads, false), own);
    if (!isWithin(result.batch, own))
      return no("scores that are no products are the same for batch rows");
    give("given_scores", toExpression(make, {1, bound, raw.queries}),
         {result.batch, sourceHeads, pooled.query, pooled.key});
    result.scale = raw.factor;
    return true;
  }
  Place ofKeys = make.freeAtoms(raw.keys), components = flat(raw.components);
  if (meet(make.freeAtoms(raw.queries), components))
    return no("queries differ from component to component");
  SmallVector<SummedProduct> products = {raw};
  llvm::append_range(products, raw.others);
  if (raw.components.empty()) {
    SmallVector<Ref> keys;
    for (const SummedProduct &product : products)
      llvm::append_range(keys, product.keys);
    keyHeads = headsOf(keys, sourceHeads);
  }
  // A sum of products is the product of features side by side.
  std::vector<RaisedOperand> queries, keys;
  for (const SummedProduct &product : products) {
    Place ofQuery = make.freeAtoms(product.queries),
          ofKey = make.freeAtoms(product.keys);
    Place bound = select(flat(product.bound), sourceHeads, false);
    Place depth = select(select(bound, ofQuery), ofKey);
    if (ShapedType::isDynamic(make.atoms.staticSize(depth)))
      return no("the number of a query's features is open");
    auto toSide = [&](ArrayRef<Ref> factors, ArrayRef<Atom> own,
                      double factor) {
      ProductTerm side{factor, select(select(bound, own), depth, false),
                       llvm::to_vector(factors)};
      return toExpression(make, side);
    };
    queries.push_back(
        {toSide(product.queries, ofQuery, product.factor / raw.factor),
         {result.batch, sourceHeads, pooled.query, depth}});
    keys.push_back({toSide(product.keys, ofKey, 1),
                    {result.batch, keyHeads, pooled.key, depth}});
    if (meet(ofKeys, components))
      keys.back().dims.insert(keys.back().dims.begin() + 2, components);
  }
  Type type = queries[0].ref->type;
  for (const auto &sides : {queries, keys})
    for (const RaisedOperand &side : sides)
      if (!side.ref->is(Kind::Element) || side.ref->type != type)
        type = make.f32;
  for (auto &[name, sides] : {std::pair("query", queries), {"key", keys}}) {
    RaisedOperand all = sides[0];
    all.joined.assign(sides.begin() + 1, sides.end());
    all.type = type;
    for (RaisedOperand &side : all.joined)
      side.type = type;
    result.operands[name] = all;
  }
  result.scale = raw.scale();
  return true;
}

bool AttentionMatcher::matchValues() {
  Place own = make.freeAtoms(pooled.values);
  if (meet(own, pooled.mixed))
    return no("values differ by the heads whose weights are mixed");
  Place all = make.atoms.flatAll(pooled.result);
  Place known = result.batch;
  llvm::append_range(known, resultHeads);
  llvm::append_range(known, pooled.query);
  Place features = select(select(all, known, false), own);
  Place covered = known;
  llvm::append_range(covered, features);
  if (!areSameSets(covered, all))
    return no("the result has dims that are none of an attention's");
  if (ShapedType::isDynamic(make.atoms.staticSize(features)))
    return no("the number of a value's features is open");
  Place bound = select(select(pooled.bound, own), pooled.key, false);
  bound = select(bound, pooled.mixed, false);
  Ref value = toExpression(make, {1, bound, pooled.values});
  give("value", value,
       {result.batch, headsOf(pooled.values, resultHeads), pooled.key,
        features});
  result.result = {result.batch, resultHeads, pooled.query, features};
  return true;
}

/// Whether `ref` reads a position.
static bool readsPosition(Ref ref) {
  return ref->is(Kind::Position) || llvm::any_of(ref->operands, readsPosition);
}

/// Whether a score_mod can compute `ref`, without sums.
static bool fitsScoreMod(Ref ref) {
  switch (ref->kind) {
  case Kind::Total:
  case Kind::Largest:
  case Kind::Any:
    return false;
  default:
    return llvm::all_of(ref->operands, fitsScoreMod);
  }
}

/// Whether `ref` reads no tensor of more dims than a score_mod does.
static bool readsFewDims(Ref ref) {
  auto isDim = [](const Place &place) { return !place.empty(); };
  constexpr int64_t most = 2;
  return llvm::count_if(ref->places, isDim) <= most &&
         llvm::all_of(ref->operands, readsFewDims);
}

bool AttentionMatcher::matchAdded() {
  if (scores.changed) {
    if (!fitsScoreMod(scores.changed))
      return no("what changes scores has sums in it");
    result.scoreMod = scores.changed;
    return true;
  }
  SmallVector<Ref> biases, computed;
  for (Ref each : scores.added)
    (readsPosition(each) && fitsScoreMod(each) && readsFewDims(each) ? computed
                                                                     : biases)
        .push_back(each);
  auto isOfPairs = [&](Ref bias) {
    return !bias->is(Kind::Element) &&
           meet(make.freeAtoms(bias), pooled.query) &&
           meet(make.freeAtoms(bias), pooled.key);
  };
  if (!result.scoreFactors.empty()) {
    // A bias would be multiplied, too.
    result.scoreTerms = biases;
    result.computesPairs = llvm::any_of(biases, isOfPairs);
  } else if (!biases.empty()) {
    Ref bias = make.sum(biases, biases[0]->type);
    result.computesPairs = isOfPairs(bias);
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
  SmallVector<Ref> zeroed;
  for (Ref choice : pooled.zeroed)
    if (meet(make.freeAtoms(choice->operands[0]), pooled.key))
      zeroed.push_back(choice);
  auto read = reader.read(softmax, pooled.weights, zeroed, reason);
  if (!read)
    return std::nullopt;
  scores = std::move(*read);
  // Reading scores may have split atoms.
  for (Place *place : {&pooled.query, &pooled.key, &pooled.others,
                       &pooled.mixed, &pooled.bound})
    *place = flat(*place);
  result.factor = pooled.factor;
  result.wanted = pooled.result;
  SmallVector<Ref> added;
  for (const ProductTerm &term : pooled.added)
    added.push_back(toExpression(make, term));
  if (!added.empty())
    result.added = make.sum(added, added[0]->type);
  joinResidualScores();
  if (matchMixerOfScores() && matchOtherProducts() && chooseHeads() &&
      matchMixerOfWeights() && matchQueriesAndKeys() && matchValues() &&
      matchZeros() && matchMasks() && matchAdded())
    return std::move(result);
  reason = why;
  return std::nullopt;
}
