// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One attention that was found, clause by clause.

#ifndef MIXATTN_PASSES_RAISE_RAISED_ATTENTION_H
#define MIXATTN_PASSES_RAISE_RAISED_ATTENTION_H

#include "passes/raise/Expression.h"

namespace mixattn {

/// An operand of `attn.generic`: an expression and the place of each dim.
struct RaisedOperand {
  Expressions::Ref ref = nullptr;
  llvm::SmallVector<Place> dims = {};
  /// The element type that is needed, or null for any.
  mlir::Type type = {};
  /// The tensor where it is a constant; then there is no expression.
  mlir::TypedAttr constant = {};
  /// Operands that follow it along the last dim, joined with it to one tensor.
  std::vector<RaisedOperand> joined = {};
};

/// An attention in the words of `attn.generic`.
struct RaisedAttention {
  /// By the names that the op has for them; those that are not there are left
  /// out.
  llvm::StringMap<RaisedOperand> operands;
  double scale = 1;
  /// Whether the terms of a mixer of scores are rectified.
  bool isRectified = false;
  bool isGaussian = false;
  bool isMaximum = false;
  /// Of each component; none where products are not divided.
  llvm::SmallVector<double> variances;
  bool causal = false;
  /// Keys before and after the query's own place that it sees.
  std::optional<std::pair<int64_t, int64_t>> band;
  /// The changed score, with a raw one in it; or null.
  Expressions::Ref scoreMod = nullptr;
  /// The score_mod multiplies the raw score by `scoreFactors` first, and adds
  /// `scoreTerms` last.
  llvm::SmallVector<Expressions::Ref> scoreFactors, scoreTerms;
  Place batch, heads, query, key;
  /// The dims of the result `[B,H,N,E]`.
  llvm::SmallVector<Place> result;
  /// The dims of the tensor that it takes the place of.
  llvm::SmallVector<Place> wanted;
  /// The factors on the result.
  double factor = 1;
  llvm::SmallVector<Expressions::Ref> factors;
  /// Choices of rows that are 0, which the result stands in of weights.
  llvm::SmallVector<Expressions::Ref> zeroed;
  /// Whether a tensor of pairs of queries and keys is computed for a bias.
  bool computesPairs = false;
  /// The term added to the result, or null.
  Expressions::Ref added = nullptr;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_RAISED_ATTENTION_H
