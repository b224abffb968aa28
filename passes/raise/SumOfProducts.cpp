// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions as sums of products.

#include "passes/raise/SumOfProducts.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;
using Terms = SmallVector<ProductTerm>;

/// More terms than any attention has.
static constexpr size_t mostTerms = 64;

/// Every term of `a` times every term of `b`.
static std::optional<Terms> multiply(const Terms &a, const Terms &b) {
  if (a.size() * b.size() > mostTerms)
    return std::nullopt;
  Terms result;
  for (const ProductTerm &left : a)
    for (const ProductTerm &right : b) {
      // One index would stand for two.
      if (meet(left.bound, right.bound))
        return std::nullopt;
      ProductTerm term = left;
      term.factor *= right.factor;
      llvm::append_range(term.bound, right.bound);
      llvm::append_range(term.factors, right.factors);
      result.push_back(std::move(term));
    }
  return result;
}

std::optional<Terms> mixattn::expandToTerms(const Expressions &make, Ref ref) {
  Terms result;
  switch (ref->kind) {
  case Kind::Number:
    result.push_back({ref->number});
    return result;
  case Kind::Sum:
    for (Ref operand : ref->operands) {
      std::optional<Terms> terms = expandToTerms(make, operand);
      if (!terms || result.size() + terms->size() > mostTerms)
        return std::nullopt;
      llvm::append_range(result, *terms);
    }
    return result;
  case Kind::Product: {
    result.push_back({});
    for (Ref operand : ref->operands) {
      std::optional<Terms> terms = expandToTerms(make, operand);
      if (!terms)
        return std::nullopt;
      std::optional<Terms> product = multiply(result, *terms);
      if (!product)
        return std::nullopt;
      result = std::move(*product);
    }
    return result;
  }
  case Kind::Total: {
    std::optional<Terms> terms = expandToTerms(make, ref->operands[0]);
    if (terms)
      for (ProductTerm &term : *terms)
        for (Atom atom : make.atoms.flat(ref->bound)) {
          if (meet({atom}, make.freeAtoms(term.factors))) {
            term.bound.push_back(atom);
            continue;
          }
          // The same for each index is a multiple.
          const Size &size = make.atoms.sizeOf(atom);
          if (!size.isStatic())
            return std::nullopt;
          term.factor *= size.number;
        }
    return terms;
  }
  default:
    result.push_back({1, {}, {ref}});
    return result;
  }
}

Ref mixattn::toExpression(Expressions &make, const ProductTerm &term) {
  SmallVector<Ref> factors(term.factors);
  factors.push_back(make.number(term.factor, make.f32));
  return make.total(make.product(factors, make.f32), term.bound);
}
