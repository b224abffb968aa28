// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear attention: features of queries and keys in place of a softmax.

#ifndef MIXATTN_DIALECT_ATTN_LINEAR_OPS_TD
#define MIXATTN_DIALECT_ATTN_LINEAR_OPS_TD

include "dialect/attn/AttnAttentionOp.td"

/// The shared texts of linear attention ops. They are fields, since a pasted
/// defvar is taken for a word.
class Attn_LinearTexts {
  string favorFormat = [{
    (`favor` `(` $projection^ `:` type($projection) `)`)?
  }];
  string mapFormat = "`feature_map` $feature_map" # favorFormat;
  string shiftsFormat = [{
    (`shifted_by` `(` $shifts^ `:` type($shifts) `)`)?
  }];
  string priorFormat = [{
    (`prior` `(` $prior^ `:` type($prior) `)`)?
  }];
  string normaliserFormat = [{
    (`normaliser` `(` $normaliser^ `:` type($normaliser) `)`)?
  }];
  string clauseFormat = [{
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`causal` $causal^)? (`eps` $eps^)? (`output_scale` $output_scale^)?
  }];
  string typeFormat = [{
    attr-dict `:` `(` type($query) `,` type($key) `,` type($value) `)` `->`
    type($result)
  }];

  string componentText = [{
    Keys are `[B,Hk,R,S,D]`, or `[B,Hk,S,D]` with `shifted_by(%shifts)`,
    `[Hk,R,D]`: `k_rj = k_j + shift_r`. The prior is `[Hk,R]` or `[Hk,R,S]`,
    one where it is absent; it need not be normalised, holds no negative
    number, and zero switches a component off.
  }];

  string clauseText = [{
    Clauses:

    - `feature_map <kind>`: phi (see `#attn.feature_map`), applied to each query
      and to each key's every component.
    - `favor(%w)`, `[D,m]`: the projection of the map `<favor>`.
    - `lengths(%lengths)`: `[B]`; key j counts where `j < lengths[b]`; 0 to S.
    - `causal`: query i sees keys `j <= i + (S - N)`.
    - `eps x`: added to the denominator; 0 where it is absent.
    - `output_scale x`: multiplies the result; 1 where it is absent.

    Features are f32, sums over keys and features as exact as a few roundings
    of f32 however many keys there are, and the result is rounded to the value's
    element type. A denominator of exactly zero gives
    zeros, and so does a query that sees no key. Features of `<elu>`,
    `<normalized_elu>` and `<favor>` are positive until they underflow; those of
    `<relu>` and `<dpfp>` may all be zero, and a signed mixer can make any
    denominator vanish: near such a zero the quotient is large and inexact.

    A key that a query does not see (`lengths`, `causal`) contributes nothing to
    the query's result, whatever its key and value rows hold. Features of `<favor>` overflow to +inf where their
    exponent does; such rows may be NaN.

    Constraints:

    - (C1) `query`, `key` and `value` have static heads and features.
    - (C2) `query` and `key` agree on the element type.
    - (C3) `query`, `key` and `value` agree on the batch.
    - (C4) `key` and `value` agree on the length.
    - (C5) `query` and `key` agree on the feature size.
    - (C6) the heads of `value` divide the heads of `key`, and those of `key`
      the heads of `query` unless a mixer stands between them.
    - (C7) `eps` and `output_scale` are finite in f32, and `eps` is not
      negative.
    - (C8) `lengths` has one element per batch row.
    - (C9) the map `<favor>`, and no other, has a projection, `[D,m]`, m static.
    - (C10) the result is `[B,Hq,N,E]` of the value's element type.
  }];

  string componentConstraints = [{
    - (C11) there is one component or more; `shifts` are `[Hk,R,D]`, and the
      keys then have no components.
    - (C12) `prior` is `[Hk,R]` or `[Hk,R,S]`, and there are components. It has
      no negative element and each head has one above zero: checked of an
      argument when the entry is called, of a constant when it is named
      (`attn-bind-names`).
}];

  string premixConstraints = [{
    - (C13) the mixer is `[Hk,Hq]`.
    - (C14) the MLP is `w1 [Hk,L]`, `b1 [L]`, `w2 [L,Hq]`, `b2 [Hq]`, L static,
      with a normaliser `[Hk,Hq]`: all there or none.
}];
}

