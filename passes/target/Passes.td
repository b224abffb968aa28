// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that says which machine a module is compiled for.

#ifndef MIXATTN_PASSES_TARGET_PASSES_TD
#define MIXATTN_PASSES_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"attn-set-target", "::mlir::ModuleOp"> {
  let summary = "Say which machine a module is compiled for";
  let description = [{
    Planner, schedules, lowerings and the manifest read the target of the
    module; nothing else tells them of the machine.

    Input: any module.
    Output: the same with the attribute `attn.target`; one that was there is
    replaced.
    Skips: nothing.

    Errors: a target that its verifier refuses; a number of predictions that has no
    known name, or is none.

    ```mlir
    module {
    }
    ```
    becomes, for `chip=x86-64-v3 features=fma,avx2 threads=2`,
    ```
    module attributes {attn.target = #attn.target<x86, chip = "x86-64-v3",
        features = ["avx2", "fma"], threads = 2>} {
    }
    ```
  }];
  let options = [
    Option<"family", "family", "::mixattn::TargetFamily",
           /*default=*/"::mixattn::TargetFamily::X86", "The family of targets",
           [{::llvm::cl::values(
               clEnumValN(::mixattn::TargetFamily::X86, "x86", "64-bit x86"),
               clEnumValN(::mixattn::TargetFamily::Mma, "mma",
                          "NVIDIA's GPUs from sm_80 on"),
               clEnumValN(::mixattn::TargetFamily::Wgmma, "wgmma",
                          "sm_90a"))}]>,
    Option<"chip", "chip", "std::string", /*default=*/"\"x86-64\"",
           "LLVM's name of the CPU or GPU">,
    ListOption<"features", "features", "std::string",
               "LLVM's names of the features that the code may use">,
    Option<"threads", "threads", "int64_t", /*default=*/"0",
           "Threads that calls are planned for; 0: as many as cores">,
    Option<"machine", "machine", "std::string", /*default=*/"",
           "What CPUID and the system say of the machine; the CPU's row if empty">,
    ListOption<"calibration", "calibration", "std::string",
               "Numbers of predictions, each NAME=NUMBER, in place of the CPU's">,
  ];
  let dependentDialects = ["::mixattn::AttnDialect"];
}

#endif // MIXATTN_PASSES_TARGET_PASSES_TD
