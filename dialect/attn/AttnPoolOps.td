// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op that pools values by weights that are given, with no query and no key.

#ifndef MIXATTN_DIALECT_ATTN_POOL_OPS_TD
#define MIXATTN_DIALECT_ATTN_POOL_OPS_TD

include "dialect/attn/AttnAttentionOp.td"

/// An op of one result, whose sizes are sizes of operands.
class Attn_SizedOp<string mnemonic, list<Trait> traits = []>
    : Attn_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<SizedOpInterface>,
          InferTypeOpAdaptorWithIsCompatible,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
              ["reifyResultShapes"]>] # traits> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
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

def Attn_Triples : Attn_TensorOf<[I32, I64], [2]>;

def Attn_StructuredPoolOp : Attn_SizedOp<"structured_pool",
    [AttrSizedOperandSegments]> {
  let summary = "Values pooled by a band, windows and a sparse error";
  let description = [{
    `o[b,h,i,:] = sum_j (P + E)[h,i,j] v[b,h',j,:]` (band plus sparse pooling,
    section 2: `f(P,E) = P + E`), h' being the value head that head h reads,
    `h * Hv div H`. The weights are given, the same for every batch row; there
    is neither query nor key.

    - `band(%b)`, `[H,N,2w+1]`: `P[h,i,j] = b[h,i,j-i+w]` where
      `-w <= j - i <= w`, else 0 (the set Sigma2). What the band holds beyond
      the rows 0 to N-1 is not read.
    - `windows(%t)`, `[T,3]`, rows (column, first row, length): P is the
      identity, but the rows of a window, `first` to `first + length - 1`, read
      its column (the set Sigma3, rare tokens). All heads alike.
    - neither: P is the identity (the set Sigma1).
    - `error(%index, %value)`, `[C,3]` and `[C]`: E is value c at (head, row,
      column) = index c, and 0 elsewhere.
    - `row_normalise`: rows of P + E are divided by their sum; a row whose sum
      is 0 gives zeros (the released code, which gives NaN there). Weights are
      signed, so a sum can vanish or nearly so: the result is then large.

    Indices count from 0. H are the heads of the band, and without one of the
    values. Weighted values add up in f32, the weights of a row in f64; the
    result is of the value's element type. A weight
    of the band or the error that is 0 contributes nothing, whatever its value
    row holds; any other weight passes NaN and infinity on.

    Windows lie within the rows and are disjoint; indices lie within
    `[H,N,N]` and ascend strictly, row by row, so that none occurs twice. Where
    they are arguments of an entry, that is checked when it is called, and
    where they are constants, when the entry is named (`attn-bind-names`). Where they are computed, what lies outside
    is left out, the last of windows that overlap counts, and errors at one
    place add up.

    Constraints:

    - (C1) `value` has heads, and a static number of them and of features.
    - (C2) `band` is `[H,N,2w+1]`, H and w static; the heads of `value` divide
      H.
    - (C3) `windows` is `[T,3]` and comes without `band`.
    - (C4) `error_index` is `[C,3]` and `error_value` `[C]`.
    - (C5) the result is `[B,H,N,E]` of the value's element type.

    Example, a band of width 3 and a sparse error:

    ```mlir
    func.func @pool(%v: tensor<?x8x?x64xf32>, %band: tensor<8x?x7xf32>,
                    %index: tensor<?x3xi64>, %error: tensor<?xf32>)
        -> tensor<?x8x?x64xf32> {
      %o = attn.structured_pool %v band(%band : tensor<8x?x7xf32>)
          error(%index, %error : tensor<?x3xi64>, tensor<?xf32>) row_normalise
          : tensor<?x8x?x64xf32> -> tensor<?x8x?x64xf32>
      return %o : tensor<?x8x?x64xf32>
    }
    ```
  }];
  let arguments = (ins Attn_Features:$value, Optional<Attn_Shifts>:$band,
                       Optional<Attn_Triples>:$windows,
                       Optional<Attn_Triples>:$error_index,
                       Optional<Attn_Vector>:$error_value,
                       UnitAttr:$row_normalise);
  let results = (outs Attn_Features:$result);
  let assemblyFormat = [{
    $value (`band` `(` $band^ `:` type($band) `)`)?
    (`windows` `(` $windows^ `:` type($windows) `)`)?
    (`error` `(` $error_index^ `,` $error_value `:` type($error_index) `,`
      type($error_value) `)`)?
    (`row_normalise` $row_normalise^)?
    attr-dict `:` type($value) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<
        ::std::pair<::mixattn::OperandDim, ::mixattn::OperandDim>>
    getEqualDims();
    /// How far the band reaches to either side.
    int64_t getHalfWidth() { return getBand().getType().getDimSize(2) / 2; }
    /// The operand's dimension that counts heads of the result.
    ::mixattn::OperandDim getHeadsDim() {
      return getBand() ? OperandDim{getBand(), 0} : OperandDim{getValue(), 1};
    }
    /// How many heads of the result share one value head.
    int64_t getValueGroup() {
      return getHeadsDim().size() / getValue().getType().getDimSize(1);
    }
  }];
}

#endif // MIXATTN_DIALECT_ATTN_POOL_OPS_TD
