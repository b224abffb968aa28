// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of keys and values, which grow from call to call.

#ifndef MIXATTN_DIALECT_ATTN_CACHE_OPS_TD
#define MIXATTN_DIALECT_ATTN_CACHE_OPS_TD

include "dialect/attn/AttnAttentionOp.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Attn_AppendOp : Attn_Op<"append", [
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SizedOpInterface, ["getEqualDims"]>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "getAliasingValues", "bufferize", "hasTensorSemantics"]>]> {
  let summary = "Keys or values of new positions, written into a cache";
  let description = [{
    `r[b,…,start[b]+i,…] = rows[b,…,i,…]`, and all other elements are those of
    `cache`: dim `along`, counted from 0, numbers positions, the last but one
    where it is absent. `rows` has N positions, `cache` has room for S, from
    which `start` counts for each batch row. Positions beyond S are not written.
    With `ring` position S is position 0 again, and of more than S rows the last
    S count.

    In memory the rows take their place in the cache, and nothing else of it is
    read or written. An argument of an entry that is appended to is updated
    where it lies (`attn-bind-updates`).

    The source is TensorScatter of ONNX 24 with its modes `linear` and
    `circular`, which writes caches so.

    - (C1) `rows`, `cache` and the result have one element type, a float or an
      integer of 8 bits or more, and one rank, at least 3.
    - (C2) they agree on all sizes but that of dim `along`; `start` has a number
      for each batch row.
    - (C3) `along` is neither the first dim nor the last.
    - (C4) without `ring`, no more rows than the cache has room for, where both
      are known.

    Example, a step of a cache with its attention:

    ```mlir
    func.func @step(%q: tensor<?x8x?x64xf32>, %k: tensor<?x8x?x64xf32>,
                    %v: tensor<?x8x?x64xf32>, %keys: tensor<?x8x?x64xf32>,
                    %values: tensor<?x8x?x64xf32>, %start: tensor<?xi32>)
        -> (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) {
      %all = attn.append %k into %keys at(%start)
          : tensor<?x8x?x64xf32>, tensor<?xi32> into tensor<?x8x?x64xf32>
          -> tensor<?x8x?x64xf32>
      %pooled = attn.append %v into %values at(%start)
          : tensor<?x8x?x64xf32>, tensor<?xi32> into tensor<?x8x?x64xf32>
          -> tensor<?x8x?x64xf32>
      %o = attn.softmax %q, %all, %pooled causal from(%start : tensor<?xi32>)
          : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
          -> tensor<?x8x?x64xf32>
      return %o, %all, %pooled
          : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>
    }
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$rows,
      AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$cache,
      AnyTypeOf<[1DTensorOf<[I32, I64]>, MemRefRankOf<[I32, I64], [1]>]>:$start,
      UnitAttr:$ring, OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$along);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    $rows `into` $cache `at` `(` $start `)` (`along` $along^)? (`ring` $ring^)?
    attr-dict `:` type($rows) `,` type($start) `into` type($cache)
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dim that numbers positions.
    int64_t getPositionDim() {
      return getAlong().value_or(
          ::llvm::cast<::mlir::ShapedType>(getCache().getType()).getRank() - 2);
    }
  }];
}

#endif // MIXATTN_DIALECT_ATTN_CACHE_OPS_TD
