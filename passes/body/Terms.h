// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The terms of rows that scores which are no products take.

#ifndef MIXATTN_PASSES_BODY_TERMS_H
#define MIXATTN_PASSES_BODY_TERMS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// The terms that Gaussians and shifted keys have in addition to products, one
/// of each row and component.
struct Terms {
  /// Whether queries have terms, and keys.
  bool ofQueries = false, ofKeys = false;
  /// Whether the square of a query is a part of its term. It is one constant of
  /// a row of scores where variances are equal.
  bool hasQuerySquare = false;
  /// Whether the prior is a part of the key's term.
  bool takesPrior = false;
  /// The variance of each component.
  llvm::SmallVector<double> variances;
};

/// Finds the terms of `op`.
Terms findTerms(GenericOp op);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_TERMS_H
