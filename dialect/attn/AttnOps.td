// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the attn dialect.

#ifndef MIXATTN_DIALECT_ATTN_OPS_TD
#define MIXATTN_DIALECT_ATTN_OPS_TD

include "dialect/attn/AttnAttentionOp.td"
include "dialect/attn/AttnCacheOps.td"
include "dialect/attn/AttnKernelOps.td"
include "dialect/attn/AttnPartOps.td"
include "dialect/attn/AttnStageOps.td"
include "dialect/attn/AttnTwoPassOps.td"
include "dialect/attn/AttnLinearOps.td"
include "dialect/attn/AttnLinearStageOps.td"
include "dialect/attn/AttnPoolOps.td"
include "dialect/attn/AttnTrainingOps.td"

//===----------------------------------------------------------------------===//
// attn.softmax
//===----------------------------------------------------------------------===//

def Attn_SoftmaxOp : Attn_AttentionOp<"softmax",
    !con(Attn_Sequences, Attn_ProjectionOperands,
         (ins UnitAttr:$gaussian, OptionalAttr<F64Attr>:$scale)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Scaled dot-product attention";
  let description = [{
    `o[b,h,i,e] = sum_j softmax_j(s[b,h,i,j]) v[b,h',j,e]` (Vaswani et al.
    2017, equation 1), with scores
    `s[b,h,i,j] = scale * sum_d q[b,h,i,d] k[b,h',j,d]`, h' being the key head
    that query head h reads, `h * Hk div H`.

  }] # projectionText # [{
    - `gaussian`: the score is `-|q - k|^2 / (2 sqrt(D))` instead (mixture of
      Gaussian keys, section 2.1, with one key); it takes no scale.
    - `scale x`: the factor on the product; 1/sqrt(D) where it is absent.

  }] # clauseText # projectionConstraints # [{
    - (C21) a Gaussian takes no scale.

    Example, grouped heads, causal, padded:

    ```mlir
    func.func @decoder(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                       %v: tensor<?x2x?x96xf32>, %n: tensor<?xi64>)
        -> tensor<?x8x?x96xf32> {
      %o = attn.softmax %q, %k, %v lengths(%n : tensor<?xi64>) causal
          : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x96xf32>)
          -> tensor<?x8x?x96xf32>
      return %o : tensor<?x8x?x96xf32>
    }
    ```

    Example, a soft cap (`30 tanh(s / 30)`), with the weights:

    ```mlir
    func.func @softcap(%q: tensor<1x8x7x64xf32>, %k: tensor<1x8x9x64xf32>,
                       %v: tensor<1x8x9x64xf32>)
        -> (tensor<1x8x7x64xf32>, tensor<1x8x7x9xf32>) {
      %o, %w = attn.softmax %q, %k, %v score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %cap = arith.constant 30.0 : f32
        %ratio = arith.divf %s, %cap : f32
        %t = math.tanh %ratio : f32
        %capped = arith.mulf %t, %cap : f32
        attn.yield %capped : f32
      } : (tensor<1x8x7x64xf32>, tensor<1x8x9x64xf32>, tensor<1x8x9x64xf32>)
          -> tensor<1x8x7x64xf32> weights tensor<1x8x7x9xf32>
      return %o, %w : tensor<1x8x7x64xf32>, tensor<1x8x7x9xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value
  }] # projectionFormat # [{
    (`gaussian` $gaussian^)? (`scale` $scale^)?
  }] # clauseFormat # typeFormat;
}

//===----------------------------------------------------------------------===//
// attn.mixture_of_keys
//===----------------------------------------------------------------------===//

def Attn_MixtureOfKeysOp : Attn_AttentionOp<"mixture_of_keys",
    !con(Attn_KeySequences, Attn_ComponentOperands, (ins UnitAttr:$dot)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Attention with several keys per position (MGK)";
  let description = [{
    A score combines the R components of a key:

    - `s[r] = -|q_i - k_rj|^2 / (2 variance_r)` (mixture of Gaussian keys,
      equation 7), or with `dot` `q_i . k_rj / variance_r` (equation 6);
    - `logsumexp_r(prior[h,r] + s[r])`, the prior in logarithms and zero where
      it is absent, or with `maximum` `max_r s[r]` (Hard-E).

    No further 1/sqrt(D) acts. Keys are `[B,Hk,R,S,D]`, or `[B,Hk,S,D]` with
    `shifted_by(%shifts)`, `[Hk,R,D]`: `k_rj = k_j + shift_r` (sMGK).
    `variances` are sqrt(D) where they are absent. The prior is `[H,R]` or
    `[H,R,S]`, need not be normalised, and -inf switches a component off. Each
    head has one above -inf, which is checked when an entry is called that has
    the prior for an argument.

  }] # clauseText # componentConstraints # maximumConstraint # [{
    - (C21) there are components.

    Example:

    ```mlir
    func.func @mixture(%q: tensor<?x4x?x64xf32>, %k: tensor<?x4x2x?x64xf32>,
                       %v: tensor<?x4x?x64xf32>, %prior: tensor<4x2xf32>)
        -> tensor<?x4x?x64xf32> {
      %o = attn.mixture_of_keys %q, %k, %v variances [8.0, 24.0]
          prior(%prior : tensor<4x2xf32>) causal
          : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
          -> tensor<?x4x?x64xf32>
      return %o : tensor<?x4x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`shifted_by` `(` $shifts^ `:` type($shifts) `)`)?
    (`dot` $dot^)? (`variances` $variances^)? (`maximum` $maximum^)?
    (`prior` `(` $prior^ `:` type($prior) `)`)?
  }] # clauseFormat # typeFormat;
  let ownDeclaration = [{
    bool getGaussian() { return !getDot(); }
  }];
}

