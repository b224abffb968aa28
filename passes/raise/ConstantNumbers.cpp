// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are known for each index.

#include "passes/raise/ConstantNumbers.h"
#include "passes/raise/ReadElement.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// The value of `ref` where `place` has the index `index`.
static std::optional<double> evaluate(const Expressions &make, Ref ref,
                                      ArrayRef<Atom> place, int64_t index) {
  double result = ref->is(Kind::Product) ? 1 : 0;
  switch (ref->kind) {
  case Kind::Number:
    return ref->number;
  case Kind::Element: {
    DenseFPElementsAttr numbers;
    if (make.atoms.flatAll(ref->places) != Place(place) ||
        !matchPattern(ref->tensor, m_Constant(&numbers)))
      return std::nullopt;
    return numbers.getValues<APFloat>()[index].convertToDouble();
  }
  case Kind::Sum:
  case Kind::Product:
    for (Ref operand : ref->operands) {
      auto next = evaluate(make, operand, place, index);
      if (!next)
        return std::nullopt;
      result = ref->is(Kind::Sum) ? result + *next : result * *next;
    }
    return result;
  case Kind::Pieces:
    if (make.atoms.flat(ref->places[0]) != Place(place))
      return std::nullopt;
    return evaluate(make, ref->operands[index], place, index);
  case Kind::Reciprocal: {
    auto of = evaluate(make, ref->operands[0], place, index);
    return of ? std::optional(1 / *of) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// `ref` with what its elements are computed from.
static Ref readWhole(Expressions &make, Ref ref) {
  if (ref->is(Kind::Element))
    return ElementReader(
               make,
               [](Value value, ArrayRef<Place>) { return sumsSeveral(value); })
        .read(ref->tensor, ref->places);
  SmallVector<Ref> operands;
  for (Ref operand : ref->operands)
    operands.push_back(readWhole(make, operand));
  return make.rebuild(ref, operands);
}

std::optional<SmallVector<double>>
mixattn::readConstants(Expressions &make, Ref ref, ArrayRef<Atom> place) {
  if (!isWithin(make.freeAtoms(ref), place))
    return std::nullopt;
  int64_t count = make.atoms.staticSize(place);
  if (ShapedType::isDynamic(count))
    return std::nullopt;
  Ref whole = readWhole(make, ref);
  SmallVector<double> result;
  for (int64_t index = 0; index < count; ++index) {
    auto number = evaluate(make, whole, place, index);
    if (!number)
      return std::nullopt;
    result.push_back(*number);
  }
  return result;
}
