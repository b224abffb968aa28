// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect record and the attributes that its ops share.

#ifndef MIXATTN_DIALECT_ATTN_DIALECT_TD
#define MIXATTN_DIALECT_ATTN_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::mixattn";
  let summary = "Attention that couples heads or keys";
  let description = [{
    One op says one attention. Named ops (`attn.softmax`, `attn.mix_heads`)
    read as the papers do; they generalise into `attn.generic`, those without a
    softmax into `attn.linear_generic`: the normal forms, which passes plan,
    decompose and lower.

    Layouts are `[batch, heads, length, features]`; batch and lengths may be
    dynamic, heads and features are static. Letters: B batch, H query heads,
    N queries, S keys, D features of queries and keys, E features of values;
    b, h, i, j index batch, head, query and key.

    Arguments and results of an entry (a public function) may carry:

    - `attn.name = "q"`: the name by which tools bind it; `arg0`, `result0`
      and so on where it is missing.
    - `attn.dims = ["B", "N"]`: one name per dynamic dimension. Equal names
      have equal sizes, checked when the entry is called. Those of a result
      are sizes that the ops show to be an argument's, or computed from such.
    - `attn.range = [0, "S"]`: on integer arguments, the smallest and the
      largest value, each an integer or the name of a dimension; checked when
      the entry is called.
    - `attn.holds = {kind = "coordinates", extents = [8, "N", "N"]}`: on
      arguments, what their values are besides; checked when the entry is
      called. An op that reads an argument as it is asks for it by itself.
      `prior`: floats by head, then component (and key), none negative, each
      head with one above 0. `log_prior`: each head has one above -inf.
      `coordinates`: rows of integers, column c from 0 to extent c - 1, that
      ascend strictly. `windows`: rows (column, first row, length), of one row
      or more, disjoint, all within 0 to the only extent - 1. `nonempty`: there
      is an element.
    - `attn.parameter`: on arguments that are weights of the model, which the
      cost report and the manifest tell from its inputs.

    The entry itself may carry `attn.sizes`, what its dims must be, checked
    when the entry is called: `{N = [4, 128], S = [1], M = "B N + 1"}` says that
    N lies between two ends, S has one end, and M is as large as a polynomial
    in dims of arguments that are not computed themselves. Dims of results that
    no argument has are such; they get a name where the entry gives none.
    Where no argument has B and that of one is `4 B + 1`, that dim tells B, and
    calls check that it leaves no rest.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
}

def Attn_BandAttr : AttrDef<Attn_Dialect, "Band"> {
  let mnemonic = "band";
  let summary = "Keys that lie within a band around the query's own position";
  let description = [{
    Query i may attend to key j where `-upper <= i + (S - N) - j <= lower`: at
    most `lower` keys back and `upper` keys ahead of the position that is
    aligned with the query at the bottom right, as `causal` is.
  }];
  let parameters = (ins "int64_t":$lower, "int64_t":$upper);
  let assemblyFormat = "`<` $lower `,` $upper `>`";
  let genVerifyDecl = 1;
}

/// One attribute: an enum in angle brackets.
class Attn_KindAttr<EnumInfo info, string name>
    : EnumAttr<Attn_Dialect, info, name> {
  let assemblyFormat = "`<` $value `>`";
}

def Attn_NoiseKind : I32Enum<"NoiseKind", "kind of noise", [
    I32EnumCase<"Local", 0, "local">, I32EnumCase<"Global", 1, "global">]> {
  let cppNamespace = "::mixattn";
}

def Attn_NoiseAttr : Attn_KindAttr<Attn_NoiseKind, "noise"> {
  let summary = "Whose scores noise is drawn for";
  let description = [{
    `<local>`: one draw per output head, shared by the query heads that it
    mixes (FiSHformer, equation 8). `<global>`: one draw per query head, shared
    by the output heads (its released code).
  }];
}

def Attn_FeatureKind
    : I32Enum<"FeatureKind", "feature map", [
    I32EnumCase<"Elu", 0, "elu">,
    I32EnumCase<"NormalizedElu", 1, "normalized_elu">,
    I32EnumCase<"Relu", 2, "relu">, I32EnumCase<"Dpfp", 3, "dpfp">,
    I32EnumCase<"Favor", 4, "favor">]> {
  let cppNamespace = "::mixattn";
}

def Attn_FeatureMapAttr : AttrDef<Attn_Dialect, "FeatureMap"> {
  let mnemonic = "feature_map";
  let summary = "How queries and keys become features";
  let description = [{
    The map phi of linear attention, from D features to F:

    - `<elu>`: `elu(x) + 1`, that is `x + 1` above 0 and `exp(x)` elsewhere;
      F = D (Katharopoulos et al. 2020, equation 7).
    - `<normalized_elu>`: the same, divided by its sum over the features.
    - `<relu>`: `max(x, 0)`; F = D.
    - `<dpfp, rolls = n>`: with `y = [relu(x), relu(-x)]` and
      `roll(y, r)[f] = y[(f - r) mod 2D]`, the concatenation over r from 1 to n
      of `y * roll(y, r)`; F = 2 D n (Schlag et al. 2021, equation 37).
    - `<favor>`: with a projection W, `[D,m]`,
      `(2m)^-1/2 ([exp(xW - |x|^2/2), exp(-xW - |x|^2/2)] + 1e-4)`; F = 2 m
      (Choromanski et al. 2021, equation 7).
  }];
  let parameters = (ins EnumParameter<Attn_FeatureKind>:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$rolls);
  let assemblyFormat = "`<` $kind (`,` `rolls` `=` $rolls^)? `>`";
  let genVerifyDecl = 1;
}

def Attn_PlanAttr : AttrDef<Attn_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "How an attention is computed, by its sizes";
  let description = [{
    Cases in the order in which they are tried. The first whose conditions hold
    of the op's sizes `batch`, `queries` and `keys` is taken; the last has none.

    ```
    #attn.plan<[queries at_most 8 and keys above 512 : decode {width = 16, block = 64, split = 1024},
                else : online {width = 64, block = 64} ]>
    ```

    Each case names an algorithm, which is a schedule of the target's family, and
    the numbers that it has: `passes/plan/plan.md` lists them. Numbers that are
    absent are the schedule's to choose.

    The plan of an op is its attribute `attn.plan`, written by `attn-plan`.
  }];
  let parameters = (ins ArrayRefParameter<"::mixattn::PlanCase">:$cases);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Attn_TargetFamily : I32Enum<"TargetFamily", "family of targets", [
    I32EnumCase<"X86", 0, "x86">, I32EnumCase<"Mma", 1, "mma">,
    I32EnumCase<"Wgmma", 2, "wgmma">]> {
  let cppNamespace = "::mixattn";
}

def Attn_TargetAttr : AttrDef<Attn_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "The machine that a module is compiled for";
  let description = [{
    ```
    #attn.target<x86, chip = "znver5", features = ["avx2", "avx512f", "fma"],
                 threads = 2>
    #attn.target<mma, chip = "sm_80">
    ```

    - The family: 64-bit `x86`, or one of NVIDIA's GPUs, named for its products:
      `mma` (mma.sync: sm_80 and later), `wgmma` (sm_90a).
    - `chip`: LLVM's name of the CPU or of the GPU.
    - `features`: LLVM's names of what the code may use of an x86 CPU beyond the
      first x86-64; sorted, each once.
    - `threads`: threads that a call is planned for; 0, the default: as many as
      the machine has cores.
    - `machine`: what CPUID and the system say of an x86 machine, the members of
      `mixattn::CpuFacts` by name: numbers, and the vendor. Absent where no
      machine was asked.
    - `calibration`: numbers of f64 by name that predictions take in place of
      those of the chip's row (`passes/target/Calibration.h` has the names; a name
      that is not there counts nothing). Absent where no file gave any.

    A module carries its target as the attribute `attn.target`, which
    `attn-set-target` writes. Passes read it there. A module without one is for
    the first x86-64.
  }];
  let parameters = (ins EnumParameter<Attn_TargetFamily>:$family,
                        StringRefParameter<"LLVM's name">:$chip,
                        OptionalParameter<"::mlir::ArrayAttr">:$features,
                        DefaultValuedParameter<"int64_t", "0">:$threads,
                        OptionalParameter<"::mlir::DictionaryAttr">:$machine,
                        OptionalParameter<"::mlir::DictionaryAttr">:$calibration);
  let assemblyFormat = [{
    `<` $family `,` struct($chip, $features, $threads, $machine, $calibration) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The name of the attribute of a module.
    static constexpr ::llvm::StringLiteral attributeName = "attn.target";

    /// The target of the module that holds `op`.
    static TargetAttr of(::mlir::Operation *op);

    /// The names in `features`.
    ::std::vector<::std::string> getFeatureNames() const;
    /// Whether `feature` is among them.
    bool has(::llvm::StringRef feature) const;

    /// Whether it has instructions that convert between f32 and bf16, and
    /// between f32 and f16.
    bool hasBf16Conversion() const;
    bool hasF16Conversion() const;
  }];
}

#endif // MIXATTN_DIALECT_ATTN_DIALECT_TD
