// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the weights of a softmax forward to the sum of weighted values.

#ifndef MIXATTN_PASSES_RAISE_POOLED_WEIGHTS_H
#define MIXATTN_PASSES_RAISE_POOLED_WEIGHTS_H

#include "passes/raise/Softmaxes.h"
#include "passes/raise/SumOfProducts.h"

namespace mixattn {

/// A tensor that sums weights times values over the keys, and mixes heads of
/// weights on the way.
struct PooledWeights {
  /// The place of each dim of the tensor, and of each dim of the weights.
  llvm::SmallVector<Place> result, weights;
  /// Of these the queries' and the keys' dim.
  Place query, key;
  /// The other atoms of the weights, in their order; those that are summed
  /// over.
  Place others, mixed;
  /// The factors that depend on keys, and those that do not.
  llvm::SmallVector<Expressions::Ref> values, mixers;
  /// All atoms that are summed over.
  Place bound;
  double factor = 1;
  /// Choices between weights and zeros.
  llvm::SmallVector<Expressions::Ref> zeroed;
  /// Terms without weights.
  llvm::SmallVector<ProductTerm> added;
};

/// Why a sum that weights come to later is no pool of them.
inline constexpr llvm::StringLiteral noSumOverKeys =
    "no sum over the keys of weights times values";

/// The sum of two terms of one softmax's `weights`, along whose dim `axis` keys
/// are: `own` has those of the result's head, and `mixed` those of all heads
/// times a mixer M. It is one term, whose mixer is M plus what `own` has on its
/// diagonal. None where values differ, or more does.
std::optional<ProductTerm> joinResidualWeights(Expressions &make,
                                               const ProductTerm &own,
                                               const ProductTerm &mixed,
                                               mlir::Value weights,
                                               unsigned axis);

/// Reads `root` as pooled weights of `softmax`; or says in `why` what it is
/// not.
std::optional<PooledWeights> readPooledWeights(Expressions &make,
                                               mlir::linalg::LinalgOp root,
                                               const FoundSoftmax &softmax,
                                               std::string &why);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_POOLED_WEIGHTS_H
