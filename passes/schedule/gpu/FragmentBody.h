// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention's body on fragments, for every family of GPUs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_BODY_H
#define MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_BODY_H

#include "dialect/tile/TileOps.h"
#include "passes/body/Body.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/KeyRange.h"

namespace mixattn {

/// Emits what happens to the products of a block's queries with some keys, from
/// products to weights, and to outputs at the end. How products come about is
/// each family's own.
class FragmentBody {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  FragmentBody(mlir::ImplicitLocOpBuilder &b, KernelOp kernel);

protected:
  /// The running maximum of every row, which weights are relative to, and their
  /// sum.
  struct Statistics {
    mlir::Value reference, sum;
  };

  /// Begins with the item that `grid` is at: `queries` queries from the first
  /// of its block on.
  void emitItem(tile::GridOp grid, int64_t queries);

  /// The exponents of the weights of `keys` keys from `firstKey` on, of their
  /// products; -inf of what is hidden.
  Values emitExponents(mlir::Value firstKey, int64_t keys,
                       mlir::ValueRange products);
  /// The weights of `exponents`. `statistics` are brought up to date, and
  /// `lowered` becomes the factor of what was added up before.
  mlir::Value emitWeights(mlir::Value firstKey, mlir::ValueRange exponents,
                          Statistics &statistics, mlir::Value &lowered);
  /// `fragment` with every row multiplied by its factor.
  mlir::Value emitScaled(mlir::Value fragment, mlir::Value factors);
  /// Writes the outputs, which `outputs` are but for the division by `sum`.
  void emitResults(mlir::Value outputs, mlir::Value sum);

  /// Those of rows that have seen nothing.
  Statistics emitNoStatistics();

  mlir::Value constant(mlir::Type type, double number);
  mlir::VectorType fragment(int64_t columns) {
    return mlir::VectorType::get({columns / 2}, b.getF32Type());
  }
  mlir::VectorType rows() { return mlir::VectorType::get({2}, b.getF32Type()); }
  mlir::Value sizeOf(OperandDim of) {
    return b.createOrFold<mlir::memref::DimOp>(buffers.bufferOf(of.value),
                                               of.dim);
  }

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  AttentionOpInterface op;
  KernelBuffers buffers;
  Body body;
  Softmax softmax;

  mlir::Value batch, head, firstQuery, numQueries;
  KeyRange range;

private:
  /// A map over elements whose first key is `firstKey`.
  Values emitMap(mlir::Value firstKey, mlir::ValueRange operands,
                 size_t results,
                 llvm::function_ref<Values(const ScorePlace &, mlir::Value key,
                                           mlir::ValueRange elements)>
                     element);
  Values emitSeenExponents(mlir::Value firstKey, mlir::ValueRange products);
};

/// The grid of an attention's kernel, at which the builder then stands: blocks
/// of `queries` queries, heads, batch.
tile::GridOp makeBlocks(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
                        int64_t queries, int64_t threads);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_FRAGMENT_BODY_H
