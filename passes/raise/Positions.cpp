// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons of positions.

#include "passes/raise/Positions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

namespace {

/// `query * i + key * j + constant`.
struct Linear {
  double query = 0, key = 0, constant = 0;
};

/// Reads numbers that are linear in two positions.
struct LinearReader {
  const Expressions &make;
  Place query, key;

  std::optional<Linear> read(Ref ref) const;
  std::optional<Linear> sum(Ref a, Ref b, double sign) const;
  std::optional<Linear> product(ArrayRef<Ref> operands) const;
};

} // namespace

std::optional<Linear> LinearReader::sum(Ref a, Ref b, double sign) const {
  auto left = read(a), right = read(b);
  if (!left || !right)
    return std::nullopt;
  return Linear{left->query + sign * right->query,
                left->key + sign * right->key,
                left->constant + sign * right->constant};
}

std::optional<Linear> LinearReader::product(ArrayRef<Ref> operands) const {
  Linear result{0, 0, 1};
  bool isNumber = true;
  for (Ref operand : operands) {
    auto next = read(operand);
    if (!next)
      return std::nullopt;
    bool isNext = next->query == 0 && next->key == 0;
    if (!isNumber && !isNext)
      return std::nullopt;
    Linear &other = isNext ? result : *next;
    double factor = isNext ? next->constant : result.constant;
    result = {other.query * factor, other.key * factor,
              other.constant * factor};
    isNumber &= isNext;
  }
  return result;
}

std::optional<Linear> LinearReader::read(Ref ref) const {
  switch (ref->kind) {
  case Kind::Number:
    return Linear{0, 0, ref->number};
  case Kind::Position: {
    Place place = make.atoms.flat(ref->places[0]);
    if (place == query)
      return Linear{1, 0, 0};
    if (place == key)
      return Linear{0, 1, 0};
    return std::nullopt;
  }
  case Kind::Sum: {
    Linear result;
    for (Ref operand : ref->operands) {
      auto next = read(operand);
      if (!next)
        return std::nullopt;
      result = {result.query + next->query, result.key + next->key,
                result.constant + next->constant};
    }
    return result;
  }
  case Kind::Product:
    return product(ref->operands);
  case Kind::Apply:
    if (isa<arith::IndexCastOp, arith::SIToFPOp, arith::ExtSIOp>(ref->op))
      return read(ref->operands[0]);
    if (isa<arith::AddIOp>(ref->op))
      return sum(ref->operands[0], ref->operands[1], 1);
    if (isa<arith::SubIOp>(ref->op))
      return sum(ref->operands[0], ref->operands[1], -1);
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

std::optional<Distance> mixattn::readDistance(const Expressions &make,
                                              Ref condition, bool isSeen,
                                              ArrayRef<Atom> query,
                                              ArrayRef<Atom> key) {
  if (!condition->is(Kind::Apply))
    return std::nullopt;
  std::optional<Relation> relation = relationOf(condition->op);
  if (!relation)
    return std::nullopt;
  LinearReader reader{make, make.atoms.flat(query), make.atoms.flat(key)};
  auto difference =
      reader.sum(condition->operands[0], condition->operands[1], -1);
  if (!difference || std::abs(difference->query) != 1 ||
      difference->query != -difference->key)
    return std::nullopt;
  if (!isSeen)
    relation = contraryOf(*relation);
  bool isBelow =
      *relation == Relation::Less || *relation == Relation::LessEqual;
  bool isStrict = *relation == Relation::Less || *relation == Relation::Greater;
  // sign (i - j) + constant is below or above 0: i - j is at most or at least
  // its negative.
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
  (sign > 0 ? distance.before : distance.after) = int64_t(last);
  return distance;
}
