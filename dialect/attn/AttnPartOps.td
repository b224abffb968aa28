// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of an attention of a few queries: parts of its keys, and their merge.

#ifndef MIXATTN_DIALECT_ATTN_PART_OPS_TD
#define MIXATTN_DIALECT_ATTN_PART_OPS_TD

include "dialect/attn/AttnAttentionStage.td"

def Attn_PartNumbers : Attn_TensorOf<[F32], [4]>;
def Attn_PartValues : Attn_TensorOf<[F32], [5]>;

class Attn_PartStageOp<string mnemonic, list<Trait> traits = []>
    : Attn_AttentionStageOp<mnemonic, traits> {
  string partText = [{
    The S keys are cut into P parts, of whole blocks of `block` keys, and of one
    length: threads would wait for the longest. Where 64 parts are enough a part
    has `split` keys at most: P is 1 or 2 where that is enough, else
    4 ceil(S / (4 `split`)), so that two or four threads get as many parts each.
    Else P is 64, since what parts hand on takes time, too. With
    b = ceil(S / `block`) blocks a part has ceil(b / P); where b is small, the
    last parts may have no key.
  }];
}

def Attn_PartsOp : Attn_PartStageOp<"parts"> {
  let summary = "Powers of the scores of parts of the keys, and what they pool";
  let description = [{
    Of each part of the keys of its attention, per query and head: the
    `references` `[B,H,N,P]`, which are subtracted from exponents before powers
    of 2 are taken (the lowest of f32 where the part has no key), the `sums`
    `[B,H,N,P]` of these powers, and

    - `values` `[B,H,N,P,E']`, the values that they weigh; or
    - where weights of heads meet after the softmax, the powers themselves,
      `[B,H,N,K]` with K keys in all parts. Those of keys that do not exist are
      undefined.

    A row of E features takes E' columns, as many as a target's vectors need.

  }] # partText # regionConstraint # [{
    - (C2) `split` is a positive multiple of `block`.
    - (C3) the results have the attention's batch, heads and queries.

    ```mlir
    func.func @f(%q: memref<1x2x1x8xf32>, %p: memref<1x2x1x1x16xf32>,
                 %r: memref<1x2x1x1xf32>, %s: memref<1x2x1x1xf32>) {
      attn.kernel ins(%q : memref<1x2x1x8xf32>) outs(%p, %r, %s
          : memref<1x2x1x1x16xf32>, memref<1x2x1x1xf32>, memref<1x2x1x1xf32>) {
      ^bb0(%a: tensor<1x2x1x8xf32>):
        %0:3 = attn.parts split 256 block 64 {
          %o = attn.generic
              scores(%a, %a : tensor<1x2x1x8xf32>, tensor<1x2x1x8xf32>)
              pool(%a : tensor<1x2x1x8xf32>) -> tensor<1x2x1x8xf32>
          attn.results %o : tensor<1x2x1x8xf32>
        } -> tensor<1x2x1x1x16xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
        attn.results %0#0, %0#1, %0#2
            : tensor<1x2x1x1x16xf32>, tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$split, I64Attr:$block);
  let results = (outs Attn_TensorOf<[F32], [4, 5]>:$values,
                      Attn_PartNumbers:$references, Attn_PartNumbers:$sums);
  let assemblyFormat = [{
    `split` $split `block` $block $attention attr-dict `->` type($values) `,`
    type($references) `,` type($sums)
  }];
  let extraClassDeclaration = attentionDeclaration;
}

def Attn_PartFactorsOp : Attn_StageOp<"part_factors",
    [HasParent<"::mixattn::KernelOp">]> {
  let summary = "What powers of parts are multiplied by to become weights";
  let description = [{
    `factors[..,p] = 2^(references[..,p] - m) / sum_p 2^(references[..,p] - m) sums[..,p]`
    with m the largest reference, and 0 where that sum is 0: of `attn.parts`,
    all `[B,H,N,P]`.

    - (C1) the operands and the result agree on their sizes.
  }];
  let arguments = (ins Attn_PartNumbers:$references, Attn_PartNumbers:$sums);
  let results = (outs Attn_PartNumbers:$factors);
  let assemblyFormat = [{
    $references `,` $sums attr-dict `:` type($references) `,` type($sums) `->`
    type($factors)
  }];
}

def Attn_PoolPartsOp : Attn_PartStageOp<"pool_parts"> {
  let summary = "Values of parts of the keys, pooled by weights that heads mix";
  let description = [{
    Per part `values[b,a,i,p,:] = sum_j mix_c(factors[b,c,i,p] powers[b,c,i,j]) v_j`
    over its keys j, with the mixer of weights of its attention, whose
    `attn.parts` made the powers: `[B,H,N,P,E']`.

  }] # partText # regionConstraint # [{
    - (C2) `split` is a positive multiple of `block`.
    - (C3) powers are `[B,H,N,K]`, factors `[B,H,N,P]`, and the result has the
      attention's batch, heads and queries.
    - (C4) the attention mixes weights after the softmax.
  }];
  let arguments = (ins Attn_PartNumbers:$powers, Attn_PartNumbers:$factors,
                       I64Attr:$split, I64Attr:$block);
  let results = (outs Attn_PartValues:$values);
  let assemblyFormat = [{
    $powers `,` $factors `split` $split `block` $block $attention attr-dict `:`
    type($powers) `,` type($factors) `->` type($values)
  }];
  let extraClassDeclaration = attentionDeclaration;
}

def Attn_MergePartsOp : Attn_PartStageOp<"merge_parts"> {
  let summary = "The results of an attention, put together of parts of its keys";
  let description = [{
    `result = sum_p factors[..,p] values[..,p,:]`, with the factors of
    `attn.part_factors`; where the attention mixes weights, `attn.pool_parts` has
    taken them, and `result = sum_p values[..,p,:]`. Queries whose weights are all
    dropped give zeros. `lse` is m ln 2 + ln of the sum of powers less m.

  }] # regionConstraint # [{
    - (C2) the operands are `[B,H,N,P,E']`, `[B,H,N,P]` and `[B,H,N,P]`.
    - (C3) the results are those of the attention.
  }];
  let arguments = (ins Attn_PartValues:$values, Attn_PartNumbers:$references,
                       Attn_PartNumbers:$sums);
  let results = (outs Attn_Features:$result,
                      Optional<Attn_TensorOf<[F32], [3]>>:$lse);
  let assemblyFormat = [{
    $values `,` $references `,` $sums $attention attr-dict `:` type($values) `,`
    type($references) `,` type($sums) `->` type(results)
  }];
  let extraClassDeclaration = attentionDeclaration;
}

#endif // MIXATTN_DIALECT_ATTN_PART_OPS_TD