/// An op that computes one linear attention.
class Attn_LinearAttentionOp<string mnemonic, dag leading,
                             list<Trait> traits = []>
    : Attn_Op<mnemonic, [Pure, AttrSizedOperandSegments,
          DeclareOpInterfaceMethods<LinearAttentionOpInterface>,
          DeclareOpInterfaceMethods<SizedOpInterface, ["getEqualDims"]>,
          InferTypeOpAdaptorWithIsCompatible,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
              ["reifyResultShapes"]>] # traits>,
      Attn_LinearTexts {
  let arguments = !con(leading,
      (ins Optional<Attn_Matrix>:$projection, Optional<Attn_Lengths>:$lengths,
           UnitAttr:$causal, DefaultValuedAttr<F64Attr, "0.0">:$eps,
           DefaultValuedAttr<F64Attr, "1.0">:$output_scale));
  let results = (outs Attn_Features:$result);
  let hasVerifier = 1;

  let extraClassDefinition = [{
    ::llvm::SmallVector<::mixattn::OperandDim> $cppClass::getResultDims() {
      return detail::getLinearDims(getQuery(), getKey(), getValue());
    }
    ::llvm::SmallVector<::std::pair<::mixattn::OperandDim, ::mixattn::OperandDim>>
    $cppClass::getEqualDims() {
      return detail::getLinearTies(*this);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(detail::inferLinearType(
          adaptor.getQuery(), adaptor.getKey(), adaptor.getValue()));
      return ::llvm::success();
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange given) {
      return detail::areCompatibleAttentionTypes(inferred, given);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return detail::reifySizedShape(builder, *this, shapes);
    }
  }];
}

/// The forms of a mixer of states.
defvar Attn_StateMixerOperands =
    (ins Optional<Attn_Matrix>:$premixer, Optional<Attn_Matrix>:$w1,
         Optional<Attn_Vector>:$b1, Optional<Attn_Matrix>:$w2,
         Optional<Attn_Vector>:$b2, Optional<Attn_Matrix>:$normaliser);

//===----------------------------------------------------------------------===//
// attn.linear
//===----------------------------------------------------------------------===//

def Attn_LinearOp : Attn_LinearAttentionOp<"linear",
    !con(Attn_Sequences, (ins Attn_FeatureMapAttr:$feature_map)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Linear attention";
  let description = [{
    With a feature map phi and sums over the keys j that query i sees,

    `o_i = output_scale * phi(q_i) S / (phi(q_i) . z + eps)`,
    `S = sum_j phi(k_j) v_j^T`, `z = sum_j phi(k_j)`

    (Katharopoulos et al. 2020, equations 5 and 6). Query head h reads the
    state of key head `h * Hk div Hq`.

  }] # clauseText # [{
    Example, causal:

    ```mlir
    func.func @decoder(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                       %v: tensor<?x2x?x96xf32>) -> tensor<?x8x?x96xf32> {
      %o = attn.linear %q, %k, %v feature_map <elu> causal
          : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x96xf32>)
          -> tensor<?x8x?x96xf32>
      return %o : tensor<?x8x?x96xf32>
    }
    ```

    Example, random features of a softmax:

    ```mlir
    func.func @random_features(%q: tensor<1x8x7x64xf32>,
                               %k: tensor<1x8x9x64xf32>,
                               %w: tensor<64x128xf32>)
        -> tensor<1x8x7x64xf32> {
      %o = attn.linear %q, %k, %k
          feature_map <favor> favor(%w : tensor<64x128xf32>) eps 1.0e-5
          : (tensor<1x8x7x64xf32>, tensor<1x8x9x64xf32>, tensor<1x8x9x64xf32>)
          -> tensor<1x8x7x64xf32>
      return %o : tensor<1x8x7x64xf32>
    }
    ```
  }];
  let assemblyFormat = "$query `,` $key `,` $value" # mapFormat # clauseFormat
                       # typeFormat;
}

