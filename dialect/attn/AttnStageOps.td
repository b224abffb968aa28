// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of a kernel: what is computed before its queries walk over the keys.

#ifndef MIXATTN_DIALECT_ATTN_STAGE_OPS_TD
#define MIXATTN_DIALECT_ATTN_STAGE_OPS_TD

include "dialect/attn/AttnAttentionOp.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// Says that an op is a stage of a kernel: it can have a kernel of its own,
/// and its results are as large as its operands say.
def Attn_IsStage : NativeOpTrait<"IsStage"> {
  let cppNamespace = "::mixattn";
}

class Attn_StageOp<string mnemonic, list<Trait> traits = []>
    : Attn_Op<mnemonic, [Pure, Attn_IsStage,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
            ["reifyResultShapes"]>] # traits> {
  let hasVerifier = 1;
}

def Attn_RowTermOp : Attn_StageOp<"row_term", [AttrSizedOperandSegments]> {
  let summary = "A term of the scores that each query, or each key, has alone";
  let description = [{
    `result[b,h,r,i]` of row x = `rows[b,h,(r),i]` in f32, with s =
    `shifts[g,r]` where there are shifts: of queries, and `of_keys`,

        result = factor_r (x . s - |x|^2 / 2) + term + prior
        result = -factor_r |x + s|^2 / 2 + term + prior

    The square is there where the op `has_square`, x . s where there are shifts.
    A shift belongs to a group of heads, one after the other. `term`, `[B,H,N]`
    or `[B,H,R,N]`, and `prior`, `[H,R]`, are added where they are given.

    With factors 1 / v_r this is what a Gaussian score, or one with shifted
    keys, has in addition to a product (mixture of Gaussian keys, section 2.1):

        -|q - k - s|^2 / (2 v) = q . k / v + (q . s - |q|^2 / 2) / v
                                 - |k + s|^2 / (2 v)

    - (C1) there is a factor for each component that `rows` or `shifts` have.
    - (C2) the result is `[B,H,R,N]`, with one component for each factor.
    - (C3) `rows` have static heads and features, the features of `shifts`.
    - (C4) the heads of `shifts` divide those of `rows`.
    - (C5) there are shifts, or the op `has_square`.

    ```mlir
    func.func @f(%k: tensor<1x2x?x8xbf16>, %s: tensor<2x3x8xbf16>)
        -> tensor<1x2x3x?xf32> {
      %t = attn.row_term %k shifts(%s : tensor<2x3x8xbf16>)
          factors [0.5, 0.5, 0.25] of_keys has_square
          : tensor<1x2x?x8xbf16> -> tensor<1x2x3x?xf32>
      return %t : tensor<1x2x3x?xf32>
    }
    ```
  }];
  let arguments = (ins Attn_Keys:$rows, Optional<Attn_Shifts>:$shifts,
      Optional<Attn_Terms>:$term, Optional<Attn_Matrix>:$prior,
      DenseF64ArrayAttr:$factors, UnitAttr:$of_keys, UnitAttr:$has_square);
  let results = (outs Attn_TensorOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $rows (`shifts` `(` $shifts^ `:` type($shifts) `)`)?
    (`term` `(` $term^ `:` type($term) `)`)?
    (`prior` `(` $prior^ `:` type($prior) `)`)?
    `factors` $factors (`of_keys` $of_keys^)? (`has_square` $has_square^)?
    attr-dict `:` type($rows) `->` type($result)
  }];
  let builders = [
    /// The result's type follows from `rows` and `factors`.
    OpBuilder<(ins "::mlir::Value":$rows, "::mlir::Value":$shifts,
                   "::mlir::Value":$term, "::mlir::Value":$prior,
                   "::llvm::ArrayRef<double>":$factors, "bool":$ofKeys,
                   "bool":$hasSquare)>
  ];
  let extraClassDeclaration = [{
    /// Whether x . s is a part of the term, and s one of the square.
    bool hasProduct() { return getShifts() && !getOfKeys(); }
    bool shiftsSquare() { return getShifts() && getOfKeys(); }
    /// Heads of rows that share a head of shifts.
    int64_t getShiftGroup();
  }];
}

