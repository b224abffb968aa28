// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of queries of a linear attention, which read states.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_QUERY_READS_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_QUERY_READS_H

#include "passes/schedule/x86/linear/FeatureRows.h"

namespace mixattn {

/// Emits features of queries, and the quotients that they read.
///
/// A query reads by one product: a row of `left` times a matrix. The row holds
/// its features for each of `sources` heads whose states it reads side by side,
/// times the mixer's entry, and after them `inside` columns a source for more.
/// The same row times a row of totals is the denominator.
class QueryReads : public FeatureRows {
public:
  QueryReads(mlir::ImplicitLocOpBuilder &b, LinearReadsOpInterface op,
             KernelOperands &operands, mlir::Value result,
             const TileSizes &sizes, Scratch &scratch, int64_t sources,
             int64_t inside);

  void takeScratch();
  /// The columns of `left`.
  int64_t width() const { return sources * (columns + inside); }
  /// The rows of `left` for `count` queries of `head` from `first` on.
  void emitQueries(mlir::Value batch, mlir::Value head, mlir::Value first,
                   mlir::Value count);
  /// Writes the results of a few of `queries` queries of `head`, from `row` of
  /// `left` on; its first row is query `first`. Products run over the first
  /// `terms` rows of `right`.
  void emitQuotients(mlir::Value batch, mlir::Value head, mlir::Value first,
                     mlir::Value row, mlir::Value queries, mlir::Value right,
                     mlir::Value totals, mlir::Value terms);
  /// Writes zeros for the queries of `head` from `first` to before `last`.
  void emitZeros(mlir::Value batch, mlir::Value head, mlir::Value first,
                 mlir::Value last);

  mlir::Value left;

private:
  int64_t valueFeatures() {
    return llvm::cast<mlir::RankedTensorType>(op.getResult().getType())
        .getDimSize(3);
  }
  mlir::Value targetOf(mlir::Value batch, mlir::Value head) {
    return KernelBuffers::matrixAt(b, result, {batch, head});
  }

  LinearReadsOpInterface op;
  mlir::Value result;
  int64_t sources, inside;
  /// The features of one query, and the products of a few.
  mlir::Value queryTile, productTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_QUERY_READS_H
