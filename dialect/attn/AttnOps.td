// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops of the attn dialect.

#ifndef MIXATTN_DIALECT_ATTN_OPS_TD
#define MIXATTN_DIALECT_ATTN_OPS_TD

include "dialect/attn/AttnDialect.td"
include "dialect/attn/AttnInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Operand types
//===----------------------------------------------------------------------===//

class Attn_TensorOf<list<Type> elements, list<int> ranks>
    : ShapedContainerType<elements,
          And<[IsRankedTensorTypePred, HasAnyRankOfPred<ranks>]>,
          !interleave(ranks, "D/") # "D tensor", "::mlir::RankedTensorType">;

def Attn_Float : AnyTypeOf<[F16, BF16, F32]>;
def Attn_Features : Attn_TensorOf<[F16, BF16, F32], [4]>;
def Attn_Matrix : Attn_TensorOf<[F16, BF16, F32], [2]>;
def Attn_Bias : Attn_TensorOf<[F16, BF16, F32], [0, 1, 2, 3, 4]>;
def Attn_Mask : Attn_TensorOf<[I1], [0, 1, 2, 3, 4]>;
def Attn_Lengths : Attn_TensorOf<[I32, I64], [1]>;

//===----------------------------------------------------------------------===//
// Shared clauses
//===----------------------------------------------------------------------===//

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, traits>;

/// An op that computes one attention: its operands after `leading` are the
/// clauses that every attention takes, in the order in which they act.
class Attn_AttentionOp<string mnemonic, dag leading, list<Trait> traits = []>
    : Attn_Op<mnemonic, [Pure, AttrSizedOperandSegments,
          AttrSizedResultSegments,
          DeclareOpInterfaceMethods<AttentionOpInterface>,
          InferTypeOpAdaptorWithIsCompatible,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
              ["reifyResultShapes"]>] # traits> {
  let arguments = !con(leading,
      (ins Optional<Attn_Bias>:$bias, Optional<Attn_Mask>:$mask,
           Optional<Attn_Lengths>:$lengths, UnitAttr:$causal,
           OptionalAttr<Attn_BandAttr>:$band));
  let regions = (region MaxSizedRegion<1>:$score_mod);
  let results = (outs Attn_Features:$result,
                      Optional<Attn_TensorOf<[F32], [4]>>:$weights,
                      Optional<Attn_TensorOf<[F32], [3]>>:$lse);
  let hasVerifier = 1;

  // The results of every attention op follow from its operands alike.
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return detail::inferAttentionTypes(
          adaptor.getQuery(), adaptor.getKey(), adaptor.getValue(),
          detail::getOutputHeads(adaptor),
          adaptor.getProperties().resultSegmentSizes, types);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange given) {
      return detail::areCompatibleAttentionTypes(inferred, given);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return detail::reifyAttentionShapes(builder, *this, shapes);
    }
  }];

  string clauseFormat = [{
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`score_mod` $score_mod^)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`causal` $causal^)?
    (`band` $band^)?
  }];
  string resultFormat = [{
    `->` type($result) (`weights` type($weights)^)? (`lse` type($lse)^)?
  }];
  string typeFormat = [{
    attr-dict `:` `(` type($query) `,` type($key) `,` type($value) `)`
  }] # resultFormat;

  string clauseText = [{
    Clauses, in the order in which they act on the score of head h, query i and
    key j:

    - `bias(%bias)`: added; broadcast from the right against `[B,H,N,S]`,
      where an absent dimension or one of static size 1 repeats.
    - `score_mod { ^bb0(%s, %b, %h, %i, %j): … attn.yield %x }`: a pointwise
      change, evaluated in f32 whatever type it is written in. It holds
      elementwise `arith` and `math` ops, `tensor.extract` from captured
      tensors of rank 2 at most, captured scalars and `tensor.dim` of captured
      tensors.
    - `mask(%mask)`: true where a query may attend; broadcast as bias.
    - `lengths(%lengths)`: `[B]`; key j counts where `j < lengths[b]`; 0 to S.
    - `causal`: query i sees keys `j <= i + (S - N)`.
    - `band <lower, upper>`: `-upper <= i + (S - N) - j <= lower`.

    The weights are the softmax of the scores over the keys seen, shifted by
    the row maximum, in f32. A query that sees no key gets zeros. A weight of
    zero contributes nothing, whatever its value row holds. A score of +inf
    makes its row NaN.

    Results on request, in f32: `weights`, `[B,H,N,S]`, the weights that
    multiply the values; `lse`, `[B,H,N]`, the logarithm of the softmax's sum,
    -inf for a query that sees no key.

    Constraints:

    - (C1) `query`, `key` and `value` have static heads and features.
    - (C2) `query` and `key` agree on the element type.
    - (C3) `query`, `key` and `value` agree on the batch.
    - (C4) `key` and `value` agree on the length.
    - (C5) `query` and `key` agree on the feature size.
    - (C6) the heads of `key` divide the heads of `query`, and the heads of
      `value` divide the heads of the result.
    - (C7) `scale` is finite in f32.
    - (C8) `bias` and `mask` broadcast from the right to `[B,H,N,S]`.
    - (C9) `lengths` has one element per batch row.
    - (C10) `score_mod` takes a float score and four indices, yields a score
      of the same type, and holds the ops named above only.
    - (C11) the result is `[B,H,N,E]` of the value's element type.
  }];
}

