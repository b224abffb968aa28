// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of a linear attention that hides no keys: states, what an MLP makes of
// them, and what queries read of them.

#ifndef MIXATTN_DIALECT_ATTN_LINEAR_STAGE_OPS_TD
#define MIXATTN_DIALECT_ATTN_LINEAR_STAGE_OPS_TD

include "dialect/attn/AttnLinearOps.td"
include "dialect/attn/AttnStageOps.td"

def Attn_States : Attn_TensorOf<[F32], [3]>;
def Attn_StateTotals : Attn_TensorOf<[F32], [2]>;
/// The same, by spans of the keys.
def Attn_AnyStates : Attn_TensorOf<[F32], [3, 4]>;
def Attn_AnyStateTotals : Attn_TensorOf<[F32], [2, 3]>;
def Attn_SpanStates : Attn_TensorOf<[F32], [4]>;
def Attn_SpanTotals : Attn_TensorOf<[F32], [3]>;
def Attn_KeyCounts : Attn_TensorOf<[I32], [1]>;

def Attn_LinearStateOp : Attn_StageOp<"linear_state",
    [AttrSizedOperandSegments, HasParent<"::mixattn::KernelOp">,
     DeclareOpInterfaceMethods<LinearKeysOpInterface>]>, Attn_LinearTexts {
  let summary = "The states of a linear attention: sums over all keys";
  let description = [{
    Per batch row and key head the sums of `attn.linear_generic`,

    `S = sum_j f_j v_j^T`, `z = sum_j f_j`, `f_j = sum_r prior_rj phi(k_rj)`

    (Katharopoulos et al. 2020, equations 5 and 6; mixture of Gaussian keys,
    equation 8), over the keys `j < lengths[b]`, and how many keys these are.

    A head has F' rows for its F features, and a row E' columns for E features
    of values: a target whose vectors are longer takes some more. They hold no
    features and are 0. `states` are `[B, Hk F', E']`, row `k F' + f` of key head
    k; `totals` are `[B, Hk F']`; `counts` are `[B]`.

    Keys are summed `block` at a time: sums of blocks are added up, and what
    they lose to rounding is kept.

    With a `span` each of T = max(1, ceil(S / span)) spans of as many keys has
    states of its own: `states` are `[B, T, Hk F', E']`, `totals`
    `[B, T, Hk F']`.

    With `signed_totals` heads mix the states later, by weights of any sign: their
    totals may cancel, so these are as exact as sums of f32 are.

  }] # componentText # [{

    - (C1) keys and values are those of an `attn.linear_generic`.
    - (C2) the result's sizes are static but for the batch; it has rows and
      columns for all features.
    - (C3) `block` is positive, and so is a `span`.

    ```mlir
    func.func @f(%k: memref<?x2x?x8xf32>, %s: memref<?x16x16xf32>,
                 %z: memref<?x16xf32>, %n: memref<?xi32>) {
      attn.kernel ins(%k : memref<?x2x?x8xf32>)
          outs(%s, %z, %n : memref<?x16x16xf32>, memref<?x16xf32>, memref<?xi32>) {
      ^bb0(%a: tensor<?x2x?x8xf32>):
        %states, %totals, %counts = attn.linear_state
            features(%a : tensor<?x2x?x8xf32>) feature_map <elu>
            pool(%a : tensor<?x2x?x8xf32>) block 64
            -> tensor<?x16x16xf32>, tensor<?x16xf32>, tensor<?xi32>
        attn.results %states, %totals, %counts
            : tensor<?x16x16xf32>, tensor<?x16xf32>, tensor<?xi32>
      }
      return
    }
    ```
  }];
  let arguments = (ins Attn_Keys:$key, Attn_Features:$value,
      Optional<Attn_Shifts>:$shifts, Optional<Attn_Prior>:$prior,
      OptionalAttr<Attn_FeatureMapAttr>:$feature_map,
      Optional<Attn_Matrix>:$projection, Optional<Attn_Lengths>:$lengths,
      I64Attr:$block, OptionalAttr<I64Attr>:$span, UnitAttr:$signed_totals);
  let results = (outs Attn_AnyStates:$states, Attn_AnyStateTotals:$totals,
                      Attn_KeyCounts:$counts);
  let assemblyFormat = [{
    `features` `(` $key `:` type($key) `)`
  }] # shiftsFormat # "(`feature_map` $feature_map^)?" # favorFormat
     # priorFormat # [{
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    `pool` `(` $value `:` type($value) `)` `block` $block
    (`span` $span^)? (`signed_totals` $signed_totals^)? attr-dict
    `->` type($states) `,` type($totals) `,` type($counts)
  }];
}

