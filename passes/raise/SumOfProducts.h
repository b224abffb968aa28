// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions as sums of products.

#ifndef MIXATTN_PASSES_RAISE_SUM_OF_PRODUCTS_H
#define MIXATTN_PASSES_RAISE_SUM_OF_PRODUCTS_H

#include "passes/raise/Expression.h"

namespace mixattn {

/// `factor` times the factors, summed over the atoms `bound`. No factor is a
/// number, a sum, a product or a total.
struct ProductTerm {
  double factor = 1;
  Place bound = {};
  llvm::SmallVector<Expressions::Ref> factors = {};
};

/// The terms that `ref` is the sum of: sums distribute into products. None
/// where there would be too many, or where a total is multiplied by itself.
std::optional<llvm::SmallVector<ProductTerm>>
expandToTerms(const Expressions &make, Expressions::Ref ref);

/// The term as an expression.
Expressions::Ref toExpression(Expressions &make, const ProductTerm &term);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_SUM_OF_PRODUCTS_H
