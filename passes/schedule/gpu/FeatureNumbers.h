// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of a query or a key, number by number, as a thread computes them.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_FEATURE_NUMBERS_H
#define MIXATTN_PASSES_SCHEDULE_GPU_FEATURE_NUMBERS_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/KernelBuffers.h"

namespace mixattn {

/// Whether a feature is a function of one number of the row, in its column, and
/// of a number that all share.
inline bool hasPointwiseFeatures(std::optional<FeatureMapAttr> map) {
  return !map || (map->getKind() != FeatureKind::Dpfp &&
                  map->getKind() != FeatureKind::Favor);
}

/// Emits features of rows that a feature map of an op makes.
class FeatureNumbers {
public:
  /// Gives number `column` of a row, an f32.
  using Row = llvm::function_ref<mlir::Value(mlir::Value column)>;

  /// Rows have `inputs` numbers; `buffers` those of the op's kernel.
  FeatureNumbers(mlir::ImplicitLocOpBuilder &b, FeatureOpInterface op,
                 int64_t inputs, KernelBuffers &buffers)
      : b(b), at(b), op(op), buffers(buffers), inputs(inputs) {}

  int64_t count() const { return getNumFeatures(op, inputs); }
  bool isPointwise() { return hasPointwiseFeatures(op.getFeatureMap()); }
  /// The type of a number that all features of a row share, or null where
  /// there is none.
  mlir::Type getSharedType();
  /// That number: the inverse of a sum, or half of a squared norm.
  mlir::Value emitShared(Row row);
  /// Feature `feature` of `row`, an f32; `shared` is the row's shared number.
  mlir::Value emit(Row row, mlir::Value feature, mlir::Value shared);

private:
  bool has(FeatureKind kind) {
    std::optional<FeatureMapAttr> map = op.getFeatureMap();
    return map && map->getKind() == kind;
  }
  /// The sum of `term` of every input, of `type`.
  mlir::Value emitSum(mlir::Type type,
                      llvm::function_ref<mlir::Value(mlir::Value)> term);
  mlir::Value emitRolled(Row row, mlir::Value feature);
  mlir::Value emitRandom(Row row, mlir::Value feature, mlir::Value shared);
  mlir::Value emitNegated(mlir::Value number, mlir::Value isNegated);

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  FeatureOpInterface op;
  KernelBuffers &buffers;
  int64_t inputs;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_FEATURE_NUMBERS_H
