// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention that is computed as one kernel, on tensors and then on buffers.

#ifndef MIXATTN_DIALECT_ATTN_KERNEL_OPS_TD
#define MIXATTN_DIALECT_ATTN_KERNEL_OPS_TD

include "dialect/attn/AttnAttentionOp.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

def Attn_KernelOp : Attn_Op<"kernel", [IsolatedFromAbove, SingleBlock,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<BufferizableOpInterface,
        ["bufferizesToMemoryRead", "bufferizesToMemoryWrite",
         "bufferizesToElementwiseAccess", "getAliasingValues", "bufferize",
         "hasTensorSemantics"]>]> {
  let summary = "An op with those that compute from its results as a kernel: "
                "what they compute, and where to";
  let description = [{
    The region says what is computed, as ops on tensors: an anchor (an
    attention, a pool, a contraction, a stage, or another `linalg` op), for
    which a schedule is chosen, and `linalg` ops that compute from its results:
    pointwise ops after a contraction, or all that a row of a tensor goes
    through. `linalg` ops before a contraction make the rows of its left side,
    which nothing else reads. Its arguments stand for the inputs. The operands say where the inputs lie and where the results
    go: tensors at level planned, buffers from level bufferized on. A schedule
    turns the op into loops over the buffers; nothing computes the region as it
    stands.

    Keys of an attention may be f32 there, whatever its queries are: a stage
    before it may have projected them.

    Every input that is no tensor or buffer is passed on as it is. Buffers have
    an innermost stride of 1. An output may be one of the inputs where each of
    its elements is read for the element at its own place alone.

    `panels`, a buffer as `attn.panels` fills it, hold the right side of a
    contraction in the order in which a schedule reads it. They may be empty:
    then the schedule reads the operand.

    - (C1) the region has one argument per input: of its type, or the tensor
      that a buffer holds; booleans are bytes outside, and some sizes may be
      known on one side only.
    - (C2) the region ends in `attn.results`, with one tensor per output.
    - (C3) there is one result per output that is a tensor, of its type.
    - (C4) `panels` go with buffers and a contraction.

    Example:

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>,
                 %v: tensor<1x2x3x4xf32>, %init: tensor<1x2x3x4xf32>)
        -> tensor<1x2x3x4xf32> {
      %o = attn.kernel ins(%q, %k, %v : tensor<1x2x3x4xf32>,
          tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
          outs(%init : tensor<1x2x3x4xf32>) {
      ^bb0(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x3x4xf32>,
           %c: tensor<1x2x3x4xf32>):
        %r = attn.generic
            scores(%a, %b : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
            pool(%c : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
        attn.results %r : tensor<1x2x3x4xf32>
      } -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs,
      Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
      Optional<MemRefRankOf<[F32, BF16], [3]>>:$panels);
  let results = (outs Variadic<AnyRankedTensor>:$tensors);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)`
    (`panels` `(` $panels^ `:` type($panels) `)`)? $body attr-dict
    (`->` type($tensors)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let builders = [
    /// A kernel without panels.
    OpBuilder<(ins "::mlir::TypeRange":$tensors, "::mlir::ValueRange":$inputs,
                   "::mlir::ValueRange":$outputs)>
  ];
  let extraClassDeclaration = [{
    /// The op that the kernel is scheduled for: the one whose results the region
    /// ends with. Where that is a `linalg` op it is the contraction, or without
    /// one the first op that computes. Null where none computes.
    ::mlir::Operation *getAnchor();
    /// The ops after the anchor that compute, in their order.
    ::llvm::SmallVector<::mlir::Operation *> getConsumers();
    /// The `linalg` ops before the anchor, in their order: they make the rows of
    /// its left side.
    ::llvm::SmallVector<::mlir::Operation *> getProducers();
    /// The operand that stands for `argument` of the region.
    ::mlir::Value getOperandOf(::mlir::Value argument);
    /// Whether each element of `input`, a tensor among the inputs, is read for
    /// the element at its own place of output `number`, and for nothing else:
    /// by pointwise ops. The output may take the input's place then. Never for
    /// attentions: they may keep what they have summed up in their outputs.
    bool readsInPlace(::mlir::Value input, unsigned number);
  }];
}

def Attn_ResultsOp : Attn_Op<"results", [Pure, Terminator,
    ParentOneOf<["KernelOp", "PartsOp", "PoolPartsOp", "MergePartsOp",
                 "SoftmaxFactorsOp", "PoolMixedOp"]>]> {
  let summary = "What a kernel, or the attention of a stage, computes";
  let description = [{
    Ends the region of `attn.kernel`, and that of a stage that is one of an
    attention's, which holds the attention.

    - (C1) in a kernel all tensors are results of one op: of the kernel's anchor, or of a
      pointwise op that is computed from the anchor's result.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$tensors);
  let assemblyFormat = "($tensors^ `:` type($tensors))? attr-dict";
}

#endif // MIXATTN_DIALECT_ATTN_KERNEL_OPS_TD
