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
          DeclareOpInterfaceMethods<AttentionOpInterface>,
          InferTypeOpAdaptorWithIsCompatible,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
              ["reifyResultShapes"]>] # traits> {
  let arguments = !con(leading,
      (ins OptionalAttr<F64Attr>:$scale, Optional<Attn_Bias>:$bias,
           Optional<Attn_Mask>:$mask, Optional<Attn_Lengths>:$lengths,
           UnitAttr:$causal, OptionalAttr<Attn_BandAttr>:$band));
  let regions = (region MaxSizedRegion<1>:$score_mod);
  let results = (outs Attn_Features:$result);
  let hasVerifier = 1;

  // The result of every attention op follows from its operands alike.
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return detail::inferAttentionType(adaptor.getQuery(), adaptor.getKey(),
                                        adaptor.getValue(), types);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange given) {
      return detail::isCompatibleAttentionType(inferred, given);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return detail::reifyAttentionShape(builder, *this, shapes);
    }
  }];

  string clauseFormat = [{
    (`scale` $scale^)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`score_mod` $score_mod^)?
    (`mask` `(` $mask^ `:` type($mask) `)`)?
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`causal` $causal^)?
    (`band` $band^)?
  }];
  string typeFormat = [{
    attr-dict `:` `(` type($query) `,` type($key) `,` type($value) `)`
    `->` type($result)
  }];

  string clauseText = [{
    Clauses, in the order in which they act on the score
    `s[b,h,i,j] = scale * sum_d q[b,h,i,d] k[b,h',j,d]`, h' being the key head
    that query head h reads, `h * Hk div H`:

    - `scale x`: the factor on the product; 1/sqrt(D) where it is absent.
    - `bias(%bias)`: added; broadcast from the right against `[B,H,N,S]`,
      where an absent dimension or one of static size 1 repeats.
    - `score_mod { ^bb0(%s, %b, %h, %i, %j): … attn.yield %x }`: a pointwise
      change, evaluated in f32 whatever type it is written in. It holds
      elementwise `arith` and `math` ops, `tensor.extract` from captured
      tensors of rank 2 at most, captured scalars and `tensor.dim`.
    - `mask(%mask)`: true where a query may attend; broadcast as bias.
    - `lengths(%lengths)`: `[B]`; key j counts where `j < lengths[b]`; 0 to S.
    - `causal`: query i sees keys `j <= i + (S - N)`.
    - `band <lower, upper>`: `-upper <= i + (S - N) - j <= lower`.

    The weights are the softmax of the scores over the keys seen, shifted by
    the row maximum, in f32. A query that sees no key gets zeros. A weight of
    zero contributes nothing, whatever its value row holds. A score of +inf
    makes its row NaN.

    Constraints:

    - (C1) `query`, `key` and `value` have static heads and features.
    - (C2) `query` and `key` agree on the element type.
    - (C3) `query`, `key` and `value` agree on the batch.
    - (C4) `key` and `value` agree on the length.
    - (C5) `query` and `key` agree on the feature size.
    - (C6) the heads of `key` and of `value` divide the heads of `query`.
    - (C7) `scale` is finite.
    - (C8) `bias` and `mask` broadcast from the right to `[B,H,N,S]`.
    - (C9) `lengths` has one element per batch row.
    - (C10) `score_mod` takes a float score and four indices, yields a score
      of the same type, and holds the ops named above only.
    - (C11) the result is `[B,H,N,E]` of the value's element type.
  }];
}

/// The two forms of a mixer after the softmax, as operands of an op.
defvar Attn_MixerOperands = (ins Optional<Attn_Matrix>:$mixer,
    Optional<Attn_Features>:$mix_source, Optional<Attn_Matrix>:$mix_weight,
    Optional<Attn_Matrix>:$mix_bias);

defvar Attn_MixerConstraints = [{
    - (C12) `mixer` is `[H,H]`.
    - (C13) the per-row mixer reads `[B,H,N,Dm]`, with weights `[Dm,H]` and an
      offset `[H,H]`; all three are there or none.
}];

//===----------------------------------------------------------------------===//
// attn.softmax
//===----------------------------------------------------------------------===//