/// Keys, with components or without.
def Attn_Keys : Attn_TensorOf<[F16, BF16, F32], [4, 5]>;
/// Terms of scores per query or key, of heads or of heads and components.
def Attn_Terms : Attn_TensorOf<[F16, BF16, F32], [3, 4]>;
def Attn_Shifts : Attn_TensorOf<[F16, BF16, F32], [3]>;
def Attn_Prior : Attn_TensorOf<[F16, BF16, F32], [2, 3]>;
def Attn_Vector : Attn_TensorOf<[F16, BF16, F32], [1]>;

defvar Attn_Sequences =
    (ins Attn_Features:$query, Attn_Features:$key, Attn_Features:$value);
defvar Attn_KeySequences =
    (ins Attn_Features:$query, Attn_Keys:$key, Attn_Features:$value);

/// How several keys per position make one score.
defvar Attn_ComponentOperands =
    (ins Optional<Attn_Shifts>:$shifts, Optional<Attn_Prior>:$prior,
         OptionalAttr<DenseF64ArrayAttr>:$variances, UnitAttr:$maximum);

defvar Attn_ComponentConstraints = [{
    - (C12) `shifts` are `[Hk,R,D]` beside keys without components.
    - (C13) there is one variance per component; it and its inverse are
      positive and normal numbers in f32.
    - (C14) `prior` is `[Hq,R]` or `[Hq,R,S]`, and there are components.
    - (C15) the maximum takes components and no prior.
}];

/// The forms of a mixer before the softmax.
defvar Attn_PremixOperands =
    (ins Optional<Attn_Matrix>:$premixer, Optional<Attn_Matrix>:$w1,
         Optional<Attn_Vector>:$b1, Optional<Attn_Matrix>:$w2,
         Optional<Attn_Vector>:$b2, UnitAttr:$relu_per_key);

defvar Attn_PremixConstraints = [{
    - (C16) the mixer of scores is `[Hq,H]`, H static.
    - (C17) the MLP is `w1 [Hq,L]`, `b1 [L]`, `w2 [L,H]`, `b2 [H]`, all there
      and static, or none.
    - (C18) `relu_per_key` comes with a linear mixer.
}];

/// The two forms of a mixer after the softmax.
defvar Attn_PostmixOperands =
    (ins Optional<Attn_Matrix>:$mixer, Optional<Attn_Features>:$mix_source,
         Optional<Attn_Matrix>:$mix_weight, Optional<Attn_Matrix>:$mix_bias);

defvar Attn_PostmixConstraints = [{
    - (C19) `mixer` is `[H,H]`.
    - (C20) the per-row mixer reads `[B,H,N,Dm]`, with weights `[Dm,H]` and an
      offset `[H,H]`; all three are there or none.
}];

//===----------------------------------------------------------------------===//
// attn.softmax
//===----------------------------------------------------------------------===//

