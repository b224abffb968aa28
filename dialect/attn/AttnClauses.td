// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clauses of attention ops: operands, syntax, meaning, constraints, and the
// methods by which passes ask for them.

#ifndef MIXATTN_DIALECT_ATTN_CLAUSES_TD
#define MIXATTN_DIALECT_ATTN_CLAUSES_TD

include "dialect/attn/AttnDialect.td"
include "mlir/IR/OpBase.td"

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
/// Keys, with components or without.
def Attn_Keys : Attn_TensorOf<[F16, BF16, F32], [4, 5]>;
/// Terms of scores per query or key, of heads or of heads and components.
def Attn_Terms : Attn_TensorOf<[F16, BF16, F32], [3, 4]>;
def Attn_Shifts : Attn_TensorOf<[F16, BF16, F32], [3]>;
def Attn_Prior : Attn_TensorOf<[F16, BF16, F32], [2, 3]>;
/// One integer.
def Attn_Number : Attn_TensorOf<[I64], [0]>;
def Attn_MixerOfScores : Attn_TensorOf<[F16, BF16, F32], [1, 2]>;
def Attn_Vector : Attn_TensorOf<[F16, BF16, F32], [1]>;

//===----------------------------------------------------------------------===//
// Syntax and meaning
//===----------------------------------------------------------------------===//

/// Syntax, meaning and constraints of clauses, those that only some ops take
/// first. Fields, since a pasted defvar is taken for a word.
class Attn_ClauseTexts {
  string componentConstraints = [{
    - (C12) `shifts` are `[Hk,R,D]`, and the keys then have no components.
    - (C13) there is one variance per component; it and its inverse are
      positive and normal numbers in f32.
    - (C14) `prior` is `[Hq,R]` or `[Hq,R,S]`, and there are components. Each
      head of it has a value above -inf: checked of an argument when the entry
      is called, of a constant when it is named (`attn-bind-names`).
}];

  string maximumConstraint = [{
    - (C15) the maximum takes components and no prior.
}];

  string projectionFormat = [{
    (`projected_by` `(` $key_projection^ `,` $value_projection `:`
      type($key_projection) `,` type($value_projection) `)`)?
}];

  string projectionText = [{
    - `projected_by(%e, %f)`, `[C,S]` both: keys become `sum_j e[c,j] k[j]`
      and values `sum_j f[c,j] v[j]` (Linformer, Wang et al. 2020, equation 7),
      computed in f32; bias, mask and all that follow then see C keys.
}];

  string projectionConstraints = [{
    - (C24) both projections are `[C,S]`, C static, or absent; they come with
      keys without components and without `shifted_by`, `key_term`, `lengths`,
      `causal`, `band` and `keep`, which speak of positions.
}];

  string noiseFormat = [{
    (`noise` $noise_kind^ `sigma` `(` $sigma `:` type($sigma) `)`)?
    (`drawn` `(` $noise^ `:` type($noise) `)`)?
    (`philox` `(` $seed^ `,` $offset `:` type($seed) `,` type($offset) `)`)?
}];

  string noiseText = [{
    - `noise <kind> sigma(%sigma)`: `G_k + sigma[k] n` takes the place of G_k,
      with n the standard normal noise of local head a (`<local>`, equation 8)
      or of global head k (`<global>`, the released code). It is given,
      `drawn(%n)`, `[B,H,N,S]` or `[B,M,N,S]`, or made where it is used,
      `philox(%seed, %offset)`: Philox4x32-10 (Salmon et al. 2011) with the
      counter `(j div 4, i, b heads + head, offset mod 2^32)` and the key
      `(seed mod 2^32, seed div 2^32)`; words pair up by Box and Muller with
      `u = ((word >> 9) + 0.5) 2^-23`.
}];

  string premixConstraints = [{
    - (C16) the mixer of scores is `[Hq,H]`, H static, or `[Hq]`: one column
      for all output heads, of which there are as many as value heads.
    - (C17) the MLP is `w1 [Hq,L]`, `b1 [L]`, `w2 [L,H]`, `b2 [H]`, all there
      and static, or none.
    - (C18) `relu_per_key` comes with a linear mixer.
    - (C25) noise has a sigma `[Hq]`, comes with a mixer, `<local>` with a
      linear one, and is either drawn, `[B,H,N,S]` or `[B,Hq,N,S]`, or made
      from seed and offset.
}];

  string postmixConstraints = [{
    - (C19) `mixer` is `[H,H]`.
    - (C20) the per-row mixer reads `[B,H,N,Dm]`, with weights `[Dm,H]` and an
      offset `[H,H]`; all three are there or none.
}];

