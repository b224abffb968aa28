// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of shapes that verifiers share, with a note at the party at fault.

#ifndef MIXATTN_DIALECT_ATTN_VERIFY_SHAPES_H
#define MIXATTN_DIALECT_ATTN_VERIFY_SHAPES_H

#include "dialect/attn/AttnOps.h"

namespace mixattn::detail {

/// An operand and what an error calls it.
struct Party {
  llvm::StringRef name;
  mlir::Value value;

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
};

/// Adds a note that says where `party` comes from.
mlir::InFlightDiagnostic &noteDefinition(mlir::InFlightDiagnostic &error,
                                         const Party &party);

/// Checks that dimension `dim` of `party`, its `what`, is static (C1).
llvm::LogicalResult verifyStatic(mlir::Operation *op, const Party &party,
                                 unsigned dim, llvm::StringRef what);

/// Checks that dim `aDim` of `a` equals dim `bDim` of `b`.
llvm::LogicalResult verifyDimsAgree(mlir::Operation *op, llvm::StringRef what,
                                    const Party &a, unsigned aDim,
                                    const Party &b, unsigned bDim);

/// Checks that the shape of `party` is `shape`; dynamic sizes are any.
llvm::LogicalResult verifyShape(mlir::Operation *op, const Party &party,
                                llvm::ArrayRef<int64_t> shape);

/// Checks that `party` broadcasts from the right to `shape`.
llvm::LogicalResult verifyBroadcast(mlir::Operation *op, const Party &party,
                                    llvm::ArrayRef<int64_t> shape);

/// Checks that the heads of `party`, its dimension 1, divide `heads`, those of
/// `of` (C6).
llvm::LogicalResult verifyHeadsDivide(mlir::Operation *op, const Party &party,
                                      llvm::StringRef of, int64_t heads,
                                      const Party &other);

/// C2: `query` and `key` agree on the element type. In a kernel, keys may be
/// f32.
llvm::LogicalResult verifyElementTypes(mlir::Operation *op, const Party &query,
                                       const Party &key);

/// Checks the MLP over heads, all four of its operands there or none: `w1`
/// [sources,L], `b1` [L], `w2` [L,heads], `b2` [heads], L static.
llvm::LogicalResult verifyMlp(mlir::Operation *op, mlir::Value w1,
                              mlir::Value b1, mlir::Value w2, mlir::Value b2,
                              int64_t sources, int64_t heads);

/// C1 to C6, C9, C12 to C14, C22 and C23: what is compared, and which pairs of
/// query and key there are.
llvm::LogicalResult verifyScores(ScoreOpInterface op);

/// Checks the map of `op` over `inputs` numbers: the map favor, and no other,
/// has a projection `[inputs,m]`, m static.
llvm::LogicalResult verifyFeatures(FeatureOpInterface op, int64_t inputs);

/// Checks what a state is summed over: keys, values, lengths, features and
/// components fit.
llvm::LogicalResult verifyStateKeys(LinearKeysOpInterface op);

/// Checks that `eps` and `output_scale` are finite in f32, and `eps` is not
/// negative.
llvm::LogicalResult verifyQuotient(LinearReadsOpInterface op);

} // namespace mixattn::detail

#endif // MIXATTN_DIALECT_ATTN_VERIFY_SHAPES_H
