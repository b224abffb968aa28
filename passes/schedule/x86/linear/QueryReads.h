// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of queries of a linear attention, which read states.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_LINEAR_QUERY_READS_H
#define MIXATTN_PASSES_SCHEDULE_X86_LINEAR_QUERY_READS_H

#include "passes/schedule/x86/linear/FeatureRows.h"
#include "passes/schedule/x86/linear/Thirds.h"

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
  /// Whether AMX multiplies the thirds of both sides. The terms are those of
  /// the features of all sources, then those of what stands inside, which are
  /// exact on the right.
  bool isAmx() const { return usesAmx; }
  /// The queries that AMX reads for at a time.
  static constexpr int64_t amxRows = 32;
  /// The terms of the features of one source.
  int64_t featureTerms() const {
    return Thirds::termsOf(columns, Thirds::Right::Split);
  }
  int64_t terms() const {
    return sources *
           (featureTerms() + Thirds::termsOf(inside, Thirds::Right::Exact));
  }
  /// `matrix`, whose rows are those of the states of all sources, as the right
  /// side of the first terms.
  void emitStateThirds(mlir::Value matrix, mlir::Value pairs);
  /// The rows of `left` for `count` queries of `head` from `first` on.
  void emitQueries(mlir::Value batch, mlir::Value head, mlir::Value first,
                   mlir::Value count);
  /// Writes the results of a few of `queries` queries of `head`, from `row` of
  /// `left` on; its first row is query `first`. Products run over the first
  /// `terms` rows of `right`.
  void emitQuotients(mlir::Value batch, mlir::Value head, mlir::Value first,
                     mlir::Value row, mlir::Value queries, mlir::Value right,
                     mlir::Value totals, mlir::Value terms);
  /// The same for `amxRows` queries, whose thirds are in `leftThirds`, over the
  /// first `terms` terms of `right`.
  void emitQuotientsByAmx(mlir::Value batch, mlir::Value head,
                          mlir::Value first, mlir::Value row,
                          mlir::Value queries, mlir::Value right,
                          mlir::Value totals, mlir::Value terms);
  /// The thirds of the features of `count` queries.
  void emitQueryThirds(mlir::Value count);
  /// Writes zeros for the queries of `head` from `first` to before `last`.
  void emitZeros(mlir::Value batch, mlir::Value head, mlir::Value first,
                 mlir::Value last);

  mlir::Value left;
  /// By AMX: the thirds of `left`.
  mlir::Value leftThirds;

private:
  void emitResults(mlir::Value batch, mlir::Value head, mlir::Value first,
                   mlir::Value row, int64_t rows, mlir::Value queries,
                   mlir::Value products, mlir::Value totals);
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
  bool usesAmx;
  Thirds thirds;
  /// The features of one query, the products of a few, and those by AMX.
  mlir::Value queryTile, productTile, amxTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_LINEAR_QUERY_READS_H
