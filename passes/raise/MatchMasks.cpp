// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which keys a query sees: masks, what is causal, bands, and zeros.

#include "passes/raise/EmptyRows.h"
#include "passes/raise/MatchAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// Takes conditions of which all must hold apart.
static void takeApart(ArrayRef<Visibility> from, SmallVector<Visibility> &to) {
  for (Visibility each : from) {
    while (Ref contrary = contraryOf(each.condition))
      each = {contrary, !each.isSeen};
    // Hides nothing.
    if (each.condition->isNumber(each.isSeen))
      continue;
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

Ref AttentionMatcher::findStart(
    ArrayRef<std::optional<Distance>> distances) const {
  for (const std::optional<Distance> &each : distances)
    if (each && each->start && each->after == 0 &&
        isWithin(make.freeAtoms(each->start), result.batch))
      return each->start;
  return nullptr;
}

SmallVector<std::optional<Distance>>
AttentionMatcher::readDistances(ArrayRef<Visibility> all) const {
  return llvm::map_to_vector(all, [&](const Visibility &each) {
    return readDistance(make, each.condition, each.isSeen, pooled.query,
                        pooled.key);
  });
}

bool AttentionMatcher::isClause(const std::optional<Distance> &bounds,
                                Ref start) const {
  if (!bounds || bounds->before.value_or(0) < 0 ||
      bounds->after.value_or(0) < 0)
    return false;
  if (start)
    return bounds->start && make.areSame(bounds->start, start);
  return !bounds->start && pooled.query.size() == 1 && pooled.key.size() == 1 &&
         make.atoms.sizeOf(pooled.query[0]) == make.atoms.sizeOf(pooled.key[0]);
}

/// Whether `ref` is so low a number that a score with it has no weight next to
/// one without, unless they lie 2^127 apart, half of what f32 holds.
static bool isLowest(Ref ref) {
  return ref->is(Kind::Number) && ref->number < -0x1p127;
}

bool AttentionMatcher::contains(ArrayRef<Visibility> all,
                                const Visibility &each) const {
  return llvm::any_of(all, [&](const Visibility &other) {
    return other.isSeen == each.isSeen &&
           make.areSame(other.condition, each.condition);
  });
}

void AttentionMatcher::takeLowest(ArrayRef<Visibility> zeroed) {
  // Products of finite numbers hide no key themselves.
  bool isAlone = !scores.raw.isGiven && scores.raw.components.empty() &&
                 scores.seen.empty() &&
                 scores.added.size() + bool(scores.changed) == 1;
  if (!isAlone)
    return;
  Ref ref = scores.changed ? scores.changed : scores.added[0];
  if (!ref->is(Kind::Apply) || !isa<arith::SelectOp>(ref->op))
    return;
  bool isSeen = isLowest(ref->operands[2]);
  Ref kept = ref->operands[isSeen ? 1 : 2];
  if (!isLowest(ref->operands[isSeen ? 2 : 1]) ||
      !(scores.changed ? kept->is(Kind::Raw) : kept->isNumber(0)))
    return;
  SmallVector<Visibility> all;
  takeApart(Visibility{ref->operands[0], isSeen}, all);
  // Each query sees its own key. Where one saw none, its keys would be alike,
  // or their weights are made 0.
  bool isZeroed = llvm::all_of(
      all, [&](const Visibility &each) { return contains(zeroed, each); });
  for (const std::optional<Distance> &each : readDistances(all))
    if (!isZeroed && !isClause(each, nullptr))
      return;
  scores.seen = all;
  scores.added.clear();
  scores.changed = nullptr;
}

bool AttentionMatcher::matchZeros() {
  for (Ref choice : pooled.zeroed) {
    Place own = make.freeAtoms(choice->operands[0]);
    if (meet(own, pooled.key))
      continue;
    if (meet(own, pooled.bound))
      return no("weights of some heads are made 0 before heads are mixed");
    result.zeroed.push_back(choice);
  }
  return true;
}

bool AttentionMatcher::matchMasks() {
  SmallVector<Visibility> all, masks, zeroed;
  takeApart(scores.zeroed, zeroed);
  takeLowest(zeroed);
  takeApart(scores.seen, all);
  // Hidden keys have no weight, and rows that see none have zeros.
  for (const Visibility &each : zeroed)
    if (!contains(all, each))
      return no("weights are made 0 where scores do not hide keys");
  SmallVector<std::optional<Distance>> distances = readDistances(all);
  // Causal and band count from a start, else from the last query and the last
  // key.
  Ref start = findStart(distances);
  Distance distance;
  for (auto [each, bounds] : llvm::zip_equal(all, distances)) {
    if (!isClause(bounds, start)) {
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
  if (start)
    give("start", start, {result.batch});
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
