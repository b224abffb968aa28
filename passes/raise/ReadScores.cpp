// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scores of a softmax as an expression, and what becomes of a raw score.

#include "passes/raise/ReadElement.h"
#include "passes/raise/Scores.h"
#include "passes/raise/SingleQuery.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// `ref` with what its elements are computed from.
static Ref readWithin(Expressions &make, ElementReader &reader, Ref ref) {
  if (ref->is(Kind::Element))
    return reader.read(ref->tensor, ref->places);
  SmallVector<Ref> operands;
  for (Ref operand : ref->operands)
    operands.push_back(readWithin(make, reader, operand));
  return make.rebuild(ref, operands);
}

/// Calls `visit` on the tensors of all elements below `ref`.
static void forTensors(Ref ref, llvm::function_ref<void(Value)> visit) {
  if (ref->is(Kind::Element))
    visit(ref->tensor);
  for (Ref operand : ref->operands)
    forTensors(operand, visit);
}

/// Whether `value` is computed from one of `sources`.
static bool followsFrom(Value value, const llvm::DenseSet<Value> &sources) {
  SmallVector<Value> left = {value};
  llvm::DenseSet<Value> seen;
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (sources.contains(next))
      return true;
    Operation *op = next.getDefiningOp();
    if (!op)
      continue;
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(left, op->getOperands());
    llvm::append_range(left, captured);
  }
  return false;
}

bool ScoreReader::comparesWithItself(Ref ref) const {
  if (ref->operands.empty())
    return false;
  if (llvm::any_of(ref->operands,
                   [&](Ref each) { return comparesWithItself(each); }))
    return true;
  if (!ref->is(Kind::Apply) || !isa<arith::CmpFOp>(ref->op))
    return false;
  std::function<bool(Ref)> isScore = [&](Ref each) {
    return each->is(Kind::Raw) || llvm::any_of(each->operands, isScore);
  };
  if (!isScore(ref) && !sumsBoth(ref))
    return false;
  llvm::DenseSet<Value> queries, keys;
  auto collect = [&](const SummedProduct &product) {
    for (Ref each : product.queries)
      forTensors(each, [&](Value tensor) { queries.insert(tensor); });
    for (Ref each : product.keys)
      forTensors(each, [&](Value tensor) { keys.insert(tensor); });
  };
  collect(result.raw);
  for (const SummedProduct &other : result.raw.others)
    collect(other);
  for (const ProductTerm &term : result.raw.terms)
    for (Ref factor : term.factors)
      forTensors(factor, [&](Value tensor) {
        Dependence on = dependenceOf(factor);
        (on.onQuery ? queries : keys).insert(tensor);
      });
  bool follows = false;
  forTensors(ref, [&](Value tensor) {
    bool isFactor = queries.contains(tensor) || keys.contains(tensor);
    follows |=
        !isFactor && followsFrom(tensor, queries) && followsFrom(tensor, keys);
  });
  return follows;
}

std::optional<ReadScores> ScoreReader::read(const FoundSoftmax &softmax,
                                            ArrayRef<Place> places,
                                            ArrayRef<Ref> zeroed,
                                            std::string &why) {
  // Queries and keys are operands as they are: what depends on one of them
  // alone is not taken apart.
  bool hasDim = meet(make.atoms.flatAll(places), make.atoms.flat(query));
  Value from = softmax.scores ? softmax.scores : softmax.weights;
  llvm::SetVector<Operation *> ofQuery;
  if (!hasDim)
    ofQuery = findOpsOfQuery(from);
  ElementReader reader(make, [&](Value value, ArrayRef<Place> at) {
    Place atoms = make.atoms.flatAll(at);
    bool onQuery = hasDim ? meet(atoms, make.atoms.flat(query))
                          : ofQuery.contains(value.getDefiningOp());
    return !onQuery || !meet(atoms, make.atoms.flat(key));
  });
  Ref all = reader.read(from, places);
  for (Ref choice : zeroed)
    result.zeroed.push_back({readWithin(make, reader, choice->operands[0]),
                             /*isSeen=*/!choice->operands[1]->isNumber(0)});
  if (!hasDim)
    all = placeQuery(make, all, query, key);
  Ref changed = softmax.scores ? findRaw(peelMasks(all)) : readPowers(all);
  if (!changed) {
    why = reason;
    return std::nullopt;
  }
  // A sum with the raw score may be a bias.
  SmallVector<Ref> sum(changed->is(Kind::Sum) ? changed->operands
                                              : SmallVector<Ref>{changed});
  if (llvm::any_of(sum, [](Ref each) { return each->is(Kind::Raw); })) {
    for (Ref each : sum)
      // A term that is the same for all keys changes no weight.
      if (!each->is(Kind::Raw) && dependenceOf(each).onKey)
        result.added.push_back(each);
  } else {
    result.changed = changed;
  }
  SmallVector<Ref> read(result.added);
  if (result.changed)
    read.push_back(result.changed);
  for (const auto &conditions : {result.seen, result.zeroed})
    for (const Visibility &each : conditions)
      read.push_back(each.condition);
  if (!result.raw.isGiven &&
      llvm::any_of(read, [&](Ref each) { return comparesWithItself(each); })) {
    why = "scores are compared with what follows from them";
    return std::nullopt;
  }
  return std::move(result);
}
