// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that make entries: functions that programs call.

#ifndef MIXATTN_PASSES_ENTRY_PASSES_TD
#define MIXATTN_PASSES_ENTRY_PASSES_TD

include "mlir/Pass/PassBase.td"

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

def BindUpdatesPass : Pass<"attn-bind-updates", "::mlir::ModuleOp"> {
  let summary = "Find the arguments that entries update in place";
  let description = [{
    Input: entries with names (`attn-bind-names`), on tensors.
    Output: each argument that `attn.append` writes into is marked
    `attn.updates`, and the result that is its last value `attn.updated` with
    the argument's name: both are one tensor of the caller's.
    Skips: caches that the entry makes itself.

    Errors: an argument that is a parameter, or whose former value something else
    reads, or whose new value is not returned once. No copy is made of a cache.

    ```mlir
    func.func @f(%x: tensor<1x2x3xf32> {attn.name = "x"},
                 %c: tensor<1x9x3xf32> {attn.name = "c"},
                 %at: tensor<1xi32> {attn.name = "at"})
        -> (tensor<1x9x3xf32> {attn.name = "y"}) {
      %y = attn.append %x into %c at(%at)
          : tensor<1x2x3xf32>, tensor<1xi32> into tensor<1x9x3xf32>
          -> tensor<1x9x3xf32>
      return %y : tensor<1x9x3xf32>
    }
    ```
    becomes the same with `%c: … {attn.name = "c", attn.updates}` and a result
    `{attn.name = "y", attn.updated = "c"}`.
  }];
}

def DescribeLaunchesPass : Pass<"attn-describe-launches", "::mlir::ModuleOp"> {
  let summary = "Say in the manifest how kernels are launched";
  let description = [{
    Input: entries on buffers that launch kernels of a GPU (`tile.launch`), and
    `attn.manifest` on the module.
    Output: `launches` of each of the manifest's entries
    (lib/Runtime/manifest.md): grids and numbers as expressions of dims, pointers
    and strides by the names of tensors. A condition of an `scf.if` around a launch
    is a factor of its grid, 1 or 0: where it does not hold the launch has no
    blocks, and hosts pass over it. So the kernels of all cases of a plan are there.
    Skips: everything else.

    Errors: a count, a number or a condition that does not follow from sizes of
    arguments.

    ```mlir
    module {
      func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
        %c0 = arith.constant 0 : index
        %n = memref.dim %x, %c0 : memref<?xf32>
        tile.launch @kernels::@f_kernel_0 blocks %n threads 128
            [#tile.parameter<pointer>] of %x : memref<?xf32>
        return
      }
    }
    ```
    adds
    ```
    "launches": [
      {"kernel": "f_kernel_0", "grid": ["N", 1, 1], "block": [128, 1, 1],
       "cluster": [1, 1, 1], "shared": 0, "parameters": [{"pointer": "x", "alignment": 1} ] } ]
    ```
  }];
}

def ReportValuesPass : Pass<"attn-report-values", "::mlir::ModuleOp"> {
  let summary = "Tell of arguments whose values are not as asked, on a GPU";
  let description = [{
    Input: entries on buffers, whose kernels are grids of a GPU.
    Output: for each argument with `attn.range` a grid in front, a block an
    element, that reports values outside (`tile.report`); for each with
    `attn.holds` grids with a block for each element, head or row, that report
    what does not hold. What holds of a prior has no meaning for memory, and
    indices are kept inside by whoever reads them.
    Skips: ranges that a kernel reports on, and what has no condition.

    ```mlir
    func.func @f(%n: memref<?xi64> {attn.name = "n", attn.dims = ["B"],
                                    attn.range = [0, 8]}) {
      return
    }
    ```
    becomes
    ```
    func.func @f(%n: memref<?xi64> {…}) {
      tile.grid %size {
      ^bb0(%item: index):
        %value = memref.load %n[%item] : memref<?xi64>
        %below = arith.cmpi slt, %value, %c0 : i64
        %above = arith.cmpi sgt, %value, %c8 : i64
        %isBad = arith.ori %below, %above : i1
        tile.report %isBad of %n : memref<?xi64>
      }
      return
    }
    ```
  }];
  let dependentDialects = ["::mixattn::tile::TileDialect",
      "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect"];
}