def Attn_RowFactorsOp : Attn_StageOp<"row_factors"> {
  let summary = "Terms of components as a largest one and powers of 2";
  let description = [{
    Of the terms t_r = `term[b,h,r,i]` of a row, with c = 1 where they are
    logarithms `in_base_2`, else log2 e, in f32:

        result[b,h,0,i]     = c max_r t_r - headroom
        result[b,h,1 + r,i] = 2^(c t_r - result[b,h,0,i])

    So 2^(c t_r) = 2^result[0] result[1 + r], where the largest of the latter is
    2^headroom. Components that are all switched off, -inf, have factors of 0.

    - (C1) the result is `[B,H,R + 1,N]` for terms `[B,H,R,N]`.
    - (C2) heads and components are static.

    ```mlir
    func.func @f(%t: tensor<1x2x3x?xf32>) -> tensor<1x2x4x?xf32> {
      %f = attn.row_factors %t headroom 0.0 in_base_2
          : tensor<1x2x3x?xf32> -> tensor<1x2x4x?xf32>
      return %f : tensor<1x2x4x?xf32>
    }
    ```
  }];
  let arguments = (ins Attn_TensorOf<[F32, F16, BF16], [4]>:$term,
      F64Attr:$headroom, UnitAttr:$in_base_2);
  let results = (outs Attn_TensorOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $term `headroom` $headroom (`in_base_2` $in_base_2^)? attr-dict
    `:` type($term) `->` type($result)
  }];
  let builders = [
    /// The result's type follows from `term`.
    OpBuilder<(ins "::mlir::Value":$term, "double":$headroom, "bool":$inBase2)>
  ];
}

def Attn_ProjectOp : Attn_StageOp<"project"> {
  let summary = "Fewer keys, or values: a projection of their length";
  let description = [{
    `result[b,h,c,:] = sum_j projection[c,j] sequence[b,h,j,:]` in f32
    (Linformer, section 4).

    - (C1) the result is `[B,H,C,D]`.
    - (C2) H, C and D are static.

    ```mlir
    func.func @f(%e: tensor<4x16xf32>, %k: tensor<?x2x16x8xf16>)
        -> tensor<?x2x4x8xf32> {
      %p = attn.project %k by %e : tensor<?x2x16x8xf16>, tensor<4x16xf32>
          -> tensor<?x2x4x8xf32>
      return %p : tensor<?x2x4x8xf32>
    }
    ```
  }];
  let arguments = (ins Attn_Features:$sequence, Attn_Matrix:$projection);
  let results = (outs Attn_TensorOf<[F32], [4]>:$result);
  let assemblyFormat = [{
    $sequence `by` $projection attr-dict
    `:` type($sequence) `,` type($projection) `->` type($result)
  }];
  let builders = [
    /// The result's type follows from the operands.
    OpBuilder<(ins "::mlir::Value":$sequence, "::mlir::Value":$projection)>
  ];
}

def Attn_PanelsOp : Attn_StageOp<"panels", [HasParent<"::mixattn::KernelOp">]> {
  let summary = "The right side of a contraction, as products read it";
  let description = [{
    Elements of `source` in panels of `width` lanes. Lanes, terms and batches
    are each numbered over all their dims, the last dim fastest. Row d of panel
    p of batch c has lanes p width to (p + 1) width of term d; there are 0s
    where `source` has no such lane:

        result[c P + p, d, l] = source[batch c, term d, lane p width + l]

    In `pairs` a row has two terms, whose lanes alternate:

        result[c P + p, d, 2 l + t] = source[.., term 2 d + t, lane p width + l]

    Pairs are of bf16; other elements become f32.

    - (C1) each dim of `source` is one of `terms`, `lanes` or `batches`, once.
    - (C2) there are terms and lanes, and their sizes are static.
    - (C3) the result is `[panels, rows, width]`, of `2 width` in pairs.
    - (C4) pairs are of a source of bf16.

    ```mlir
    func.func @f(%w: memref<768x3072xf32>, %panels: memref<48x768x64xf32>) {
      attn.kernel ins(%w : memref<768x3072xf32>)
          outs(%panels : memref<48x768x64xf32>) {
      ^bb0(%a: tensor<768x3072xf32>):
        %p = attn.panels %a terms [0] lanes [1] width 64
            : tensor<768x3072xf32> -> tensor<48x768x64xf32>
        attn.results %p : tensor<48x768x64xf32>
      }
      return
    }
    ```
  }];
  let arguments = (ins
      RankedTensorOf<[F32, F16, BF16]>:$source,
      DenseI64ArrayAttr:$terms, DenseI64ArrayAttr:$lanes,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$batches,
      ConfinedAttr<I64Attr, [IntPositive]>:$width, UnitAttr:$pairs);
  let results = (outs Attn_TensorOf<[F32, BF16], [3]>:$result);
  let assemblyFormat = [{
    $source `terms` $terms `lanes` $lanes (`batches` $batches^)?
    `width` $width (`pairs` $pairs^)? attr-dict
    `:` type($source) `->` type($result)
  }];
  let builders = [
    /// The result's type follows from `source` and `layout`.
    OpBuilder<(ins "::mlir::Value":$source,
                   "const ::mixattn::PanelLayout &":$layout)>
  ];
  let extraClassDeclaration = [{
    ::mixattn::PanelLayout getLayout();
  }];
}

#endif // MIXATTN_DIALECT_ATTN_STAGE_OPS_TD
