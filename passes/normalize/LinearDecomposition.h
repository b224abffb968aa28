// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain path of one linear attention.

#ifndef MIXATTN_PASSES_NORMALIZE_LINEAR_DECOMPOSITION_H
#define MIXATTN_PASSES_NORMALIZE_LINEAR_DECOMPOSITION_H

#include "passes/normalize/Features.h"

namespace mixattn {

/// Emits features, states and quotients. States and all that is read from them
/// are f64: sums over any number of keys are as exact as their terms.
class LinearDecomposition : public FeatureEmitter {
public:
  LinearDecomposition(LinearAttentionOpInterface op,
                      mlir::RewriterBase &rewriter);

  /// The attention's result.
  mlir::Value emit();

private:
  /// sum_j f_j v_j^T, [B,H,F,E], and sum_j f_j, [B,H,F], of some heads.
  struct State {
    mlir::Value values, features;
  };
  /// The keys that a state is summed over; the first of them is key `begin`.
  struct Keys {
    mlir::Value features, values, prior, begin;
  };
  /// The parts of the quotients, [B,Hq,N,E] and [B,Hq,N].
  struct Reads {
    mlir::Value numerators, denominators;
  };

  Keys slice(const Keys &keys, mlir::OpFoldResult begin,
             mlir::OpFoldResult count);
  mlir::Value addKeys(mlir::Value sums, const Keys &keys, bool withValues);
  State addKeys(State state, const Keys &keys);
  mlir::Value emitMixture(mlir::Value source, mlir::Value mixer,
                          mlir::Value offset, bool rectified);
  State emitPremix(State state);
  mlir::Value addReads(mlir::Value sums, mlir::Value queries,
                       mlir::Value state);
  Reads addReads(Reads reads, mlir::Value queries, State state);
  bool isEmpty() const;
  Reads emitCausal(mlir::Value queries, const Keys &keys, State state,
                   Reads reads);
  mlir::Value emitQuotients(Reads reads);

  mlir::OpFoldResult batch, heads, keyHeads, queryCount, keyCount, features,
      valueFeatures;
  /// S - N, by which queries and keys are aligned.
  mlir::Value alignment;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_NORMALIZE_LINEAR_DECOMPOSITION_H
