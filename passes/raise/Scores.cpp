// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the scores of a softmax back to queries and keys.

#include "passes/raise/Scores.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

static constexpr double minusInfinity =
    -std::numeric_limits<double>::infinity();

Ref ScoreReader::no(const char *text) {
  if (reason.empty())
    reason = text;
  return nullptr;
}

Dependence ScoreReader::dependenceOf(Ref ref) const {
  Place atoms = make.freeAtoms(ref);
  return {meet(atoms, make.atoms.flat(query)),
          meet(atoms, make.atoms.flat(key))};
}

/// Collects on what the elements below `ref` depend one by one.
bool ScoreReader::readsBoth(Ref ref) const {
  bool queries = false, keys = false;
  SmallVector<Ref> left = {ref};
  while (!left.empty() && !(queries && keys)) {
    Ref next = left.pop_back_val();
    llvm::append_range(left, next->operands);
    if (!next->is(Kind::Element))
      continue;
    Dependence on = dependenceOf(next);
    queries |= on.onQuery && !on.onKey;
    keys |= on.onKey && !on.onQuery;
  }
  return queries && keys;
}

bool ScoreReader::sumsBoth(Ref ref) const {
  return (ref->is(Kind::Total) && readsBoth(ref->operands[0])) ||
         llvm::any_of(ref->operands, [&](Ref each) { return sumsBoth(each); });
}

SmallVector<Ref> ScoreReader::selectScores(ArrayRef<Ref> sum) const {
  bool isAny = llvm::any_of(sum, [&](Ref each) { return sumsBoth(each); });
  SmallVector<Ref> scores;
  for (Ref each : sum)
    if (isAny ? sumsBoth(each) : readsBoth(each))
      scores.push_back(each);
  return scores;
}

Ref ScoreReader::peelMasks(Ref ref) {
  if (ref->is(Kind::Apply) && isa<arith::SelectOp>(ref->op)) {
    auto [condition, yes, no] =
        std::tuple(ref->operands[0], ref->operands[1], ref->operands[2]);
    bool isSeen = no->isNumber(minusInfinity);
    if (!isSeen && !yes->isNumber(minusInfinity))
      return ref;
    result.seen.push_back({condition, isSeen});
    return peelMasks(isSeen ? yes : no);
  }
  // -inf stays what it is where a finite number is added, and where it is
  // multiplied by one above 0.
  bool isScaled = ref->is(Kind::Product) && ref->operands.size() == 2 &&
                  ref->operands[1]->is(Kind::Number) &&
                  ref->operands[1]->number > 0;
  if (!ref->is(Kind::Sum) && !isScaled)
    return ref;
  SmallVector<Ref> operands;
  for (Ref operand : ref->operands)
    operands.push_back(peelMasks(operand));
  return make.rebuild(ref, operands);
}

Ref ScoreReader::peelScale(Ref ref, double &scale) {
  while (ref->is(Kind::Element)) {
    ElementReader reader(make, [&](Value value, ArrayRef<Place>) {
      return value != ref->tensor;
    });
    Ref inner = reader.read(ref->tensor, ref->places);
    bool isScaled = inner->is(Kind::Product) && inner->operands.size() == 2 &&
                    inner->operands[0]->is(Kind::Element) &&
                    inner->operands[1]->is(Kind::Number);
    if (!isScaled)
      return ref;
    scale *= inner->operands[1]->number;
    ref = inner->operands[0];
  }
  return ref;
}

std::optional<SummedProduct> ScoreReader::tellApart(const ProductTerm &term) {
  SummedProduct product;
  product.factor = term.factor;
  product.bound = term.bound;
  for (Ref factor : term.factors) {
    factor = peelScale(factor, product.factor);
    Dependence on = dependenceOf(factor);
    if (on.onQuery && on.onKey)
      return std::nullopt;
    (on.onQuery ? product.queries
     : on.onKey ? product.keys
                : product.mixers)
        .push_back(factor);
  }
  return product;
}

bool ScoreReader::readTerm(const ProductTerm &term) {
  std::optional<SummedProduct> product = tellApart(term);
  if (!product)
    return no("products of queries and keys are multiplied by what depends "
              "on both");
  static_cast<SummedProduct &>(result.raw) = std::move(*product);
  return true;
}

