// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that checks the levels of the pipeline.

#ifndef MIXATTN_PASSES_PIPELINES_PASSES_TD
#define MIXATTN_PASSES_PIPELINES_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyLevelPass : Pass<"attn-verify-level", "::mlir::ModuleOp"> {
  let summary = "Check the contract of a level of the pipeline";
  let description = [{
    Input: IR at the border of a level.
    Output: the same, or an error at the first op that does not verify, or that
    the level forbids.
    Skips: nothing.

    `normal`: no named attention op. `planned`: the same, and a plan on every
    attention. `bufferized`: no attention op and no tensor but inside of kernels.
    `tiled`: none at all. `llvm`: the LLVM dialect only.

    On a GPU from level `tiled` on entries launch kernels and compute sizes, and
    do nothing else: what they would compute lies in device memory. At `llvm`
    kernels are the LLVM dialect only.

    ```mlir
    func.func @f(%x: memref<4xf32>) {
      return
    }
    ```
    passes `attn-verify-level{level=bufferized}` unchanged.
  }];
  let options = [
    Option<"level", "level", "::mixattn::Level",
           /*default=*/"::mixattn::Level::Normal", "The level",
           [{::llvm::cl::values(
               clEnumValN(::mixattn::Level::Graph, "graph", ""),
               clEnumValN(::mixattn::Level::Normal, "normal", ""),
               clEnumValN(::mixattn::Level::Planned, "planned", ""),
               clEnumValN(::mixattn::Level::Bufferized, "bufferized", ""),
               clEnumValN(::mixattn::Level::Tiled, "tiled", ""),
               clEnumValN(::mixattn::Level::Llvm, "llvm", ""))}]>,
  ];
  let dependentDialects = ["::mixattn::AttnDialect"];
}

#endif // MIXATTN_PASSES_PIPELINES_PASSES_TD