  string clauseFormat = [{
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`score_mod` $score_mod^)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`causal` $causal^)?
    (`band` $band^)?
    (`from` `(` $start^ `:` type($start) `)`)?
    (`sigsoftmax` $sigsoftmax^)?
    (`keep` $keep^)?
  }];

  string clauseText = [{
    Clauses, in the order in which they act on the score of head h, query i and
    key j:

    - `bias(%bias)`: added; broadcast from the right against `[B,H,N,S]`,
      where an absent dimension or one of static size 1 repeats.
    - `score_mod { ^bb0(%s, %b, %h, %i, %j): … attn.yield %x }`: a pointwise
      change, evaluated in f32 whatever type it is written in. It holds
      elementwise `arith` and `math` ops, `tensor.extract` from captured
      tensors, captured scalars and `tensor.dim` of captured tensors.
    - `mask(%mask)`: true where a query may attend; broadcast as bias.
    - `lengths(%lengths)`: `[B]`; key j counts where `j < lengths[b]`; 0 to S.
    - `causal`: query i sees keys `j <= i + (S - N)`.
    - `band <lower, upper>`: `-upper <= i + (S - N) - j <= lower`.
    - `from(%start)`: `[B]`, 0 to S; `start[b]` takes the place of `S - N` in
      `causal`, `band` and `keep`: query 0 stands at key `start[b]`. Of a cache
      with room left, keys after the last query's are not read.
    - `sigsoftmax`: each exponential of the softmax is weighed by the sigmoid
      of its score: the softmax of `s - log(1 + exp(-s))` (Kanai et al. 2018,
      equation 10), which no longer ignores what is added to a whole row.
    - `keep <lower, upper>`: of the weights, those outside this band become
      zero and the others stay as they are (band plus sparse pooling, section
      2: the projection on a band).

    The weights are the softmax of the scores over the keys seen, shifted by
    the row maximum, in f32. A query that sees no key gets zeros. A weight that
    its place makes zero (`mask`, `lengths`, `causal`, `band`, `keep`)
    contributes nothing, whatever its key and value rows hold. A weight may
    also be zero because its exponential is too small or a mixer's entry is
    zero: then a value that is not finite may make the result NaN. A score of +inf makes its row NaN.

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
    - (C26) `from` has one element per batch row, and comes with `causal`,
      `band` or `keep`.
    - (C10) `score_mod` takes a float score and four indices, yields a score
      of the same type, and holds the ops named above only.
    - (C11) the result is `[B,H,N,E]` of the value's element type, or of f32:
      the pooled values before they are rounded.
  }];
}

//===----------------------------------------------------------------------===//
// Operands and methods
//===----------------------------------------------------------------------===//

// Methods of what scores need are ScoreOpInterface's, the others
// AttentionOpInterface's. An op that does not have a clause answers null or
// none.

/// An operand that may be absent.
class Attn_OperandMethod<string name, string text>
    : InterfaceMethod<text, "::mlir::Value", name, (ins), /*methodBody=*/"",
                      "return {};">;

defvar Attn_Sequences =
    (ins Attn_Features:$query, Attn_Features:$key, Attn_Features:$value);
defvar Attn_KeySequences =
    (ins Attn_Features:$query, Attn_Keys:$key, Attn_Features:$value);

/// The clauses that every attention takes, in the order in which they act.
defvar Attn_CommonOperands =
    (ins Optional<Attn_Bias>:$bias, Optional<Attn_Mask>:$mask,
         Optional<Attn_Lengths>:$lengths, UnitAttr:$causal,
         OptionalAttr<Attn_BandAttr>:$band, Optional<Attn_Lengths>:$start,
         UnitAttr:$sigsoftmax,
         OptionalAttr<Attn_BandAttr>:$keep);
defvar Attn_CommonOfScores = [
  InterfaceMethod<"True where a query may attend, or null.",
                  "::mlir::Value", "getMask">,
  InterfaceMethod<"Keys per batch row that count, or null.",
                  "::mlir::Value", "getLengths">,
  InterfaceMethod<"Whether query i sees only keys j <= i + (S - N).",
                  "bool", "getCausal">,
  InterfaceMethod<"The band of keys that a query sees, or none.",
                  "::std::optional<::mixattn::BandAttr>", "getBand">,
  Attn_OperandMethod<"getStart",
      "The key per batch row that query 0 stands at, or null: S - N.">];
defvar Attn_CommonOfAttention = [
  InterfaceMethod<"Added to the mixed and scaled score, or null.",
                  "::mlir::Value", "getBias">,
  InterfaceMethod<"The pointwise change of a score; empty where absent.",
                  "::mlir::Region &", "getScoreMod">,
  InterfaceMethod<"Whether exponentials are weighed by the sigmoid of their score.",
                  "bool", "getSigsoftmax">,
  InterfaceMethod<"The band outside which weights are dropped, or none.",
                  "::std::optional<::mixattn::BandAttr>", "getKeep">];

/// How several keys per position make one score.
defvar Attn_ComponentOperands =
    (ins Optional<Attn_Shifts>:$shifts, Optional<Attn_Prior>:$prior,
         OptionalAttr<DenseF64ArrayAttr>:$variances, UnitAttr:$maximum);
