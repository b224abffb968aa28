// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of stages of an attention that hold it whole.

#ifndef MIXATTN_DIALECT_ATTN_ATTENTION_STAGE_TD
#define MIXATTN_DIALECT_ATTN_ATTENTION_STAGE_TD

include "dialect/attn/AttnKernelOps.td"
include "dialect/attn/AttnStageOps.td"

/// A stage of the attention in its region, which says what is computed: scores,
/// mask, mixers, values.
class Attn_AttentionStageOp<string mnemonic, list<Trait> traits = []>
    : Attn_StageOp<mnemonic, [HasParent<"::mixattn::KernelOp">,
          SingleBlock] # traits> {
  let regions = (region SizedRegion<1>:$attention);
  let hasVerifier = 0;
  let hasRegionVerifier = 1;
  string regionConstraint = [{
    - (C1) the region holds one `attn.generic`, without weights as a result, and
      ends in `attn.results`. An `attn.row_term` may stand before it, whose term
      the stage makes itself.
  }];
  string attentionDeclaration = [{
    /// The attention that this is a stage of.
    ::mixattn::GenericOp getGeneric();
  }];
}

#endif // MIXATTN_DIALECT_ATTN_ATTENTION_STAGE_TD