//===----------------------------------------------------------------------===//
// attn.linear_mixture_of_keys
//===----------------------------------------------------------------------===//

def Attn_LinearMixtureOfKeysOp
    : Attn_LinearAttentionOp<"linear_mixture_of_keys",
    !con(Attn_KeySequences,
         (ins Optional<Attn_Shifts>:$shifts, Optional<Attn_Prior>:$prior,
              Attn_FeatureMapAttr:$feature_map)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Linear attention with several keys per position (MLK)";
  let description = [{
    As `attn.linear`, with the R components of a key mixed after the feature
    map (mixture of Gaussian keys, equation 8):

    `o_i = output_scale * phi(q_i) S / (phi(q_i) . z + eps)`,
    `S = sum_j f_j v_j^T`, `z = sum_j f_j`, `f_j = sum_r prior_rj phi(k_rj)`.

  }] # componentText # clauseText # componentConstraints # [{
    - (C15) there are components.

    Example:

    ```mlir
    func.func @mixture(%q: tensor<?x4x?x64xf32>, %k: tensor<?x4x2x?x64xf32>,
                       %v: tensor<?x4x?x64xf32>, %prior: tensor<4x2xf32>)
        -> tensor<?x4x?x64xf32> {
      %o = attn.linear_mixture_of_keys %q, %k, %v
          prior(%prior : tensor<4x2xf32>) feature_map <elu> causal
          : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
          -> tensor<?x4x?x64xf32>
      return %o : tensor<?x4x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = "$query `,` $key `,` $value" # shiftsFormat
                       # priorFormat # mapFormat # clauseFormat # typeFormat;
}

//===----------------------------------------------------------------------===//
// attn.linear_admixture_heads
//===----------------------------------------------------------------------===//

def Attn_LinearAdmixtureHeadsOp
    : Attn_LinearAttentionOp<"linear_admixture_heads",
    !con(Attn_Sequences, Attn_StateMixerOperands,
         (ins Attn_FeatureMapAttr:$feature_map)),
    [DeclareOpInterfaceMethods<GeneralizableOpInterface>]> {
  let summary = "Linear attention whose states are mixed over heads (LFiSH)";
  let description = [{
    Keys have M global heads, queries and result H local heads. Each global head
    k has a state `S_k = sum_j phi(k_kj) v_kj^T`, `z_k = sum_j phi(k_kj)` over
    the keys that the query sees, and local head a reads a mixture of them
    (FiSHformer, appendix A.6):

    `o_ai = output_scale * phi(q_ai) S_a / (phi(q_ai) . z_a + eps)`, with

    - `mixer(%p)`, `[M,H]`: `S_a = sum_k p[k,a] S_k` and
      `z_a = sum_k p[k,a] z_k`;
    - `mlp(%w1, %b1, %w2, %b2) normaliser(%n)`, `[M,L] [L] [L,H] [H]` and
      `[M,H]`: entrywise
      `S_a = b2[a] + sum_l w2[l,a] relu(b1[l] + sum_k w1[k,l] S_k)`, and
      `z_a = sum_k n[k,a] z_k`; the paper leaves the normaliser open.

    A mixer that is a constant identity acts as if it were absent, even where
    operands hold NaN.

  }] # clauseText # premixConstraints # [{
    - (C15) one of `mixer` and `mlp` is given.

    Example:

    ```mlir
    func.func @admixture(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                         %v: tensor<?x2x?x64xf32>, %p: tensor<2x8xf32>)
        -> tensor<?x8x?x64xf32> {
      %o = attn.linear_admixture_heads %q, %k, %v mixer(%p : tensor<2x8xf32>)
          feature_map <elu>
          : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
          -> tensor<?x8x?x64xf32>
      return %o : tensor<?x8x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`mixer` `(` $premixer^ `:` type($premixer) `)`)?
    (`mlp` `(` $w1^ `,` $b1 `,` $w2 `,` $b2 `:` type($w1) `,` type($b1) `,`
      type($w2) `,` type($b2) `)`)?
  }] # normaliserFormat # mapFormat # clauseFormat # typeFormat;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// attn.linear_generic
