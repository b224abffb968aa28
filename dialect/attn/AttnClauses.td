// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared parts of attention ops: operand types, clauses, constraints.

#ifndef MIXATTN_DIALECT_ATTN_CLAUSES_TD
#define MIXATTN_DIALECT_ATTN_CLAUSES_TD

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

/// The clauses that only some ops take, and what holds of them. Fields, since a
/// pasted defvar is taken for a word.
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
}

/// An op that computes one attention: its operands after `leading` are the
/// clauses that every attention takes, in the order in which they act.
class Attn_AttentionOp<string mnemonic, dag leading, list<Trait> traits = []>
    : Attn_Op<mnemonic, [Pure, AttrSizedOperandSegments,
          AttrSizedResultSegments,
          DeclareOpInterfaceMethods<AttentionOpInterface>,
          InferTypeOpAdaptorWithIsCompatible,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
              ["reifyResultShapes"]>] # traits>,
      Attn_ClauseTexts {
  let arguments = !con(leading,
      (ins Optional<Attn_Bias>:$bias, Optional<Attn_Mask>:$mask,
           Optional<Attn_Lengths>:$lengths, UnitAttr:$causal,
           OptionalAttr<Attn_BandAttr>:$band, UnitAttr:$sigsoftmax,
           OptionalAttr<Attn_BandAttr>:$keep));
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
          detail::getShapes(adaptor),
          adaptor.getProperties().resultSegmentSizes, types);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange given) {
      return detail::areCompatibleAttentionTypes(
          inferred, given, /*mayBeWide=*/true,
          /*mayBeNarrow=*/::std::is_same_v<$cppClass, GenericOp>);
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
    (`sigsoftmax` $sigsoftmax^)?
    (`keep` $keep^)?
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
    - (C10) `score_mod` takes a float score and four indices, yields a score
      of the same type, and holds the ops named above only.
    - (C11) the result is `[B,H,N,E]` of the value's element type, or of f32:
      the pooled values before they are rounded.
  }];
}

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

defvar Attn_Sequences =
    (ins Attn_Features:$query, Attn_Features:$key, Attn_Features:$value);
defvar Attn_KeySequences =
    (ins Attn_Features:$query, Attn_Keys:$key, Attn_Features:$value);

/// How several keys per position make one score.
defvar Attn_ComponentOperands =
    (ins Optional<Attn_Shifts>:$shifts, Optional<Attn_Prior>:$prior,
         OptionalAttr<DenseF64ArrayAttr>:$variances, UnitAttr:$maximum);

/// The projections of the lengths of keys and values.
defvar Attn_ProjectionOperands =
    (ins Optional<Attn_Matrix>:$key_projection,
         Optional<Attn_Matrix>:$value_projection);

/// The forms of a mixer before the softmax, and noise in what it mixes.
defvar Attn_PremixOperands =
    (ins Optional<Attn_MixerOfScores>:$premixer, Optional<Attn_Matrix>:$w1,
         Optional<Attn_Vector>:$b1, Optional<Attn_Matrix>:$w2,
         Optional<Attn_Vector>:$b2, UnitAttr:$relu_per_key,
         OptionalAttr<Attn_NoiseAttr>:$noise_kind,
         Optional<Attn_Vector>:$sigma, Optional<Attn_Features>:$noise,
         Optional<Attn_Number>:$seed, Optional<Attn_Number>:$offset);

/// The two forms of a mixer after the softmax.
defvar Attn_PostmixOperands =
    (ins Optional<Attn_Matrix>:$mixer, Optional<Attn_Features>:$mix_source,
         Optional<Attn_Matrix>:$mix_weight, Optional<Attn_Matrix>:$mix_bias);

#endif // MIXATTN_DIALECT_ATTN_CLAUSES_TD