//===----------------------------------------------------------------------===//
// attn.admixture_heads
//===----------------------------------------------------------------------===//

def Attn_AdmixtureHeadsOp : Attn_AttentionOp<"admixture_heads",
    !con(Attn_Sequences, Attn_PremixOperands,
         (ins OptionalAttr<F64Attr>:$scale, UnitAttr:$scale_before)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Attention whose scores are mixed over heads (FiSH)";
  let description = [{
    Queries and keys have M global heads, values and result H local heads. With
    `G_k = q_k . k_k` the score of local head a is

    - `mixer(%p)`, `[M,H]`: `sum_k p[k,a] G_k` (FiSHformer, equation 9);
    - `mixer(%p) relu_per_key`: `sum_k relu(p[k,a] G_k)` (section 2.4);
    - `mlp(%w1, %b1, %w2, %b2)`, `[M,L] [L] [L,H] [H]`:
      `b2[a] + sum_l w2[l,a] relu(b1[l] + sum_k w1[k,l] G_k)`, the head MLP of
      the released code.

    `mixer(%p)` of one dimension, `[M]`, serves all local heads alike (MiSH,
    equation 10).
  }] # noiseText # [{
    `scale x`, 1/sqrt(D) where it is absent, multiplies the mixed score, noise
    included, or with `scale_before` each G_k, before noise is added. The mask acts after the mixer only: minus
    infinity times a negative weight would be plus infinity.

  }] # clauseText # premixConstraints # [{
    - (C21) one of `mixer` and `mlp` is given.

    Example:

    ```mlir
    func.func @admixture(%q: tensor<?x2x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                         %v: tensor<?x8x?x64xf32>, %p: tensor<2x8xf32>)
        -> tensor<?x8x?x64xf32> {
      %o = attn.admixture_heads %q, %k, %v mixer(%p : tensor<2x8xf32>) causal
          : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>)
          -> tensor<?x8x?x64xf32>
      return %o : tensor<?x8x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`mixer` `(` $premixer^ `:` type($premixer) `)`)?
    (`relu_per_key` $relu_per_key^)?
    (`mlp` `(` $w1^ `,` $b1 `,` $w2 `,` $b2 `:` type($w1) `,` type($b1) `,`
      type($w2) `,` type($b2) `)`)?
  }] # noiseFormat # [{
    (`scale` $scale^)? (`scale_before` $scale_before^)?
  }] # clauseFormat # typeFormat;
}

//===----------------------------------------------------------------------===//
// attn.mix_heads
//===----------------------------------------------------------------------===//

def Attn_MixHeadsOp : Attn_AttentionOp<"mix_heads",
    !con(Attn_Sequences, Attn_PostmixOperands,
         (ins OptionalAttr<F64Attr>:$scale)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Attention whose weights are mixed over heads (Mixhead)";
  let description = [{
    With `P[b,c,i,j] = softmax_j(s[b,c,i,j])`, `s` the scaled product as in
    `attn.softmax`, the weights of output head a are
    `sum_c M[c,a] P[b,c,i,j]`, and `o[b,a,i,:] = sum_j` of them times
    `v[b,a',j,:]` (Mixhead, equations 10 to 13). M is signed and not
    normalised; its first index is the source head.

    - `mixer(%m)`, form A, position independent: `M[c,a] = m[c,a]`.
    - `mixer_by_row(%source, %w, %bias)`, form B, position wise:
      `M[b,i,c,a] = bias[c,a] + sum_d source[b,c,i,d] w[d,a]`; the source is
      usually the unscaled query.
    - `scale x`: the factor on the product; 1/sqrt(D) where it is absent.

    A mixer that is a constant identity acts as if it were absent. One whose
    per-row weights are constant zero acts as its offset. Both hold even where
    operands hold NaN.

  }] # clauseText # postmixConstraints # [{
    - (C21) one of the two forms is given.

    Example:

    ```mlir
    func.func @mixed(%q: tensor<?x8x?x64xf32>, %k: tensor<?x8x?x64xf32>,
                     %v: tensor<?x8x?x64xf32>, %m: tensor<8x8xf32>)
        -> tensor<?x8x?x64xf32> {
      %o = attn.mix_heads %q, %k, %v mixer(%m : tensor<8x8xf32>) causal
          : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
          -> tensor<?x8x?x64xf32>
      return %o : tensor<?x8x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`mixer` `(` $mixer^ `:` type($mixer) `)`)?
    (`mixer_by_row` `(` $mix_source^ `,` $mix_weight `,` $mix_bias `:`
      type($mix_source) `,` type($mix_weight) `,` type($mix_bias) `)`)?
    (`scale` $scale^)?
  }] # clauseFormat # typeFormat;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// attn.generic
//===----------------------------------------------------------------------===//

def Attn_GenericOp : Attn_AttentionOp<"generic",
    !con((ins Optional<Attn_Features>:$query, Optional<Attn_Keys>:$key,
              Optional<Attn_Features>:$given_scores, Attn_Features:$value),
         Attn_ProjectionOperands, Attn_ComponentOperands,
         (ins Optional<Attn_Terms>:$query_term, Optional<Attn_Terms>:$key_term,
              Optional<Attn_TensorOf<[F32], [4]>>:$query_factors,
              Optional<Attn_TensorOf<[F32], [4]>>:$key_factors),
         Attn_PremixOperands, Attn_PostmixOperands,
         (ins UnitAttr:$gaussian, OptionalAttr<F64Attr>:$scale,
              UnitAttr:$scale_before, UnitAttr:$base2, UnitAttr:$finite))> {
  let summary = "Any attention, stage by stage: the normal form";
  let description = [{
    What `linalg.generic` is to tensor algebra: every named op generalises
    into it, and passes know only it. The stages, in the order in which they
    act and in which they are written:

    | stage | clause | meaning |
    |---|---|---|
    | scores | `given(%s)` | `[B,Hq,N,S]`, in place of queries and keys and all that belongs to them |
    | | `scores(%q, %k)`, `projected_by`, `shifted_by`, `gaussian`, `variances`, `query_term`, `key_term` | per query head and component: `q . k_r`, divided by variance r where variances are given, or `-\|q - k_r\|^2 / (2 variance_r)`; plus a term per query and a term per key |
    | combine | `maximum`, `prior` | components to one score: their maximum, or logsumexp of prior + score |
    | premix | `premix(%m)`, `relu_per_key`, `premix_mlp(%w1, %b1, %w2, %b2)`, `noise` | query heads to output heads, as in `attn.admixture_heads` |
    | scale | `scale`, `scale_before` | after the premix, or before it; 1 where scores or variances are given or scores are Gaussian, else 1/sqrt(D) |
    | modify | `bias`, `score_mod` | pointwise |
    | mask | `mask`, `lengths`, `causal`, `band` | keys that a query sees |
    | normalise | `base2`, `sigsoftmax` | softmax over the keys seen |
    | keep | `keep` | weights outside a band dropped |
    | postmix | `postmix(%m)`, `postmix_by_row(%source, %w, %bias)` | weights over heads, as in `attn.mix_heads` |
    | pool | `pool(%v)` | sum of weighted values |

    Components come from keys `[B,Hk,R,S,D]`, from shifts `[Hk,R,D]`, or from
    terms `[B,Hq,R,N]` and `[B,Hk,R,S]`. With `base2` scores, terms and priors
    are logarithms to base 2: components combine as `log2 sum_r 2^s`, weights
    are powers of 2, and `lse` stays the natural logarithm. `finite` promises
    that no operand holds NaN or infinity, which lets zero weights prune.
    `factors` are the terms once more, as `attn.row_factors` has them: a schedule
    makes them of terms, and they change no result.

    }] # clauseText # componentConstraints # maximumConstraint # premixConstraints
       # postmixConstraints # projectionConstraints # [{
    - (C21) one form of each mixer is given at most, and either scores or
      queries and keys; given scores take no components, terms and projections,
      and have static heads.
    - (C22) `query_term` is `[B,Hq,N]` or `[B,Hq,R,N]`, `key_term` `[B,Hk,S]`
      or `[B,Hk,R,S]`.
    - (C23) all that have components agree on their number.
    - (C26) `base2` comes without `sigsoftmax`, whose sigmoid is of natural
      scores.
    - (C27) the result is of the values' type or of f32; in a kernel, whose
      values a stage may have projected, of any type.
    - (C28) `factors` come with terms of components of queries and of keys, and
      have one row more than there are components.

    Example, three components and both mixers:

    ```mlir
    func.func @mixed(%q: tensor<?x2x?x64xf32>, %k: tensor<?x2x3x?x64xf32>,
                     %v: tensor<?x8x?x64xf32>, %before: tensor<2x8xf32>,
                     %after: tensor<8x8xf32>) -> tensor<?x8x?x64xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<?x2x?x64xf32>, tensor<?x2x3x?x64xf32>)
          gaussian variances [8.0, 8.0, 24.0]
          premix(%before : tensor<2x8xf32>) causal
          postmix(%after : tensor<8x8xf32>)
          pool(%v : tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
      return %o : tensor<?x8x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    (`scores` `(` $query^ `,` $key `:` type($query) `,` type($key) `)`)?
    (`given` `(` $given_scores^ `:` type($given_scores) `)`)?
  }] # projectionFormat # [{
    (`shifted_by` `(` $shifts^ `:` type($shifts) `)`)?
    (`gaussian` $gaussian^)? (`variances` $variances^)?
    (`query_term` `(` $query_term^ `:` type($query_term) `)`)?
    (`key_term` `(` $key_term^ `:` type($key_term) `)`)?
    (`factors` `(` $query_factors^ `,` $key_factors `:` type($query_factors)
      `,` type($key_factors) `)`)?
    (`maximum` $maximum^)?
    (`prior` `(` $prior^ `:` type($prior) `)`)?
    (`premix` `(` $premixer^ `:` type($premixer) `)`)?
    (`relu_per_key` $relu_per_key^)?
    (`premix_mlp` `(` $w1^ `,` $b1 `,` $w2 `,` $b2 `:` type($w1) `,` type($b1)
      `,` type($w2) `,` type($b2) `)`)?
  }] # noiseFormat # [{
    (`scale` $scale^)? (`scale_before` $scale_before^)?
  }] # clauseFormat # [{
    (`postmix` `(` $mixer^ `:` type($mixer) `)`)?
    (`postmix_by_row` `(` $mix_source^ `,` $mix_weight `,` $mix_bias `:`
      type($mix_source) `,` type($mix_weight) `,` type($mix_bias) `)`)?
    (`base2` $base2^)? (`finite` $finite^)?
    `pool` `(` $value `:` type($value) `)` attr-dict
  }] # resultFormat;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// attn.yield
//===----------------------------------------------------------------------===//

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator,
    ParentOneOf<["SoftmaxOp", "MixtureOfKeysOp", "AdmixtureHeadsOp",
        "MixHeadsOp", "GenericOp"]>]> {
  let summary = "The changed score at the end of a score_mod region";
  let description = [{
    Yields the score that replaces the region's first argument, of its type.

    - (C1) the parent is an attention op.

    Example:

    ```mlir
    func.func @shifted(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>,
                       %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.softmax %q, %k, %v score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %one = arith.constant 1.0 : f32
        %t = arith.addf %s, %one : f32
        attn.yield %t : f32
      } : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
          -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
  }];
  let arguments = (ins Attn_Float:$score);
  let assemblyFormat = "$score attr-dict `:` type($score)";
}

#endif // MIXATTN_DIALECT_ATTN_OPS_TD
