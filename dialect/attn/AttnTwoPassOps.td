// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of an attention that passes over its keys twice: factors, then weights.

#ifndef MIXATTN_DIALECT_ATTN_TWO_PASS_OPS_TD
#define MIXATTN_DIALECT_ATTN_TWO_PASS_OPS_TD

include "dialect/attn/AttnAttentionStage.td"

def Attn_RowNumbers : Attn_TensorOf<[F32], [3]>;

def Attn_SoftmaxFactorsOp : Attn_AttentionStageOp<"softmax_factors"> {
  let summary = "What powers of scores become weights by";
  let description = [{
    Of each row of weights of its attention, before heads mix them, `[B,H,N]`
    both: the `references`, which are subtracted from exponents before powers of
    2 are taken, and the `factors` that these powers are multiplied by. With the
    exponents e, logarithms to base 2, over the keys j that query i sees

        factors[b,h,i] = 1 / sum_j 2^(e[b,h,i,j] - references[b,h,i])

    and 0 where that sum is 0. A reference is no more than 16 below the row's
    largest exponent, and not above it; the lowest of f32 where a query sees no
    key. A mixture's components each have an exponent of their own.

  }] # regionConstraint # [{
    - (C2) the results have the attention's batch, heads and queries.

    ```mlir
    func.func @f(%q: memref<1x2x3x8xf32>, %m: memref<2x2xf32>,
                 %r: memref<1x2x3xf32>, %s: memref<1x2x3xf32>) {
      attn.kernel ins(%q, %m : memref<1x2x3x8xf32>, memref<2x2xf32>)
          outs(%r, %s : memref<1x2x3xf32>, memref<1x2x3xf32>) {
      ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<2x2xf32>):
        %0:2 = attn.softmax_factors {
          %o = attn.generic
              scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>)
              postmix(%b : tensor<2x2xf32>)
              pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
          attn.results %o : tensor<1x2x3x8xf32>
        } -> tensor<1x2x3xf32>, tensor<1x2x3xf32>
        attn.results %0#0, %0#1 : tensor<1x2x3xf32>, tensor<1x2x3xf32>
      }
      return
    }
    ```
  }];
  let results = (outs Attn_RowNumbers:$references, Attn_RowNumbers:$factors);
  let assemblyFormat = [{
    $attention attr-dict `->` type($references) `,` type($factors)
  }];
  let extraClassDeclaration = attentionDeclaration;
}

def Attn_PoolMixedOp : Attn_AttentionStageOp<"pool_mixed"> {
  let summary = "Values pooled by weights that heads mix, rows being known";
  let description = [{
    With `references` r and `factors` f of `attn.softmax_factors`, the exponents e
    of the attention and its mixer of weights M, one for all queries or one for
    each:

        result[b,a,i,:] = sum_j (sum_c M[c,a] f[b,c,i] 2^(e[b,c,i,j] - r[b,c,i])) v[b,a,j,:]

    over the keys j that query i sees. Nothing that was added up changes later.
    `lse` is `ln 2 r - ln f`, -inf where f is 0.

  }] # regionConstraint # [{
    - (C2) `references` and `factors` have the attention's batch, heads and
      queries.
    - (C3) the results are those of the attention.
    - (C4) the attention mixes weights after the softmax.

    ```mlir
    func.func @f(%q: memref<1x2x3x8xf32>, %m: memref<2x2xf32>,
                 %r: memref<1x2x3xf32>, %p: memref<1x2x3x8xf32>) {
      attn.kernel ins(%q, %m, %r : memref<1x2x3x8xf32>, memref<2x2xf32>,
                                   memref<1x2x3xf32>)
          outs(%p : memref<1x2x3x8xf32>) {
      ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<2x2xf32>,
           %c: tensor<1x2x3xf32>):
        %0 = attn.pool_mixed %c, %c {
          %o = attn.generic
              scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>)
              postmix(%b : tensor<2x2xf32>)
              pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
          attn.results %o : tensor<1x2x3x8xf32>
        } : tensor<1x2x3xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x8xf32>
        attn.results %0 : tensor<1x2x3x8xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins Attn_RowNumbers:$references, Attn_RowNumbers:$factors);
  let results = (outs Attn_Features:$result,
                      Optional<Attn_TensorOf<[F32], [3]>>:$lse);
  let assemblyFormat = [{
    $references `,` $factors $attention attr-dict `:` type($references) `,`
    type($factors) `->` type(results)
  }];
  let extraClassDeclaration = attentionDeclaration;
}

#endif // MIXATTN_DIALECT_ATTN_TWO_PASS_OPS_TD