def Attn_LinearAddStatesOp : Attn_StageOp<"linear_add_states",
    [HasParent<"::mixattn::KernelOp">]>, Attn_LinearTexts {
  let summary = "States of spans of keys, added up in their order";
  let description = [{
    Of the states that `attn.linear_state` made by spans, the sums over all
    spans, or, `before` each span, over those before it. They are added from the
    first one on, and what the sums lose to rounding is kept.

    - (C1) `states` are `[B, T, R, E']` and `totals` are `[B, T, R]`, R and E'
      static.
    - (C2) the results are `[B, R, E']` and `[B, R]`; `before` each span they are
      as the operands.
  }];
  let arguments = (ins Attn_SpanStates:$states, Attn_SpanTotals:$totals,
      UnitAttr:$before);
  let results = (outs Attn_AnyStates:$sums, Attn_AnyStateTotals:$sum_totals);
  let assemblyFormat = [{
    $states `,` $totals (`before` $before^)? attr-dict `:` type($states) `,`
    type($totals) `->` type($sums) `,` type($sum_totals)
  }];
}

def Attn_LinearCausalReadOp : Attn_StageOp<"linear_causal_read",
    [AttrSizedOperandSegments, HasParent<"::mixattn::KernelOp">,
     DeclareOpInterfaceMethods<LinearKeysOpInterface>,
     DeclareOpInterfaceMethods<LinearReadsOpInterface>]>, Attn_LinearTexts {
  let summary = "What queries read of the keys before them, span by span";
  let description = [{
    The result of a causal `attn.linear_generic` without a mixer. `states` and
    `totals` are the sums over the keys before each span of `span` keys, as
    `attn.linear_add_states` makes them: queries that are aligned with keys of a
    span read these, and then the keys of the span that they see.

  }] # componentText # [{

    - (C1) queries, keys and values are those of an `attn.linear_generic`, and
      the result is `[B,Hq,N,E]`.
    - (C2) the heads of `key` divide those of `query`.
    - (C3) `states` are `[B, T, Hk F', E']` and `totals` are `[B, T, Hk F']`, with
      rows and columns for all features.
    - (C4) `span` is positive, `eps` not negative, both it and `output_scale` are
      finite in f32.
  }];
  let arguments = (ins Attn_Features:$query, Attn_Keys:$key,
      Attn_Features:$value, Attn_SpanStates:$states, Attn_SpanTotals:$totals,
      Optional<Attn_Shifts>:$shifts, Optional<Attn_Prior>:$prior,
      OptionalAttr<Attn_FeatureMapAttr>:$feature_map,
      Optional<Attn_Matrix>:$projection, Optional<Attn_Lengths>:$lengths,
      I64Attr:$span, DefaultValuedAttr<F64Attr, "0.0">:$eps,
      DefaultValuedAttr<F64Attr, "1.0">:$output_scale);
  let results = (outs Attn_Features:$result);
  let assemblyFormat = [{
    `features` `(` $query `,` $key `:` type($query) `,` type($key) `)`
  }] # shiftsFormat # "(`feature_map` $feature_map^)?" # favorFormat
     # priorFormat # [{
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    `states` `(` $states `,` $totals `:` type($states) `,` type($totals) `)`
    `span` $span (`eps` $eps^)? (`output_scale` $output_scale^)?
    `pool` `(` $value `:` type($value) `)` attr-dict `->` type($result)
  }];
}

