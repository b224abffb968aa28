// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that describes entries.

#ifndef MIXATTN_PASSES_MANIFEST_PASSES_TD
#define MIXATTN_PASSES_MANIFEST_PASSES_TD

include "mlir/Pass/PassBase.td"

def WriteManifestPass : Pass<"attn-write-manifest", "::mlir::ModuleOp"> {
  let summary = "Describe the entries for whoever calls them";
  let description = [{
    Input: entries in the normal form, with names (`attn-bind-names`).
    Output: the module attribute `attn.manifest`, a JSON text as
    lib/Runtime/manifest.md says.
    Skips: the `attention` of an entry that is not just one attention op over
    its arguments; `attention_reason` says why.

    ```mlir
    module {
      func.func @f(%q: tensor<1x2x3x4xf32> {attn.name = "q"},
                   %k: tensor<1x2x3x4xf32> {attn.name = "k"},
                   %v: tensor<1x2x3x4xf32> {attn.name = "v"})
          -> (tensor<1x2x3x4xf32> {attn.name = "o"}) {
        %o = attn.generic
            scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
            pool(%v : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
        return %o : tensor<1x2x3x4xf32>
      }
    }
    ```
    gains
    ```
    module attributes {attn.manifest = "{\22abi\22:2, …}"}
    ```
  }];
  let options = [
    Option<"sanitizer", "sanitizer", "std::string", /*default=*/"\"none\"",
           "What instruments the code: none, address or thread">,
    Option<"weights", "weights", "std::string", /*default=*/"",
           "What marks the file of weights that belongs to the code">,
  ];
  let dependentDialects = ["::mixattn::AttnDialect"];
}

#endif // MIXATTN_PASSES_MANIFEST_PASSES_TD
