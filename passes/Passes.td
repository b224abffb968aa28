// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every pass: what it takes, what it leaves, what it skips.

#ifndef MIXATTN_PASSES_TD
#define MIXATTN_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectEntryPass : Pass<"attn-select-entry", "::mlir::ModuleOp"> {
  let summary = "Keep the public functions that are to be compiled";
  let description = [{
    Input: a module with public functions.
    Output: the entry called `entry` is public, every other function private;
    with an empty `entry` all stay as they are.
    Skips: declarations.

    ```mlir
    func.func @f() {
      return
    }
    func.func @g() {
      return
    }
    ```
    becomes, with `entry=f`,
    ```mlir
    func.func @f() {
      return
    }
    func.func private @g() {
      return
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"",
           "The only public function to keep as an entry; all where empty">,
  ];
}

def BindNamesPass : Pass<"attn-bind-names", "::mlir::ModuleOp"> {
  let summary = "Name the arguments, results and dynamic dims of entries";
  let description = [{
    An entry is a public function with a body; its arguments and results are
    ranked tensors of floats or signless integers.

    Input: entries with or without `attn.name`, `attn.dims` and `attn.range`.
    Output: entries whose every argument and result has a name, whose every
    dynamic dimension has a name, the same for dimensions that an op needs
    equal, whose lengths have a range, and whose arguments hold (`attn.holds`)
    what ops ask of the values that they read.
    Skips: private functions and declarations.

    Errors: a call that could not be inlined, a name that occurs twice, two
    names for sizes that must be equal, a result's dimension that no argument
    has, bounds of values that name no dimension.

    ```mlir
    func.func @f(%q: tensor<?x2x3x4xf32> {attn.name = "q", attn.dims = ["B"]},
                 %k: tensor<?x2x3x4xf32>, %v: tensor<?x2x3x4xf32>)
        -> tensor<?x2x3x4xf32> {
      %o = attn.softmax %q, %k, %v
          : (tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>)
          -> tensor<?x2x3x4xf32>
      return %o : tensor<?x2x3x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(
        %q: tensor<?x2x3x4xf32> {attn.name = "q", attn.dims = ["B"]},
        %k: tensor<?x2x3x4xf32> {attn.name = "arg1", attn.dims = ["B"]},
        %v: tensor<?x2x3x4xf32> {attn.name = "arg2", attn.dims = ["B"]})
        -> (tensor<?x2x3x4xf32> {attn.name = "result0", attn.dims = ["B"]}) {
      %o = attn.softmax %q, %k, %v
          : (tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>)
          -> tensor<?x2x3x4xf32>
      return %o : tensor<?x2x3x4xf32>
    }
    ```
  }];
}

def GeneralizePass : Pass<"attn-generalize"> {
  let summary = "Say every named attention op in the normal form";
  let description = [{
    Input: any op with GeneralizableOpInterface.
    Output: `attn.generic` in its place, with the scale written out, or
    `attn.linear_generic`.
    Skips: nothing.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>,
                 %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.softmax %q, %k, %v causal
          : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
          -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>,
                 %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
          scale 0.5 causal
          pool(%v : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
  }];
}

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
    module attributes {attn.manifest = "{\22abi\22:1, …}"}
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", /*default=*/"\"x86-64\"",
           "LLVM's name of the CPU that the code is for">,
    ListOption<"features", "features", "std::string",
               "LLVM's names of the CPU features that the code may use">,
  ];
}

def SimplifyPass : Pass<"attn-simplify"> {
  let summary = "Rewrite the normal form where a simpler one is equal";
  let description = [{
    Algebra that is exact in real arithmetic. Each rule that declines where it might apply says why in a
    missed remark of its name; each that applies leaves a passed one.

    - `PruneHeads`: query heads whose rows of a constant mixer are zero vanish;
      needs `finite`.
    - `SelectHeads`: a constant mixer of scores that picks one head for each
      output becomes a choice of heads.
    - `DropSingleComponent`: keys of one component lose it.
    - `CancelQueryNorm`: a Gaussian of equal variances becomes a product plus a
      term per key, unless something sees a constant added to a row of scores
      (an MLP, a ReLU, a score_mod that does more than add, `lse`).
    - `ShareShiftedKeys`: shifted keys of equal variances share one product,
      under the same condition if they are Gaussian.
    - `MixOutputs`: a mixer of weights over shared values mixes what the heads
      pool instead, in f32. Values of a few groups of heads are pooled side by
      side where that is less work than it saves.
    - `FoldPrior`: a prior becomes a part of the term per key, where key heads
      are not shared.
    - `FoldLog2e`: exponentials become powers of 2, with log2 e in the scale, or
      in variances, terms and prior where components meet in logsumexp; unless
      something reads scores in natural units.
    - `FoldScale`: scale and common variance become a factor of the query; 16-bit
      queries stay as they are.
    - `MixFeatures`: linear attention over components takes the mixture of their
      features as given, if that saves products.

    Input: `attn.generic` and `attn.linear_generic` on tensors.
    Output: the same, and `linalg` ops that make its new operands.
    Skips: named ops.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>,
                 %v: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>)
          gaussian variances [8.0]
          pool(%v : tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes
    ```
    %norms = linalg.generic … ins(%k, %k)          // -|k|^2 / 16
    %term = linalg.generic … ins(%norms)           // times log2 e
    %query = linalg.generic … ins(%q)              // times log2 e / 8
    %o = attn.generic scores(%query, %k : …)
        key_term(%term : tensor<1x2x5xf32>) scale 1.0 base2
        pool(%v : …) -> …
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def FoldPass : Pass<"attn-fold"> {
  let summary = "Say attentions that couple heads or keys as plain ones";
  let description = [{
    The folds that papers and frameworks use where no kernel couples heads or
    keys: exact, but with longer operands. They are baselines and candidates of
    a planner, so none acts unless it is asked for. Each that declines where it
    might apply says why in a missed remark of its name; each that applies
    leaves a passed one.

    - `keys` (`ConcatenateKeys`): R components that meet in logsumexp become
      R S keys of one softmax; the prior becomes a bias, values and masks are
      repeated.
    - `heads` (`ConcatenateHeads`): a linear mixer of scores becomes a product
      over all heads' features, of weighed queries and one long key.
    - `values` (`ConcatenateValues`): under a mixer of weights all heads' values
      become features of one head; outputs are mixed in f32.

    Input: `attn.generic` on tensors.
    Output: the same, and `linalg` ops that make its new operands.
    Skips: named ops.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x2x5x4xf32>,
                 %v: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x2x5x4xf32>)
          gaussian variances [8.0, 8.0]
          pool(%v : tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes, with `keys`,
    ```
    %keys = tensor.collapse_shape %k …             // [B,H,R,S,D] to [B,H,R S,D]
    %values = linalg.generic … ins(%v)             // [B,H,R S,E]
    %o = attn.generic scores(%q, %keys : …) gaussian variances [8.0]
        scale 1.0 pool(%values : …) -> tensor<1x2x3x4xf32>
    ```
  }];
  let options = [
    Option<"keys", "keys", "bool", /*default=*/"false",
           "Fold components of keys into further keys">,
    Option<"heads", "heads", "bool", /*default=*/"false",
           "Fold mixed heads of scores into one long product">,
    Option<"values", "values", "bool", /*default=*/"false",
           "Fold heads of values into features under a mixer of weights">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def TakeBuffersPass : Pass<"attn-take-buffers", "::mlir::ModuleOp"> {
  let summary = "Let entries read and write buffers of their caller's";
  let description = [{
    Input: entries on tensors, with names.
    Output: entries on memrefs with any strides but the innermost, which is 1:
    the arguments, then the results, marked `attn.result`; they do not overlap.
    Booleans are bytes, marked `attn.boolean`.
    Skips: private functions and declarations.

    ```mlir
    func.func @f(%x: tensor<?xf32> {attn.name = "x", attn.dims = ["N"]})
        -> (tensor<?xf32> {attn.name = "y", attn.dims = ["N"]}) {
      return %x : tensor<?xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]},
                 %y: memref<?xf32> {attn.name = "y", attn.dims = ["N"],
                                    attn.result}) {
      %0 = bufferization.to_tensor %x restrict : memref<?xf32> to tensor<?xf32>
      bufferization.materialize_in_destination %0 in restrict writable %y
          : (tensor<?xf32>, memref<?xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ComputeInResultsPass : Pass<"attn-compute-in-results"> {
  let summary = "Compute results in the buffers that they go to";
  let description = [{
    Upstream's elimination of empty tensors does this too, but takes a value
    that two results begin with for the first result's own: the second result
    then overwrites the first (LLVM 22.1.8).

    Input: `bufferization.materialize_in_destination` into an argument.
    Output: the `tensor.empty` in which the value is computed is the argument's
    buffer.
    Skips: values of which something on the way has another use, or whose type
    says more or less about its sizes than the argument's.

    ```mlir
    func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {
      %0 = tensor.empty() : tensor<4xf32>
      %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>)
          -> tensor<4xf32>
      bufferization.materialize_in_destination %1 in restrict writable %y
          : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4xf32>, %y: memref<4xf32>) {
      %0 = bufferization.to_tensor %y restrict writable
          : memref<4xf32> to tensor<4xf32>
      %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>)
          -> tensor<4xf32>
      bufferization.materialize_in_destination %1 in restrict writable %y
          : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def ExportEntriesPass : Pass<"attn-export-entries", "::mlir::ModuleOp"> {
  let summary = "Wrap entries in the C ABI";
  let description = [{
    Input: entries on buffers (`attn-take-buffers`), and `attn.manifest` on the
    module.
    Output: per entry NAME a function `mixattn_NAME` of the C ABI
    (lib/Runtime/abi.h) that checks its DLPack tensors and calls NAME, now
    private and called `NAME.kernel`; and the manifest as a global.
    Skips: private functions and declarations.

    ```mlir
    module attributes {attn.manifest = "{}"} {
      func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
        return
      }
    }
    ```
    becomes, the checks left out,
    ```
    llvm.mlir.global external constant @mixattn_manifest_of_f("{}\00")
    func.func @mixattn_f(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
      …
      call @f.kernel(%x) : (memref<?xf32>) -> ()
      return %zero : i32
    }
    func.func private @f.kernel(%x: memref<?xf32>) {
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def DecomposePass : Pass<"attn-decompose"> {
  let summary = "Lower any attention op to linalg, unfused";
  let description = [{
    The plain path: the readable definition of each op, for every dtype and
    shape. Scores, weights and pooled values are f32 tensors of their own.

    Input: attention ops on tensors.
    Output: `linalg` ops on tensors; no attention op is left.
    Skips: nothing.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>,
                 %v: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.softmax %q, %k, %v
          : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>)
          -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes
    ```
    %scores  = linalg.generic … ins(%q, %k)        // products over features
    %visible = linalg.generic … ins(%scores)       // scale, bias, region, mask
    %max     = linalg.generic … ins(%visible)      // per row
    %exp     = linalg.generic … ins(%visible, %max)
    %sum     = linalg.generic … ins(%exp)
    %weights = linalg.generic … ins(%exp, %sum)
    %o       = linalg.generic … ins(%weights, %v)  // products over keys
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerCopiesPass : Pass<"attn-lower-copies"> {
  let summary = "Turn copies between strided buffers into linalg";
  let description = [{
    The lowering of `memref.copy` between buffers that are not contiguous calls
    a function of MLIR's own runtime library, which artifacts do not link.

    Input: `memref.copy`.
    Output: `linalg.copy` in place of every copy that involves strides.
    Skips: copies between contiguous buffers, which become memcpy.

    ```mlir
    func.func @f(%a: memref<4x4xf32, strided<[8, 1]>>, %b: memref<4x4xf32>) {
      memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
      return
    }
    ```
    becomes
    ```mlir
    func.func @f(%a: memref<4x4xf32, strided<[8, 1]>>, %b: memref<4x4xf32>) {
      linalg.copy ins(%a : memref<4x4xf32, strided<[8, 1]>>)
                  outs(%b : memref<4x4xf32>)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ApproximateMathPass : Pass<"attn-approximate-math"> {
  let summary = "Turn math functions into polynomials and comparisons";
  let description = [{
    Calls of libm cost ten times as much, and their results vary by machine.

    Input: `math.exp`, `expm1`, `log`, `log1p`, `log2`, `tanh`, `clampf` and
    `isinf` on f32.
    Output: for the first six polynomials in `arith` and `math.fma`, within a
    few units in the last place of normal numbers; for the others comparisons.
    Skips: other functions, which are instructions or libm's.

    ```mlir
    func.func @f(%x: f32) -> f32 {
      %y = math.exp %x : f32
      return %y : f32
    }
    ```
    becomes
    ```
    %n = math.floor … // x = n log 2 + r
    %y = math.fma …   // 2^n times a polynomial in r
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def MoveBf16AsBitsPass : Pass<"attn-move-bf16-as-bits"> {
  let summary = "Read and write bf16 as 16-bit integers";
  let description = [{
    For CPUs that cannot convert to bf16: LLVM makes shuffles of copies of bf16,
    and of those calls of `__truncsfbf2` from a compiler's library, which an
    artifact does not have.

    Input: the LLVM dialect.
    Output: the same, where bf16 is loaded and stored by its bits.
    Skips: vectors.

    ```mlir
    llvm.func @f(%from: !llvm.ptr, %to: !llvm.ptr) {
      %0 = llvm.load %from : !llvm.ptr -> bf16
      llvm.store %0, %to : bf16, !llvm.ptr
      llvm.return
    }
    ```
    becomes
    ```mlir
    llvm.func @f(%from: !llvm.ptr, %to: !llvm.ptr) {
      %0 = llvm.load %from : !llvm.ptr -> i16
      %1 = llvm.bitcast %0 : i16 to bf16
      %2 = llvm.bitcast %1 : bf16 to i16
      llvm.store %2, %to : i16, !llvm.ptr
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ExpandF16Pass : Pass<"attn-expand-f16"> {
  let summary = "Convert 16-bit floats without a compiler's library";
  let description = [{
    Where a CPU has no instruction, LLVM would call functions that artifacts do
    not link.

    Input: `arith.extf` and `arith.truncf` on scalars, of f16 and f32, and of
    f64 and f16 or bf16.
    Output: between f16 and f32 the same conversions, rounding to nearest even,
    in integer arithmetic; those of f64 by way of f32, rounded once.
    Skips: with `has-conversion` those between f16 and f32; all others.

    ```mlir
    func.func @f(%x: f16) -> f32 {
      %y = arith.extf %x : f16 to f32
      return %y : f32
    }
    ```
    becomes
    ```
    %bits = arith.bitcast %x : f16 to i16
    …
    %y = arith.bitcast %wide : i32 to f32
    ```
  }];
  let options = [
    Option<"hasConversion", "has-conversion", "bool", /*default=*/"false",
           "The CPU converts between f16 and f32 (F16C)">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def CheckAllocationsPass : Pass<"attn-check-allocations", "::mlir::ModuleOp"> {
  let summary = "Let entries report where memory cannot be had";
  let description = [{
    Input: kernels and their wrappers (`attn-export-entries`) in the LLVM
    dialect.
    Output: a kernel returns 1 where `malloc` returns NULL, or where the size
    asked for has overflowed, having freed what it held, and its wrapper then leaves a message and returns
    MIXATTN_ERROR_MEMORY.
    Skips: functions other than `NAME.kernel` beside its wrapper `mixattn_NAME`.

    ```mlir
    llvm.func @malloc(i64) -> !llvm.ptr
    llvm.func @free(!llvm.ptr)
    llvm.func @mixattn_f(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr)
        -> i32 {
      %zero = llvm.mlir.constant(0 : i32) : i32
      %size = llvm.mlir.constant(64 : i64) : i64
      llvm.call @f.kernel(%size) : (i64) -> ()
      llvm.return %zero : i32
    }
    llvm.func internal @f.kernel(%size: i64) {
      %p = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
      llvm.call @free(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    ```
    becomes
    ```
    llvm.func internal @f.kernel(%size: i64) -> i32 {
      %p = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
      %none = llvm.icmp "eq" %p, %null : !llvm.ptr
      llvm.cond_br %none, ^failure, ^go_on
      …
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyLevelPass : Pass<"attn-verify-level", "::mlir::ModuleOp"> {
  let summary = "Check the contract of a level of the pipeline";
  let description = [{
    Input: IR at the border of a level.
    Output: the same, or an error at the first op that the level forbids.
    Skips: nothing.

    `normal`: no named attention op. `bufferized`: no attention op, no tensor.
    `llvm`: the LLVM dialect only.

    ```mlir
    func.func @f(%x: memref<4xf32>) {
      return
    }
    ```
    passes `attn-verify-level{level=bufferized}` unchanged.
  }];
  let options = [
    Option<"level", "level", "std::string", /*default=*/"",
           "normal, bufferized or llvm">,
  ];
}

#endif // MIXATTN_PASSES_TD
