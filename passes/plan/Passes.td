// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that decide how attentions are computed.

#ifndef MIXATTN_PASSES_PLAN_PASSES_TD
#define MIXATTN_PASSES_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanPass : Pass<"attn-plan", "::mlir::ModuleOp"> {
  let summary = "Choose how each attention is computed";
  let description = [{
    A cost model over the description of the target (passes/plan/plan.md) predicts
    every algorithm and size of tiles that there is a schedule for, and the
    fastest becomes the op's plan. Where sizes are open the plan has cases, with
    conditions on batch, queries and keys: ranges that another candidate
    computes faster.

    Input: attention ops in the normal form.
    Output: the same with an attribute `attn.plan`, and a remark for each: passed
    with the plan, the time that is predicted, and by how much it wins; missed
    where only the plain path remains, with the reason.
    Skips: nothing; plans that are there are made anew.

    Errors: an op that cannot take the plan that is asked for.

    ```mlir
    func.func @f(%q: tensor<1x2x300x64xf32>, %k: tensor<1x2x500x64xf32>)
        -> tensor<1x2x300x64xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x300x64xf32>, tensor<1x2x500x64xf32>)
          pool(%k : tensor<1x2x500x64xf32>) -> tensor<1x2x300x64xf32>
      return %o : tensor<1x2x300x64xf32>
    }
    ```
    becomes, after `attn-set-target{chip=x86-64-v4 features=avx2,avx512f,fma}`,
    ```
    %o = attn.generic scores(…) pool(…)
        {attn.plan = #attn.plan<[else : online {width = 64, block = 64} ]>} -> …
    ```
  }];
  let options = [
    Option<"force", "force", "std::string", /*default=*/"",
           "The plan of every attention: algorithm[,number=N]...">,
  ];
  let dependentDialects = ["::mixattn::AttnDialect"];
}

def NumberKernelsPass : Pass<"attn-number-kernels", "::mlir::ModuleOp"> {
  let summary = "Number the ops of entries, for who measures their kernels";
  let description = [{
    Input: entries on tensors, with names, and the module's manifest.
    Output: each op that makes a tensor has a number in its location, which
    follows it to whatever it becomes, and the manifest's entries have
    `kernels`: the number of each, its place, and what it costs.
    Skips: ops inside of other ops but those of `scf`, and constants. Without a
    manifest only locations change.

    ```mlir
    func.func @f(%x: tensor<4xf32> {attn.name = "x"})
        -> (tensor<4xf32> {attn.name = "y"}) {
      %y = math.sqrt %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    ```
    becomes
    ```
    %y = math.sqrt %x : tensor<4xf32>
        loc(fused<{attn.kernel = 0 : i64}>["f.mlir":3:8])
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect"];
}

#endif // MIXATTN_PASSES_PLAN_PASSES_TD