def Attn_SoftmaxOp : Attn_AttentionOp<"softmax",
    !con(Attn_Sequences,
         (ins UnitAttr:$gaussian, OptionalAttr<F64Attr>:$scale)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Scaled dot-product attention";
  let description = [{
    `o[b,h,i,e] = sum_j softmax_j(s[b,h,i,j]) v[b,h',j,e]` (Vaswani et al.
    2017, equation 1), with scores
    `s[b,h,i,j] = scale * sum_d q[b,h,i,d] k[b,h',j,d]`, h' being the key head
    that query head h reads, `h * Hk div H`.

    - `gaussian`: the score is `-|q - k|^2 / (2 sqrt(D))` instead (mixture of
      Gaussian keys, section 2.1, with one key); it takes no scale.
    - `scale x`: the factor on the product; 1/sqrt(D) where it is absent.

  }] # clauseText # [{
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
    $query `,` $key `,` $value (`gaussian` $gaussian^)? (`scale` $scale^)?
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
    `[H,R,S]`, need not be normalised, and -inf switches a component off.

  }] # clauseText # Attn_ComponentConstraints # [{
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
  let extraClassDeclaration = [{
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

    `scale x`, 1/sqrt(D) where it is absent, multiplies the mixed score, or
    with `scale_before` each G_k. The mask acts after the mixer only: minus
    infinity times a negative weight would be plus infinity.

  }] # clauseText # Attn_PremixConstraints # [{
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

  }] # clauseText # Attn_PostmixConstraints # [{
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
    !con(Attn_KeySequences, Attn_ComponentOperands,
         (ins Optional<Attn_Terms>:$query_term, Optional<Attn_Terms>:$key_term),
         Attn_PremixOperands, Attn_PostmixOperands,
         (ins UnitAttr:$gaussian, OptionalAttr<F64Attr>:$scale,
              UnitAttr:$scale_before, UnitAttr:$finite))> {
  let summary = "Any attention, stage by stage: the normal form";
  let description = [{
    What `linalg.generic` is to tensor algebra: every named op generalises
    into it, and passes know only it. The stages, in the order in which they
    act and in which they are written:

    | stage | clause | meaning |
    |---|---|---|
    | scores | `scores(%q, %k)`, `shifted_by`, `gaussian`, `variances`, `query_term`, `key_term` | per query head and component: `q . k_r`, divided by variance r where variances are given, or `-\|q - k_r\|^2 / (2 variance_r)`; plus a term per query and a term per key |
    | combine | `maximum`, `prior` | components to one score: their maximum, or logsumexp of prior + score |
    | premix | `premix(%m)`, `relu_per_key`, `premix_mlp(%w1, %b1, %w2, %b2)` | query heads to output heads, as in `attn.admixture_heads` |
    | scale | `scale`, `scale_before` | after the premix, or before it; 1 where variances are given or scores are Gaussian, else 1/sqrt(D) |
    | modify | `bias`, `score_mod` | pointwise |
    | mask | `mask`, `lengths`, `causal`, `band` | keys that a query sees |
    | normalise | | softmax over the keys seen |
    | postmix | `postmix(%m)`, `postmix_by_row(%source, %w, %bias)` | weights over heads, as in `attn.mix_heads` |
    | pool | `pool(%v)` | sum of weighted values |

    Components come from keys `[B,Hk,R,S,D]`, from shifts `[Hk,R,D]`, or from
    terms `[B,Hq,R,N]` and `[B,Hk,R,S]`. `finite` promises that no operand
    holds NaN or infinity, which lets zero weights prune.

    }] # clauseText # Attn_ComponentConstraints # Attn_PremixConstraints
       # Attn_PostmixConstraints # [{
    - (C21) one form of each mixer is given at most.
    - (C22) `query_term` is `[B,Hq,N]` or `[B,Hq,R,N]`, `key_term` `[B,Hk,S]`
      or `[B,Hk,R,S]`.
    - (C23) all that have components agree on their number.

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
    `scores` `(` $query `,` $key `:` type($query) `,` type($key) `)`
    (`shifted_by` `(` $shifts^ `:` type($shifts) `)`)?
    (`gaussian` $gaussian^)? (`variances` $variances^)?
    (`query_term` `(` $query_term^ `:` type($query_term) `)`)?
    (`key_term` `(` $key_term^ `:` type($key_term) `)`)?
    (`maximum` $maximum^)?
    (`prior` `(` $prior^ `:` type($prior) `)`)?
    (`premix` `(` $premixer^ `:` type($premixer) `)`)?
    (`relu_per_key` $relu_per_key^)?
    (`premix_mlp` `(` $w1^ `,` $b1 `,` $w2 `,` $b2 `:` type($w1) `,` type($b1)
      `,` type($w2) `,` type($b2) `)`)?
    (`scale` $scale^)? (`scale_before` $scale_before^)?
  }] # clauseFormat # [{
    (`postmix` `(` $mixer^ `:` type($mixer) `)`)?
    (`postmix_by_row` `(` $mix_source^ `,` $mix_weight `,` $mix_bias `:`
      type($mix_source) `,` type($mix_weight) `,` type($mix_bias) `)`)?
    (`finite` $finite^)?
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