//===----------------------------------------------------------------------===//

def Attn_LinearGenericOp : Attn_LinearAttentionOp<"linear_generic",
    !con(Attn_KeySequences,
         (ins Optional<Attn_Shifts>:$shifts, Optional<Attn_Prior>:$prior),
         Attn_StateMixerOperands,
         (ins OptionalAttr<Attn_FeatureMapAttr>:$feature_map))> {
  let summary = "Any linear attention, stage by stage: the normal form";
  let description = [{
    What `attn.generic` is to attention through a softmax: the named linear ops
    generalise into it. The stages, in the order in which they act and in which
    they are written:

    | stage | clause | meaning |
    |---|---|---|
    | features | `features(%q, %k)`, `shifted_by`, `feature_map`, `favor` | phi of each query, and of each key and component; without a map `%q` and `%k` are features already |
    | combine | `prior` | `f_j = sum_r prior_rj phi(k_rj)` |
    | state | `lengths`, `causal` | per key head `S = sum_j f_j v_j^T` and `z = sum_j f_j` over the keys seen |
    | premix | `premix(%m)`, `premix_mlp(%w1, %b1, %w2, %b2) normaliser(%n)` | key heads to query heads, as in `attn.linear_admixture_heads`; without one, query head h reads key head `h * Hk div Hq` |
    | quotient | `eps`, `output_scale` | `o = output_scale * phi(q) S / (phi(q) . z + eps)` |
    | pool | `pool(%v)` | the values |

  }] # componentText # clauseText # componentConstraints # premixConstraints # [{
    - (C15) one form of the mixer is given at most.

    Example, shifted keys and a mixer of states:

    ```mlir
    func.func @mixed(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                     %v: tensor<?x2x?x64xf32>, %shifts: tensor<2x3x64xf32>,
                     %prior: tensor<2x3xf32>, %m: tensor<2x8xf32>)
        -> tensor<?x8x?x64xf32> {
      %o = attn.linear_generic
          features(%q, %k : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>)
          shifted_by(%shifts : tensor<2x3x64xf32>)
          feature_map <dpfp, rolls = 2> prior(%prior : tensor<2x3xf32>)
          premix(%m : tensor<2x8xf32>) causal eps 1.0e-5
          pool(%v : tensor<?x2x?x64xf32>) -> tensor<?x8x?x64xf32>
      return %o : tensor<?x8x?x64xf32>
    }
    ```
  }];
  let assemblyFormat = [{
    `features` `(` $query `,` $key `:` type($query) `,` type($key) `)`
  }] # shiftsFormat # "(`feature_map` $feature_map^)?" # favorFormat
     # priorFormat # [{
    (`premix` `(` $premixer^ `:` type($premixer) `)`)?
    (`premix_mlp` `(` $w1^ `,` $b1 `,` $w2 `,` $b2 `:` type($w1) `,` type($b1)
      `,` type($w2) `,` type($b2) `)`)?
  }] # normaliserFormat # clauseFormat # [{
    `pool` `(` $value `:` type($value) `)` attr-dict `->` type($result)
  }];
  let hasCanonicalizer = 1;
}

#endif // MIXATTN_DIALECT_ATTN_LINEAR_OPS_TD
