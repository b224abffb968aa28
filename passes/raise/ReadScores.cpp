// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scores of a softmax as an expression, and what becomes of a raw score.

#include "passes/raise/ReadElement.h"
#include "passes/raise/Scores.h"
#include "passes/raise/SingleQuery.h"

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
  return std::move(result);
}
