// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element of a tensor, as an expression of elements of other tensors.

#include "passes/raise/Expression.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

Ref Expressions::keep(Expression expression) {
  return &made.emplace_back(std::move(expression));
}

Ref Expressions::number(double value, Type type) {
  return keep({Kind::Number, type, value});
}

Ref Expressions::element(Value tensor, ArrayRef<Place> places) {
  Expression made{Kind::Element, getElementTypeOrSelf(tensor)};
  made.tensor = tensor;
  made.places = llvm::to_vector(places);
  return keep(std::move(made));
}

Ref Expressions::position(ArrayRef<Atom> place, Type type) {
  if (place.empty())
    return number(0, type);
  Expression made{Kind::Position, type};
  made.places = {Place(place)};
  return keep(std::move(made));
}

/// The operands of `operands`, those of the same kind taken apart, and what
/// `join` makes of all numbers.
static double flatten(ArrayRef<Ref> operands, Kind kind, double neutral,
                      function_ref<double(double, double)> join,
                      SmallVectorImpl<Ref> &result) {
  double number = neutral;
  for (Ref operand : operands) {
    if (operand->is(Kind::Number))
      number = join(number, operand->number);
    else if (operand->is(kind))
      number =
          join(number, flatten(operand->operands, kind, neutral, join, result));
    else
      result.push_back(operand);
  }
  return number;
}

Ref Expressions::sum(ArrayRef<Ref> operands, Type type) {
  Expression made{Kind::Sum, type};
  double rest =
      flatten(operands, Kind::Sum, 0, std::plus<double>(), made.operands);
  if (made.operands.empty())
    return number(rest, type);
  if (rest != 0)
    made.operands.push_back(number(rest, type));
  return made.operands.size() == 1 ? made.operands[0] : keep(std::move(made));
}

Ref Expressions::product(ArrayRef<Ref> operands, Type type) {
  Expression made{Kind::Product, type};
  double factor = flatten(operands, Kind::Product, 1, std::multiplies<double>(),
                          made.operands);
  squareRoots(made.operands);
  if (made.operands.empty())
    return number(factor, type);
  if (factor != 1)
    made.operands.push_back(number(factor, type));
  return made.operands.size() == 1 ? made.operands[0] : keep(std::move(made));
}

Ref Expressions::reciprocal(Ref operand) {
  if (operand->is(Kind::Number))
    return number(1 / operand->number, operand->type);
  Expression made{Kind::Reciprocal, operand->type};
  made.operands = {operand};
  return keep(std::move(made));
}

Ref Expressions::total(Ref operand, ArrayRef<Atom> bound) {
  if (bound.empty())
    return operand;
  Expression made{Kind::Total, operand->type};
  made.operands = {operand};
  made.bound = Place(bound);
  return keep(std::move(made));
}

Ref Expressions::largest(Ref operand, ArrayRef<Atom> bound) {
  if (bound.empty())
    return operand;
  Expression made{Kind::Largest, operand->type};
  made.operands = {operand};
  made.bound = Place(bound);
  return keep(std::move(made));
}

Ref Expressions::any(Ref operand, ArrayRef<Atom> bound) {
  if (bound.empty())
    return operand;
  Expression made{Kind::Any, operand->type};
  made.operands = {operand};
  made.bound = Place(bound);
  return keep(std::move(made));
}

Ref Expressions::apply(Operation *op, ArrayRef<Ref> operands) {
  Expression made{Kind::Apply, op->getResult(0).getType()};
  made.operands = llvm::to_vector(operands);
  made.op = op;
  return keep(std::move(made));
}

Ref Expressions::pieces(ArrayRef<Atom> place, ArrayRef<Ref> operands) {
  Expression made{Kind::Pieces, operands[0]->type};
  made.places = {Place(place)};
  made.operands = llvm::to_vector(operands);
  return keep(std::move(made));
}

Ref Expressions::negation(Ref operand) {
  Expression made{Kind::Not, operand->type};
  made.operands = {operand};
  return keep(std::move(made));
}

Ref Expressions::all(ArrayRef<Ref> operands) {
  if (operands.size() == 1)
    return operands[0];
  Expression made{Kind::All, operands[0]->type};
  made.operands = llvm::to_vector(operands);
  return keep(std::move(made));
}

Ref Expressions::raw(Type type) { return keep({Kind::Raw, type}); }

Ref Expressions::rebuild(Ref ref, ArrayRef<Ref> operands) {
  if (ArrayRef(ref->operands) == operands)
    return ref;
  if (ref->is(Kind::Sum))
    return sum(operands, ref->type);
  if (ref->is(Kind::Product))
    return product(operands, ref->type);
  Expression made = *ref;
  made.operands = llvm::to_vector(operands);
  return keep(std::move(made));
}

Place Expressions::freeAtoms(Ref ref) const {
  Place result = atoms.flatAll(ref->places);
  for (Ref operand : ref->operands)
    for (Atom atom : freeAtoms(operand))
      if (!llvm::is_contained(result, atom))
        result.push_back(atom);
  Place bound = atoms.flat(ref->bound);
  llvm::erase_if(result,
                 [&](Atom atom) { return llvm::is_contained(bound, atom); });
  return result;
}

Place Expressions::freeAtoms(ArrayRef<Ref> refs) const {
  Place result;
  for (Ref ref : refs)
    for (Atom atom : freeAtoms(ref))
      if (!llvm::is_contained(result, atom))
        result.push_back(atom);
  return result;
}

bool Expressions::areSame(Ref a, Ref b,
                          const DenseMap<Atom, Atom> &renamed) const {
  if (a == b && renamed.empty())
    return true;
  if (a->kind != b->kind || a->type != b->type || a->number != b->number ||
      a->tensor != b->tensor || a->places.size() != b->places.size() ||
      a->operands.size() != b->operands.size())
    return false;
  if (a->op != b->op &&
      (a->op->getName() != b->op->getName() ||
       a->op->getAttrDictionary() != b->op->getAttrDictionary()))
    return false;
  DenseMap<Atom, Atom> names = renamed;
  Place aBound = atoms.flat(a->bound), bBound = atoms.flat(b->bound);
  if (aBound.size() != bBound.size())
    return false;
  for (auto [one, other] : llvm::zip_equal(aBound, bBound))
    names[other] = one;
  for (auto [one, other] : llvm::zip_equal(a->places, b->places)) {
    Place right = atoms.flat(other);
    for (Atom &atom : right)
      if (auto found = names.find(atom); found != names.end())
        atom = found->second;
    if (atoms.flat(one) != right)
      return false;
  }
  for (auto [one, other] : llvm::zip_equal(a->operands, b->operands))
    if (!areSame(one, other, names))
      return false;
  return true;
}
