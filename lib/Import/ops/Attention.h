// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of attention that exporters' ops share. Queries, keys and values
// are [..., positions, features].
#ifndef MIXATTN_LIB_IMPORT_OPS_ATTENTION_H
#define MIXATTN_LIB_IMPORT_OPS_ATTENTION_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// Keys or values of fewer heads, each for as many queries' heads in a row.
Built repeatHeads(GraphBuilder &build, const Built &tensor,
                  const SizePolynomial &heads);

/// Whether all three are; fails where not.
bool areFloats(OpCall &op, const Built &query, const Built &key,
               const Built &value);

/// The products of each query with each key, in f32 or wider.
Built scoresOf(GraphBuilder &build, const Built &query, const Built &key);

/// c tanh(x / c), c being `cap`.
mlir::Value capped(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                   double cap);

/// Scores times `scale`, held below `softcap` by tanh where that is not 0, with
/// numbers added and those hidden where a mask of bools is false, mask after
/// mask.
Built modifyScores(GraphBuilder &build, const Built &scores, double scale,
                   double softcap, llvm::ArrayRef<Built> masks);

/// The sums of values that weights give, in the type of `value`.
Built poolValues(GraphBuilder &build, const Built &weights, const Built &value);

/// Which of `keys` each of `queries` sees if those up to its own place, which
/// is `offset` keys after the first, are: from `left` places before it to
/// `right` after it, without a bound where that is below 0.
Built visibleKeys(GraphBuilder &build, const SizePolynomial &queries,
                  const SizePolynomial &keys, const SizePolynomial &offset,
                  int64_t left, int64_t right);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_ATTENTION_H
