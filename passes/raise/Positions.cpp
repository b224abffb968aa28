// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of positions.

#include "passes/raise/Positions.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

namespace {

/// `query * i + key * j + constant + factor * start`.
struct Linear {
  double query = 0, key = 0, constant = 0, factor = 0;
  /// An element of integers, or null: then the factor is 0.
  Ref start = nullptr;

  bool isNumber() const { return query == 0 && key == 0 && !start; }
  Linear times(double by) const {
    return {query * by, key * by, constant * by, factor * by, start};
  }
};

/// Reads numbers that are linear in two positions and an element.
struct LinearReader {
  Expressions &make;
  Place query, key;

  std::optional<Linear> read(Ref ref) const;
  std::optional<Linear> readElement(Ref ref) const;
  std::optional<Linear> add(std::optional<Linear> a,
                            std::optional<Linear> b) const;
  std::optional<Linear> difference(Ref a, Ref b) const;
  std::optional<Linear> product(ArrayRef<Ref> operands) const;
};

} // namespace

std::optional<Linear> LinearReader::add(std::optional<Linear> a,
                                        std::optional<Linear> b) const {
  if (!a || !b || (a->start && b->start && !make.areSame(a->start, b->start)))
    return std::nullopt;
  Linear result{a->query + b->query, a->key + b->key, a->constant + b->constant,
                a->factor + b->factor, a->start ? a->start : b->start};
  if (result.factor == 0)
    result.start = nullptr;
  return result;
}

std::optional<Linear> LinearReader::difference(Ref a, Ref b) const {
  std::optional<Linear> other = read(b);
  return other ? add(read(a), other->times(-1)) : std::nullopt;
}

std::optional<Linear> LinearReader::product(ArrayRef<Ref> operands) const {
  Linear result{0, 0, 1};
  for (Ref operand : operands) {
    std::optional<Linear> next = read(operand);
    if (!next || (!result.isNumber() && !next->isNumber()))
      return std::nullopt;
    result = next->isNumber() ? result.times(next->constant)
                              : next->times(result.constant);
  }
  return result;
}

/// An integer of a tensor, followed to where it is computed.
std::optional<Linear> LinearReader::readElement(Ref ref) const {
  if (!ref->type.isInteger(32) && !ref->type.isInteger(64))
    return std::nullopt;
  ElementReader reader(make, [](Value, ArrayRef<Place>) { return false; });
  Ref computed = reader.read(ref->tensor, ref->places);
  if (!computed->is(Kind::Element))
    return read(computed);
  return Linear{0, 0, 0, 1, computed};
}

std::optional<Linear> LinearReader::read(Ref ref) const {
  switch (ref->kind) {
  case Kind::Number:
    return Linear{0, 0, ref->number};
  case Kind::Element:
    return readElement(ref);
  case Kind::Position: {
    Place place = make.atoms.flat(ref->places[0]);
    // The only index of a dim of size 1.
    if (make.atoms.staticSize(place) == 1)
      return Linear{};
    if (place == query)
      return Linear{1, 0, 0};
    if (place == key)
      return Linear{0, 1, 0};
    return std::nullopt;
  }
  case Kind::Sum: {
    std::optional<Linear> result = Linear{};
    for (Ref operand : ref->operands)
      result = add(result, read(operand));
    return result;
  }
  case Kind::Product:
    return product(ref->operands);
  case Kind::Apply:
    if (isa<arith::IndexCastOp, arith::SIToFPOp, arith::ExtSIOp>(ref->op))
      return read(ref->operands[0]);
    if (isa<arith::AddIOp>(ref->op))
      return add(read(ref->operands[0]), read(ref->operands[1]));
    if (isa<arith::SubIOp>(ref->op))
      return difference(ref->operands[0], ref->operands[1]);
    if (isa<arith::MulIOp>(ref->op))
      return product(ref->operands);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

namespace {
enum class Relation { Less, LessEqual, Greater, GreaterEqual };
} // namespace

static std::optional<Relation> relationOf(Operation *op) {
  using I = arith::CmpIPredicate;
  using F = arith::CmpFPredicate;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    switch (compare.getPredicate()) {
    case I::slt:
      return Relation::Less;
    case I::sle:
      return Relation::LessEqual;
    case I::sgt:
      return Relation::Greater;
    case I::sge:
      return Relation::GreaterEqual;
    default:
      return std::nullopt;
    }
  // Positions are no NaN.
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    switch (compare.getPredicate()) {
    case F::OLT:
    case F::ULT:
      return Relation::Less;
    case F::OLE:
    case F::ULE:
      return Relation::LessEqual;
    case F::OGT:
    case F::UGT:
      return Relation::Greater;
    case F::OGE:
    case F::UGE:
      return Relation::GreaterEqual;
    default:
      return std::nullopt;
    }
  return std::nullopt;
}

static Relation contraryOf(Relation relation) {
  switch (relation) {
  case Relation::Less:
    return Relation::GreaterEqual;
  case Relation::LessEqual:
    return Relation::Greater;
  case Relation::Greater:
    return Relation::LessEqual;
  case Relation::GreaterEqual:
    return Relation::Less;
  }
  llvm_unreachable("unknown relation");
}

std::optional<Distance> mixattn::readDistance(Expressions &make, Ref condition,
                                              bool isSeen, ArrayRef<Atom> query,
                                              ArrayRef<Atom> key) {
  if (!condition->is(Kind::Apply))
    return std::nullopt;
  std::optional<Relation> relation = relationOf(condition->op);
  if (!relation)
    return std::nullopt;
  LinearReader reader{make, make.atoms.flat(query), make.atoms.flat(key)};
  auto difference =
      reader.difference(condition->operands[0], condition->operands[1]);
  if (!difference)
    return std::nullopt;
  // A single query is at position 0.
  if (make.atoms.staticSize(reader.query) == 1)
    difference->query = -difference->key;
  if (std::abs(difference->query) != 1 ||
      difference->query != -difference->key ||
      (difference->start && difference->factor != difference->query))
    return std::nullopt;
  if (!isSeen)
    relation = contraryOf(*relation);
  bool isBelow =
      *relation == Relation::Less || *relation == Relation::LessEqual;
  bool isStrict = *relation == Relation::Less || *relation == Relation::Greater;
  // sign (i + start - j) + constant is below or above 0: the distance is at
  // most or at least its negative.
  double sign = difference->query, bound = -difference->constant;
  if (!isBelow) {
    sign = -sign;
    bound = -bound;
  }
  // sign (i - j) <= bound in whole numbers.
  double last = isStrict ? std::ceil(bound) - 1 : std::floor(bound);
  if (!(std::abs(last) < 1e15))
    return std::nullopt;
  Distance distance;
  distance.start = difference->start;
  (sign > 0 ? distance.before : distance.after) = int64_t(last);
  return distance;
}