def EmbedParametersPass : Pass<"attn-embed-parameters", "::mlir::ModuleOp"> {
  let summary = "Read parameters where the artifact has them";
  let description = [{
    Input: entries on buffers (`attn-take-buffers`).
    Output: entries without parameters (`attn.parameter`). Each is a global, of
    no value here, whose elements are put into the artifact: one for all entries
    that have a parameter of that name. The manifest's entries lose them, too;
    as it was before it is the module's `attn.embedded_manifest`.
    Skips: private functions and declarations.

    Errors: a parameter of open sizes, one that is not the same in all entries,
    and entries that have none.

    ```mlir
    func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]},
                 %w: memref<3xf32> {attn.name = "w", attn.parameter}) {
      %c0 = arith.constant 0 : index
      %a = memref.load %w[%c0] : memref<3xf32>
      memref.store %a, %x[%c0] : memref<?xf32>
      return
    }
    ```
    becomes
    ```
    memref.global constant @mixattn_weight.w : memref<3xf32>
    func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
      %w = memref.get_global @mixattn_weight.w : memref<3xf32>
      …
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ExportEntriesPass : Pass<"attn-export-entries", "::mlir::ModuleOp"> {
  let summary = "Wrap entries in the C ABI";
  let description = [{
    Input: entries on buffers (`attn-take-buffers`), and `attn.manifest` on the
    module.
    Output: per entry NAME a function `mixattn_NAME` of the C ABI
    (lib/Runtime/abi.h) that checks its DLPack tensors and calls NAME, now
    private and called `NAME.kernel`; next to it `mixattn_workspace_NAME`, by
    `NAME.workspace_bytes`, and `mixattn_prepare_NAME`; and the manifest as a global. Tensors of known sizes
    are checked by functions, one for all of a kind: a model has hundreds.
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

def TakeBuffersPass : Pass<"attn-take-buffers", "::mlir::ModuleOp"> {
  let summary = "Let entries read and write buffers of their caller's";
  let description = [{
    Input: entries on tensors, with names.
    Output: entries on memrefs with any strides but the innermost, which is 1:
    the arguments, then the results, marked `attn.result`; they do not overlap.
    Booleans are bytes, marked `attn.boolean`. A result that is an argument's
    update (`attn-bind-updates`) goes to the argument's buffer and has none of
    its own.
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

def PlanWorkspacePass : Pass<"attn-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Take all buffers of a call from one piece of memory";
  let description = [{
    Input: functions on buffers, which allocate others.
    Output: buffers are parts of one workspace, of a multiple of 64 bytes each;
    those that are not needed at the same time share a part. A function takes
    its workspace as its last argument. So does an entry, marked
    `attn.workspace`: where it is too small, the entry allocates one. The
    module's manifest says how many bytes an entry needs, as an expression of
    the sizes of its arguments, and `NAME.workspace_bytes`, a function of the
    buffers of entry NAME, gives them.
    Skips: buffers whose size is not one of arguments, those that threads
    allocate for themselves, and functions with results.

    ```mlir
    func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %x, %c0 : memref<?xf32>
      %a = memref.alloc(%n) : memref<?xf32>
      memref.copy %x, %a : memref<?xf32> to memref<?xf32>
      memref.dealloc %a : memref<?xf32>
      return
    }
    ```
    becomes
    ```
    func.func private @f.in_workspace(%x: memref<?xf32>,
                                      %workspace: memref<?xi8>) {
      %a = memref.view %workspace[%c0][%n] : memref<?xi8> to memref<?xf32>
      memref.copy %x, %a : memref<?xf32> to memref<?xf32>
      return
    }
    ```
    and an `@f` that calls it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
      "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
      "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def CheckAllocationsPass : Pass<"attn-check-allocations", "::mlir::ModuleOp"> {
  let summary = "Let entries report where memory cannot be had";
  let description = [{
    Input: kernels and their wrappers (`attn-export-entries`) in the LLVM
    dialect.
    Output: a kernel returns 1 where `malloc` returns NULL, or where the size
    asked for has overflowed, in it or in an internal function that it calls,
    having freed what it held, and its wrapper then leaves a message and returns
    MIXATTN_ERROR_MEMORY.
    Skips: functions other than these and `NAME.kernel` with its wrapper
    `mixattn_NAME`, and what threads allocate.

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

#endif // MIXATTN_PASSES_ENTRY_PASSES_TD
