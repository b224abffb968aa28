// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the training side: the parts of a step in addition to attention.

#ifndef MIXATTN_DIALECT_ATTN_TRAINING_OPS_TD
#define MIXATTN_DIALECT_ATTN_TRAINING_OPS_TD

include "dialect/attn/AttnPoolOps.td"

def Attn_Responsibility : Attn_TensorOf<[F16, BF16, F32], [5]>;
def Attn_Penalty : Attn_TensorOf<[F16, BF16, F32], [0]>;

//===----------------------------------------------------------------------===//
// attn.responsibilities
//===----------------------------------------------------------------------===//

def Attn_ResponsibilitiesOp : Attn_SizedOp<"responsibilities",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<ScoreOpInterface>]>,
    Attn_ClauseTexts {
  let summary = "The share of each component in a mixture of keys (Soft-E)";
  let description = [{
    `gamma[b,h,r,i,j] = exp(prior[h,r] + s[r]) / sum_r' exp(prior[h,r'] +
    s[r'])`, with the scores of `attn.mixture_of_keys`:
    `s[r] = -|q_i - k_rj|^2 / (2 variance_r)`, or with `dot`
    `q_i . k_rj / variance_r` (mixture of Gaussian keys, section 2.4, setting
    B, with the key position j that the paper leaves out).

    - `shifted_by(%shifts)`, `[Hk,R,D]`, with keys `[B,Hk,S,D]`:
      `k_rj = k_j + shift_r`.
    - `variances`, one per component; sqrt(D) where they are absent.
    - `prior(%prior)`, `[H,R]` or `[H,R,S]`, in logarithms: zero where it is
      absent, -inf switches a component off. Each head has one above -inf.
    - `mask`, `lengths`, `causal` and `band` as in `attn.softmax`: where key j
      is hidden from query i, gamma is zero in all components.

    The largest component is taken out before the exponentials, all in f32, so
    that no scores are too far apart or too small; where all components are
    switched off, gamma is zero. What keys hold where they are hidden does not
    matter; a NaN or a score of +inf that is seen makes the shares at its place
    NaN. So does an infinite feature of a Gaussian, or a square beyond f32:
    `-|q - k|^2 / 2` is computed as `q . k - |q|^2 / 2 - |k|^2 / 2`.

    }] # componentConstraints # [{
    - (C1) `query` and `key` have static heads and features.
    - (C2) `query` and `key` agree on the element type.
    - (C3) `query` and `key` agree on the batch.
    - (C5) `query` and `key` agree on the feature size.
    - (C6) the heads of `key` divide the heads of `query`.
    - (C8) `mask` broadcasts from the right to `[B,H,N,S]`.
    - (C9) `lengths` has one element per batch row.
    - (C11) the result is `[B,H,R,N,S]` of the key's element type.
    - (C21) there are components.

    Example:

    ```mlir
    func.func @shares(%q: tensor<?x4x?x64xf32>, %k: tensor<?x4x2x?x64xf32>,
                      %prior: tensor<4x2xf32>) -> tensor<?x4x2x?x?xf32> {
      %gamma = attn.responsibilities %q, %k variances [8.0, 24.0]
          prior(%prior : tensor<4x2xf32>) causal
          : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>)
          -> tensor<?x4x2x?x?xf32>
      return %gamma : tensor<?x4x2x?x?xf32>
    }
    ```
  }];
  let arguments = (ins Attn_Features:$query, Attn_Keys:$key,
                       Optional<Attn_Shifts>:$shifts, UnitAttr:$dot,
                       OptionalAttr<DenseF64ArrayAttr>:$variances,
                       Optional<Attn_Prior>:$prior, Optional<Attn_Mask>:$mask,
                       Optional<Attn_Lengths>:$lengths, UnitAttr:$causal,
                       OptionalAttr<Attn_BandAttr>:$band);
  let results = (outs Attn_Responsibility:$result);
  let assemblyFormat = [{
    $query `,` $key (`shifted_by` `(` $shifts^ `:` type($shifts) `)`)?
    (`dot` $dot^)? (`variances` $variances^)?
    (`prior` `(` $prior^ `:` type($prior) `)`)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`causal` $causal^)? (`band` $band^)?
    attr-dict `:` `(` type($query) `,` type($key) `)` `->` type($result)
  }];
  let extraClassDeclaration = [{
    bool getGaussian() { return !getDot(); }
  }];
}

//===----------------------------------------------------------------------===//
// attn.prior_update
//===----------------------------------------------------------------------===//

def Attn_PriorUpdateOp : Attn_SizedOp<"prior_update"> {
  let summary = "The prior that responsibilities amount to (Soft-E)";
  let description = [{
    `prior[h,r] = 1/(B N S) sum_{b,i,j} gamma[b,h,r,i,j]`: the share of all
    that component r is responsible for (mixture of Gaussian keys, section 2.4,
    `N_r / N`, averaged over the batch as the released code does). With
    `per_key` each key keeps its own:
    `prior[h,r,j] = 1/(B N) sum_{b,i} gamma[b,h,r,i,j]`.

    The prior is no logarithm. Sums are in f64: means over millions of places
    are exact to the result's element type, which is gamma's. A mean over
    nothing is NaN; where gamma is an argument of an entry, a gamma without
    elements is an error when the entry is called. NaN and infinity pass on.

    Constraints:

    - (C1) heads and components of `responsibilities` are static.
    - (C2) no static size that the mean runs over is 0.
    - (C3) the result is `[H,R]`, or with `per_key` `[H,R,S]`, of gamma's
      element type.

    Example:

    ```mlir
    func.func @update(%gamma: tensor<?x4x2x?x?xf32>) -> tensor<4x2xf32> {
      %prior = attn.prior_update %gamma
          : tensor<?x4x2x?x?xf32> -> tensor<4x2xf32>
      return %prior : tensor<4x2xf32>
    }
    ```
  }];
  let arguments = (ins Attn_Responsibility:$responsibilities,
                       UnitAttr:$per_key);
  let results = (outs Attn_Prior:$result);
  let assemblyFormat = [{
    $responsibilities (`per_key` $per_key^)? attr-dict `:`
    type($responsibilities) `->` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// attn.orthogonal_penalty
//===----------------------------------------------------------------------===//

def Attn_OrthogonalPenaltyOp : Attn_SizedOp<"orthogonal_penalty"> {
  let summary = "How far a mixer's columns are from orthonormal (R_orth)";
  let description = [{
    `|M^T M - I|_F^2 = sum_{a,a'} (sum_c m[c,a] m[c,a'] - [a = a'])^2`, zero
    where the columns of the mixer `m`, `[C,A]`, are orthonormal (Mixhead,
    equation 16). It is computed in f64 and rounded once, to the mixer's
    element type; above that type's largest number it is infinite. A mixer
    without rows gives A, one without columns 0.

    Constraints:

    - (C1) the result is of rank 0 and of the mixer's element type.

    Example:

    ```mlir
    func.func @penalty(%m: tensor<8x8xf32>) -> tensor<f32> {
      %penalty = attn.orthogonal_penalty %m : tensor<8x8xf32> -> tensor<f32>
      return %penalty : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Attn_Matrix:$mixer);
  let results = (outs Attn_Penalty:$result);
  let hasVerifier = 0;
  let assemblyFormat = "$mixer attr-dict `:` type($mixer) `->` type($result)";
}

#endif // MIXATTN_DIALECT_ATTN_TRAINING_OPS_TD