def Attn_SoftmaxOp : Attn_AttentionOp<"softmax",
    (ins Attn_Features:$query, Attn_Features:$key, Attn_Features:$value),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Scaled dot-product attention";
  let description = [{
    `o[b,h,i,e] = sum_j softmax_j(s[b,h,i,j]) v[b,h',j,e]` (Vaswani et al.
    2017, equation 1).

  }] # clauseText # [{

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

    Example, a soft cap (`30 tanh(s / 30)`):

    ```mlir
    func.func @softcap(%q: tensor<1x8x7x64xf32>, %k: tensor<1x8x9x64xf32>,
                       %v: tensor<1x8x9x64xf32>) -> tensor<1x8x7x64xf32> {
      %o = attn.softmax %q, %k, %v score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %cap = arith.constant 30.0 : f32
        %ratio = arith.divf %s, %cap : f32
        %t = math.tanh %ratio : f32
        %capped = arith.mulf %t, %cap : f32
        attn.yield %capped : f32
      } : (tensor<1x8x7x64xf32>, tensor<1x8x9x64xf32>, tensor<1x8x9x64xf32>)
          -> tensor<1x8x7x64xf32>
      return %o : tensor<1x8x7x64xf32>
    }
    ```
  }];
  let assemblyFormat =
      "$query `,` $key `,` $value" # clauseFormat # typeFormat;
}

//===----------------------------------------------------------------------===//
// attn.mix_heads
//===----------------------------------------------------------------------===//

def Attn_MixHeadsOp : Attn_AttentionOp<"mix_heads",
    !con((ins Attn_Features:$query, Attn_Features:$key, Attn_Features:$value),
         Attn_MixerOperands),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Attention whose weights are mixed over heads (Mixhead)";
  let description = [{
    With `P[b,c,i,j] = softmax_j(s[b,c,i,j])`, the weights of output head a are
    `sum_c M[c,a] P[b,c,i,j]`, and `o[b,a,i,:] = sum_j` of them times
    `v[b,a',j,:]` (Mixhead, equations 10 to 13). M is signed and not
    normalised; its first index is the source head.

    - `mixer(%m)`, form A, position independent: `M[c,a] = m[c,a]`.
    - `mixer_by_row(%source, %w, %bias)`, form B, position wise:
      `M[b,i,c,a] = bias[c,a] + sum_d source[b,c,i,d] w[d,a]`; the source is
      usually the unscaled query.

    }] # clauseText # Attn_MixerConstraints # [{
    - (C14) one of the two forms is given.

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
  }] # clauseFormat # typeFormat;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// attn.generic
//===----------------------------------------------------------------------===//

def Attn_GenericOp : Attn_AttentionOp<"generic",
    !con((ins Attn_Features:$query, Attn_Features:$key, Attn_Features:$value),
         Attn_MixerOperands)> {
  let summary = "Any attention, stage by stage: the normal form";
  let description = [{
    What `linalg.generic` is to tensor algebra: every named op generalises
    into it, and passes know only it. The stages, in the order in which they
    act and in which they are written:

    | stage | clause | meaning |
    |---|---|---|
    | scores | `scores(%q, %k)`, `scale` | `scale * q . k` |
    | modify | `bias`, `score_mod` | pointwise |
    | mask | `mask`, `lengths`, `causal`, `band` | keys that a query sees |
    | normalise | | softmax over the keys seen |
    | postmix | `postmix(%m)`, `postmix_by_row(%source, %w, %bias)` | weights over heads |
    | pool | `pool(%v)` | sum of weighted values |

    }] # clauseText # Attn_MixerConstraints # [{
    - (C14) one of the two forms of the mixer is given at most.

    Example:

    ```mlir
    func.func @mixed(%q: tensor<?x8x?x64xf32>, %k: tensor<?x8x?x64xf32>,
                     %v: tensor<?x8x?x64xf32>, %m: tensor<8x8xf32>)
        -> tensor<?x8x?x64xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
          scale 0.125 causal
          postmix(%m : tensor<8x8xf32>)
          pool(%v : tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
      return %o : tensor<?x8x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    `scores` `(` $query `,` $key `:` type($query) `,` type($key) `)`
  }] # clauseFormat # [{
    (`postmix` `(` $mixer^ `:` type($mixer) `)`)?
    (`postmix_by_row` `(` $mix_source^ `,` $mix_weight `,` $mix_bias `:`
      type($mix_source) `,` type($mix_weight) `,` type($mix_bias) `)`)?
    `pool` `(` $value `:` type($value) `)` attr-dict `->` type($result)
  }];
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// attn.yield
//===----------------------------------------------------------------------===//

def Attn_YieldOp : Attn_Op<"yield", [Pure, Terminator,
    ParentOneOf<["SoftmaxOp", "MixHeadsOp", "GenericOp"]>]> {
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