defvar Attn_ComponentsOfScores = [
  Attn_OperandMethod<"getShifts",
      "The shifts that components add to the keys, `[Hk,R,D]`, or null.">,
  InterfaceMethod<"The variance of each component, or none.",
                  "::std::optional<::llvm::ArrayRef<double>>", "getVariances", (ins),
                  /*methodBody=*/"", "return ::std::nullopt;">,
  Attn_OperandMethod<"getPrior",
      "The logarithm of each component's prior, `[Hq,R]` or `[Hq,R,S]`, or null.">];
defvar Attn_ComponentsOfAttention = [
  InterfaceMethod<"Whether components combine by their maximum; else by logsumexp.",
                  "bool", "getMaximum", (ins),
                  /*methodBody=*/"", "return false;">];

/// The projections of the lengths of keys and values.
defvar Attn_ProjectionOperands =
    (ins Optional<Attn_Matrix>:$key_projection,
         Optional<Attn_Matrix>:$value_projection);
defvar Attn_ProjectionOfScores = [
  Attn_OperandMethod<"getKeyProjection",
      "The projection of the keys' length, `[C,S]`, or null.">];
defvar Attn_ProjectionOfAttention = [
  Attn_OperandMethod<"getValueProjection",
      "The projection of the values' length, `[C,S]`, or null.">];

/// The forms of a mixer before the softmax, and noise in what it mixes.
defvar Attn_PremixOperands =
    (ins Optional<Attn_MixerOfScores>:$premixer, Optional<Attn_Matrix>:$w1,
         Optional<Attn_Vector>:$b1, Optional<Attn_Matrix>:$w2,
         Optional<Attn_Vector>:$b2, UnitAttr:$relu_per_key,
         OptionalAttr<Attn_NoiseAttr>:$noise_kind,
         Optional<Attn_Vector>:$sigma, Optional<Attn_Features>:$noise,
         Optional<Attn_Number>:$seed, Optional<Attn_Number>:$offset);
defvar Attn_PremixOfAttention = [
  Attn_OperandMethod<"getPremixer",
      "The linear mixer `[Hq,H]` before the softmax, or `[Hq]` for all heads alike, or null.">,
  InterfaceMethod<"Whether the linear mixer's terms pass through a ReLU.",
                  "bool", "getReluPerKey", (ins),
                  /*methodBody=*/"", "return false;">,
  Attn_OperandMethod<"getW1",
      "The MLP before the softmax, `[Hq,L] [L] [L,H] [H]`, or nulls.">,
  Attn_OperandMethod<"getB1", "See getW1.">,
  Attn_OperandMethod<"getW2", "See getW1.">,
  Attn_OperandMethod<"getB2", "See getW1.">,
  InterfaceMethod<"Whether noise is drawn per output head (local) or per query head (global), or none.",
                  "::std::optional<::mixattn::NoiseKind>", "getNoiseKind", (ins),
                  /*methodBody=*/"", "return ::std::nullopt;">,
  Attn_OperandMethod<"getSigma",
      "The factor `[Hq]` of the noise, or null.">,
  Attn_OperandMethod<"getNoise",
      "Noise that is drawn already, `[B,H,N,S]` or `[B,Hq,N,S]`, or null.">,
  Attn_OperandMethod<"getSeed",
      "The seed of noise from Philox, a tensor of rank 0, or null.">,
  Attn_OperandMethod<"getOffset",
      "The offset of noise from Philox, a tensor of rank 0, or null.">];

/// The two forms of a mixer after the softmax.
defvar Attn_PostmixOperands =
    (ins Optional<Attn_Matrix>:$mixer, Optional<Attn_Features>:$mix_source,
         Optional<Attn_Matrix>:$mix_weight, Optional<Attn_Matrix>:$mix_bias);
defvar Attn_PostmixOfAttention = [
  Attn_OperandMethod<"getMixer",
      "The mixer `[H,H]` of weights, or null.">,
  Attn_OperandMethod<"getMixSource",
      "The source of the per-row mixer of weights, `[B,H,N,Dm]`, or null.">,
  Attn_OperandMethod<"getMixWeight",
      "The weights `[Dm,H]` of the per-row mixer, or null.">,
  Attn_OperandMethod<"getMixBias",
      "The offset `[H,H]` of the per-row mixer, or null.">];

/// All of them.
defvar Attn_ScoreMethods = Attn_CommonOfScores # Attn_ComponentsOfScores #
    Attn_ProjectionOfScores;
defvar Attn_AttentionMethods = Attn_CommonOfAttention #
    Attn_ComponentsOfAttention # Attn_ProjectionOfAttention #
    Attn_PremixOfAttention # Attn_PostmixOfAttention;

#endif // MIXATTN_DIALECT_ATTN_CLAUSES_TD
