// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions that are written out one by one, as one with an index.

#include "passes/raise/Expression.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

Ref Expressions::rename(Ref ref, const DenseMap<Atom, Atom> &renamed) {
  auto other = [&](ArrayRef<Atom> place) {
    Place result = atoms.flat(place);
    for (Atom &atom : result)
      if (auto found = renamed.find(atom); found != renamed.end())
        atom = found->second;
    return result;
  };
  Expression made = *ref;
  for (Place &place : made.places)
    place = other(place);
  made.bound = other(made.bound);
  for (Ref &operand : made.operands)
    operand = rename(operand, renamed);
  return keep(std::move(made));
}

/// Whether two ops compute the same of their operands.
static bool areSameOps(Operation *a, Operation *b) {
  return a == b || (a && b && a->getName() == b->getName() &&
                    a->getAttrDictionary() == b->getAttrDictionary());
}

Ref Expressions::joinPieces(ArrayRef<Atom> place, ArrayRef<Ref> operands) {
  Ref first = operands[0];
  if (llvm::all_of(operands, [&](Ref each) { return areSame(first, each); }))
    return first;
  // Where some are sums, the others are sums of a single operand; and so with
  // products. Each may have a number of its own: 0 or 1 where it has not.
  auto isAny = [&](Kind kind) {
    return llvm::any_of(operands, [&](Ref each) { return each->is(kind); });
  };
  bool isSum = isAny(Kind::Sum);
  bool isProduct = !isSum && isAny(Kind::Product);
  SmallVector<Ref> wholes;
  for (Ref each : operands) {
    bool isWhole = each->is(isSum ? Kind::Sum : Kind::Product);
    if ((isSum || isProduct) && !isWhole) {
      Expression made{isSum ? Kind::Sum : Kind::Product, each->type};
      made.operands = {each};
      each = keep(std::move(made));
    }
    wholes.push_back(each);
  }
  first = wholes[0];
  size_t most = 0;
  for (Ref each : wholes)
    most = std::max<size_t>(most, each->operands.size());
  SmallVector<SmallVector<Ref>> inner;
  Place bound = atoms.flat(first->bound);
  for (Ref each : wholes) {
    Place own = atoms.flat(each->bound);
    if (each->kind != first->kind || !areSameOps(first->op, each->op) ||
        each->operands.empty() || own.size() != bound.size() ||
        each->is(Kind::Pieces))
      return pieces(place, operands);
    DenseMap<Atom, Atom> renamed;
    for (auto [from, to] : llvm::zip_equal(own, bound)) {
      if (!(atoms.sizeOf(from) == atoms.sizeOf(to)))
        return pieces(place, operands);
      renamed[from] = to;
    }
    SmallVector<Ref> mine;
    for (Ref operand : each->operands)
      mine.push_back(own == bound ? operand : rename(operand, renamed));
    if (mine.size() + 1 == most && (isSum || isProduct))
      mine.push_back(number(isSum ? 0 : 1, first->type));
    if (mine.size() != most)
      return pieces(place, operands);
    inner.push_back(mine);
  }
  SmallVector<Ref> joined;
  for (size_t i = 0; i < most; ++i) {
    SmallVector<Ref> each;
    for (const SmallVector<Ref> &of : inner)
      each.push_back(of[i]);
    joined.push_back(joinPieces(place, each));
  }
  return rebuild(first, joined);
}