def Attn_LinearMixStatesOp : Attn_StageOp<"linear_mix_states",
    [HasParent<"::mixattn::KernelOp">]>, Attn_LinearTexts {
  let summary = "States of query heads, which an MLP makes of those of key heads";
  let description = [{
    For each query head a, every number of a state by itself:

    `mixed_a = b2_a + sum_l w2[l,a] relu(b1_l + sum_k w1[k,l] S_k)`,
    `mixed_totals_a = sum_k normaliser[k,a] z_k`

    (FiSHformer, section 3.3; see `attn.linear_admixture_heads`).

    - (C1) `states` are `[B, Hk F', E']` and `totals` are `[B, Hk F']`, as
      `attn.linear_state` makes them.
    - (C2) the MLP is `w1 [Hk,L]`, `b1 [L]`, `w2 [L,Hq]`, `b2 [Hq]`, L static,
      and the normaliser `[Hk,Hq]`.
    - (C3) the results are `[B, Hq F', E']` and `[B, Hq F']`.
  }];
  let arguments = (ins Attn_States:$states, Attn_StateTotals:$totals,
      Attn_Matrix:$w1, Attn_Vector:$b1, Attn_Matrix:$w2, Attn_Vector:$b2,
      Attn_Matrix:$normaliser);
  let results = (outs Attn_States:$mixed, Attn_StateTotals:$mixed_totals);
  let assemblyFormat = [{
    $states `,` $totals `premix_mlp` `(` $w1 `,` $b1 `,` $w2 `,` $b2 `:`
    type($w1) `,` type($b1) `,` type($w2) `,` type($b2) `)`
    `normaliser` `(` $normaliser `:` type($normaliser) `)` attr-dict `:`
    type($states) `,` type($totals) `->` type($mixed) `,` type($mixed_totals)
  }];
  let extraClassDeclaration = [{
    int64_t getNumKeyHeads() { return getW1().getType().getDimSize(0); }
    int64_t getNumHeads() { return getB2().getType().getDimSize(0); }
    /// The rows of a head's state.
    int64_t getRows() {
      return getStates().getType().getDimSize(1) / getNumKeyHeads();
    }
  }];
}

def Attn_LinearReadOp : Attn_StageOp<"linear_read",
    [AttrSizedOperandSegments, HasParent<"::mixattn::KernelOp">,
     DeclareOpInterfaceMethods<LinearReadsOpInterface>]>, Attn_LinearTexts {
  let summary = "What queries read of the states of a linear attention";
  let description = [{
    `o_i = output_scale * phi(q_i) S / (phi(q_i) . z + eps)`, as in
    `attn.linear_generic`, of states that `attn.linear_state` or
    `attn.linear_mix_states` made for `heads` heads. A premixer `[heads,Hq]`
    mixes the states that a query head reads; without one, query head h reads
    head `h * heads div Hq`. Batch rows whose `counts` are 0 give zeros. With
    `signed_totals` what a query reads may cancel, as of states that heads mix.

    Queries are taken `block` at a time; no number depends on it.

    - (C1) the result is `[B,Hq,N,E]`, with static heads and features.
    - (C2) `states` are `[B, heads F', E']` and `totals` are `[B, heads F']`, with
      rows and columns for all features.
    - (C3) a premixer is `[heads,Hq]`; without one, `heads` divide Hq.
    - (C4) `block` is positive, `eps` not negative, both it and `output_scale`
      are finite in f32.
  }];
  let arguments = (ins Attn_Features:$query, Attn_States:$states,
      Attn_StateTotals:$totals, Attn_KeyCounts:$counts,
      Optional<Attn_Matrix>:$premixer,
      OptionalAttr<Attn_FeatureMapAttr>:$feature_map,
      Optional<Attn_Matrix>:$projection, I64Attr:$heads, I64Attr:$block,
      UnitAttr:$signed_totals, DefaultValuedAttr<F64Attr, "0.0">:$eps,
      DefaultValuedAttr<F64Attr, "1.0">:$output_scale);
  let results = (outs Attn_Features:$result);
  let assemblyFormat = [{
    `features` `(` $query `:` type($query) `)`
    (`feature_map` $feature_map^)?
  }] # favorFormat # [{
    (`premix` `(` $premixer^ `:` type($premixer) `)`)?
    `states` `(` $states `,` $totals `,` $counts `:` type($states) `,`
    type($totals) `,` type($counts) `)` `heads` $heads `block` $block
    (`signed_totals` $signed_totals^)? (`eps` $eps^)? (`output_scale` $output_scale^)?
    attr-dict `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The rows of a head's state.
    int64_t getRows() {
      return getStates().getType().getDimSize(1) / int64_t(getHeads());
    }
  }];
}

#endif // MIXATTN_DIALECT_ATTN_LINEAR_STAGE_OPS_TD