/// The expression that `ref` rectifies, or null.
static Ref findRectified(Ref ref) {
  if (!ref->is(Kind::Apply) ||
      !isa<arith::MaximumFOp, arith::MaxNumFOp>(ref->op))
    return nullptr;
  for (unsigned i : {0u, 1u})
    if (ref->operands[i]->isNumber(0))
      return ref->operands[1 - i];
  return nullptr;
}

bool ScoreReader::readHidden(const ProductTerm &term, Ref rectified, Ref rest) {
  HiddenLayer hidden{make.atoms.flat(term.bound), nullptr, rest, term.factor};
  SmallVector<Ref> sum(rectified->is(Kind::Sum) ? rectified->operands
                                                : SmallVector<Ref>{rectified});
  if (readMixedComponents(sum)) {
    hidden.offset = sum.empty() ? nullptr : make.sum(sum, rectified->type);
    result.raw.hidden = hidden;
    return true;
  }
  auto terms = expandToTerms(make, rectified);
  if (!terms || !reason.empty())
    return no("what is rectified is no sum of products");
  std::optional<ProductTerm> product;
  for (const ProductTerm &each : *terms) {
    Ref ref = toExpression(make, each);
    Dependence on = dependenceOf(ref);
    if (!on.onQuery && !on.onKey && !hidden.offset)
      hidden.offset = ref;
    else if (!product && readsBoth(ref))
      product = each;
    else
      return no("what is rectified is more than one product and an offset");
  }
  if (!product || !readTerm(*product))
    return no("what is rectified has no product of queries and keys");
  result.raw.hidden = hidden;
  return true;
}

bool ScoreReader::readRaw(const ProductTerm &term) {
  // Rectified: alone, or times what mixes it.
  for (auto [i, factor] : llvm::enumerate(term.factors)) {
    Ref rectified = findRectified(factor);
    if (!rectified || !readsBoth(rectified) || term.factors.size() > 2)
      continue;
    Ref rest = term.factors.size() == 2 ? term.factors[1 - i] : nullptr;
    if (rest)
      return readHidden(term, rectified, rest);
    auto inner = expandToTerms(make, rectified);
    if (!inner || inner->size() != 1 || !readTerm((*inner)[0]))
      return no("what is rectified is no product");
    // The factor before is one of a mixer, the one after of scores.
    RawScore &raw = result.raw;
    if (raw.factor <= 0)
      return no("what is rectified is a product times a number below 0");
    raw.factor *= term.factor;
    llvm::append_range(raw.bound, term.bound);
    raw.isRectified = true;
    return true;
  }
  return readTerm(term);
}

void ScoreReader::addProduct(SummedProduct product) {
  auto areSame = [&](ArrayRef<Ref> a, ArrayRef<Ref> b) {
    return a.size() == b.size() &&
           llvm::all_of(llvm::zip_equal(a, b), [&](auto pair) {
             return make.areSame(std::get<0>(pair), std::get<1>(pair));
           });
  };
  // As a square of a difference has it, once for each order.
  auto isOf = [&](const SummedProduct &other) {
    return areSameSets(make.atoms.flat(product.bound),
                       make.atoms.flat(other.bound)) &&
           areSame(product.queries, other.queries) &&
           areSame(product.keys, other.keys) &&
           areSame(product.mixers, other.mixers);
  };
  RawScore &raw = result.raw;
  if (!raw.isRectified && !raw.hidden && isOf(raw)) {
    raw.factor += product.factor;
    return;
  }
  auto *same = llvm::find_if(raw.others, isOf);
  if (same != raw.others.end())
    same->factor += product.factor;
  else
    raw.others.push_back(std::move(product));
}

bool ScoreReader::readGiven(SmallVector<Ref> &sum) {
  auto isOfPairs = [&](Ref factor) {
    Dependence on = dependenceOf(factor);
    return factor->is(Kind::Element) && on.onQuery && on.onKey;
  };
  for (auto [i, operand] : llvm::enumerate(sum)) {
    auto terms = expandToTerms(make, operand);
    auto *given =
        terms ? llvm::find_if(*terms,
                              [&](const ProductTerm &term) {
                                return llvm::any_of(term.factors, isOfPairs);
                              })
              : nullptr;
    if (!terms || given == terms->end())
      continue;
    RawScore &raw = result.raw;
    raw.isGiven = true;
    raw.factor = given->factor;
    raw.bound = given->bound;
    for (Ref factor : given->factors) {
      Dependence on = dependenceOf(factor);
      (on.onQuery || on.onKey ? raw.queries : raw.mixers).push_back(factor);
    }
    sum.erase(sum.begin() + i);
    for (const ProductTerm &term : *terms)
      if (&term != given)
        sum.push_back(toExpression(make, term));
    return true;
  }
  return no(noProduct.data());
}

bool ScoreReader::readProducts(ArrayRef<Ref> sum, SmallVector<Ref> &rest) {
  SmallVector<Ref> scores = selectScores(sum);
  SmallVector<ProductTerm> products;
  for (Ref operand : sum) {
    if (!llvm::is_contained(scores, operand)) {
      rest.push_back(operand);
      continue;
    }
    auto terms = expandToTerms(make, operand);
    if (!terms)
      return no("scores are no sum of products");
    for (const ProductTerm &term : *terms)
      if (readsBoth(make.product(term.factors, operand->type)))
        products.push_back(term);
      else
        rest.push_back(toExpression(make, term));
  }
  if (products.empty())
    return readGiven(rest);
  // The first whose factors are of queries or keys alone; others of them are
  // added to it, and what is none of them is a bias.
  auto *first = llvm::find_if(
      products, [&](const ProductTerm &term) { return tellApart(term); });
  if (first == products.end())
    first = products.begin();
  if (!readRaw(*first))
    return false;
  for (const ProductTerm &term : products) {
    if (&term == first)
      continue;
    if (std::optional<SummedProduct> product = tellApart(term))
      addProduct(std::move(*product));
    else
      rest.push_back(toExpression(make, term));
  }
  return true;
}

bool ScoreReader::isTimesPairs(Ref ref) const {
  return ref->is(Kind::Product) &&
         llvm::count_if(ref->operands,
                        [&](Ref each) { return readsBoth(each); }) == 1 &&
         llvm::any_of(ref->operands, [&](Ref each) {
           Dependence on = dependenceOf(each);
           return on.onQuery && on.onKey && !readsBoth(each);
         });
}

Ref ScoreReader::findRaw(Ref ref) {
  SmallVector<Ref> sum(ref->is(Kind::Sum) ? ref->operands
                                          : SmallVector<Ref>{ref});
  if (readMixedComponents(sum)) {
    if (llvm::any_of(sum, [&](Ref each) { return sumsBoth(each); }))
      return no("products of queries and keys are added to components");
    sum.push_back(make.raw(ref->type));
    return make.sum(sum, ref->type);
  }
  if (!reason.empty())
    return nullptr;
  // Pointwise functions of what queries and keys make, but rectified sums that
  // heads mix.
  auto isChangedTerm = [&](const ProductTerm &term) {
    return llvm::any_of(term.factors, [&](Ref each) {
      bool mixes = findRectified(each) && !term.bound.empty();
      return readsBoth(each) && !mixes;
    });
  };
  auto isChanged = [&](Ref operand) {
    auto terms = expandToTerms(make, operand);
    return terms && llvm::any_of(*terms, isChangedTerm);
  };
  SmallVector<Ref> scores = selectScores(sum);
  bool isAlone = scores.size() == 1 && isTimesPairs(scores[0]);
  if (!isAlone && llvm::none_of(scores, isChanged)) {
    SmallVector<Ref> rest;
    if (!readProducts(sum, rest))
      return nullptr;
    rest.push_back(make.raw(ref->type));
    return make.sum(rest, ref->type);
  }
  if (scores.size() != 1)
    return no("scores are changed, and others are added to them");
  // One operand has it, down to where products begin.
  SmallVector<Ref> operands;
  for (Ref operand : sum) {
    if (operand != scores[0]) {
      operands.push_back(operand);
      continue;
    }
    if (!operand->is(Kind::Product) && !operand->is(Kind::Apply))
      return no("scores are changed otherwise than pointwise");
    SmallVector<Ref> meeting = selectScores(operand->operands);
    if (meeting.size() != 1)
      return no("queries and keys meet in several places");
    SmallVector<Ref> inner;
    for (Ref each : operand->operands) {
      Ref next = each == meeting[0] ? findRaw(each) : each;
      if (!next)
        return nullptr;
      inner.push_back(next);
    }
    operands.push_back(make.rebuild(operand, inner));
  }
  return make.sum(operands, ref->type);
}
