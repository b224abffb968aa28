// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that turn attentions into kernels, and kernels into code.

#ifndef MIXATTN_PASSES_SCHEDULE_PASSES_TD
#define MIXATTN_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FormKernelsPass : Pass<"attn-form-kernels"> {
  let summary = "Wrap what a schedule takes as kernels";
  let description = [{
    Input: attentions in the normal form, pools, contractions and other `linalg`
    ops, on tensors, planned or not; the module's target.
    Output: those that the schedule of their plan takes, or any where they have
    none, stand in `attn.kernel`, into new tensors, with the ops after them that
    the schedule computes, too: pointwise ops after a contraction, all that a row
    goes through. Attentions, pools and contractions come first.
    Skips: those that no schedule takes, and those in kernels.

    Errors: a plan by an algorithm that the target does not have, or that cannot
    compute the op.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>,
                 %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
          pool(%v : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes an `attn.kernel` with that op in its region.
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
      "::mlir::tensor::TensorDialect"];
}

def RemarkPlainPass : Pass<"attn-remark-plain", "::mlir::ModuleOp"> {
  let summary = "Say which loops no kernel computes";
  let description = [{
    Input: a module with kernels on tensors.
    Output: the same; a remark, missed, for each `linalg` op and each stage outside of
    kernels, with its place; for the former with the reason of each schedule.
    Skips: ops that plans are made for, whose remark is `attn-plan`'s, those that
    fill a tensor, and those whose results nobody reads.

    ```mlir
    func.func @f(%x: tensor<4xf64>, %e: tensor<4xf64>) -> tensor<4xf64> {
      %y = linalg.exp ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>)
          -> tensor<4xf64>
      return %y : tensor<4xf64>
    }
    ```
    stays; `--remarks` prints
    ```
    remark: [Missed] plain | … Reason="'linalg.exp' is loops on one thread: rows: 'math.exp' is of f64"
    ```
  }];
}

def StageKernelsPass : Pass<"attn-stage-kernels", "::mlir::ModuleOp"> {
  let summary = "Make kernels for the cases of a plan, and for each stage";
  let description = [{
    Input: `attn.kernel` on buffers, and the module's target.
    Output: for each way to compute it that its plan names, but the last, a test
    of the sizes, and a kernel planned in this way alone. In front of it stand
    the kernels of what it needs first, which are the same on all targets:
    `attn.project` of projected keys and values, and where the plan's schedule
    takes products only, `attn.row_term` of Gaussians and of shifted keys. A
    linear attention that is not causal becomes `attn.linear_state`, with an MLP
    `attn.linear_mix_states`, and `attn.linear_read`; by spans states are those
    of `attn.linear_add_states`, and `attn.linear_causal_read` may read them; an
    attention that is planned as `decode` becomes `attn.parts` and `attn.merge_parts`, and
    between them, where weights of heads meet, `attn.part_factors` and `attn.pool_parts`; one that is planned as `two_pass` becomes
    `attn.softmax_factors` and `attn.pool_mixed`. What one kernel hands to the next lies in a buffer.
    Skips: kernels of one case without stages. A kernel that has no plan is
    computed by the first schedule that takes it.

    ```mlir
    func.func @f(%q: memref<1x2x3x4xf32>, %o: memref<1x2x3x4xf32>) {
      attn.kernel ins(%q : memref<1x2x3x4xf32>) outs(%o : memref<1x2x3x4xf32>) {
      ^bb0(%a: tensor<1x2x3x4xf32>):
        %r = attn.generic
            scores(%a, %a : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
            gaussian variances [8.0]
            pool(%a : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
        attn.results %r : tensor<1x2x3x4xf32>
      }
      return
    }
    ```
    becomes
    ```
    %term = memref.alloc() : memref<1x2x1x3xf32>
    attn.kernel ins(%q : …) outs(%term : …) { … attn.row_term … }
    attn.kernel ins(%q, %term : …) outs(%o : …) { … attn.generic … }
    memref.dealloc %term : memref<1x2x1x3xf32>
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ComputeInPlacePass : Pass<"attn-compute-in-place"> {
  let summary = "Let results take the place of what kernels read last";
  let description = [{
    Input: kernels on tensors, after CSE: equal sizes are one value.
    Output: a kernel's result is computed in an input of its type and sizes that
    nothing reads later, where each of the input's elements is read for the
    result's element at the same place alone. Bufferization copies nothing
    there: it asks the kernel the same.
    Skips: inputs that no kernel of the same block has computed; results that
    are computed in buffers of callers; attentions.

    ```
    %a = attn.kernel ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) { … }
    %b = attn.kernel ins(%a : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
      … linalg.generic …
    }
    ```
    becomes
    ```
    %a = attn.kernel ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) { … }
    %b = attn.kernel ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
      … linalg.generic …
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def PackParametersPass : Pass<"attn-pack-parameters", "::mlir::ModuleOp"> {
  let summary = "Read parameters from panels that callers keep";
  let description = [{
    Input: entries on buffers (`attn-take-buffers`), and the module's target.
    Output: an entry with a kernel of a contraction whose right side is a
    parameter of known sizes (`attn.parameter`), or a view of one, takes one
    more argument, marked `attn.packed`: memory that its caller keeps from call
    to call. Where it is large enough, kernels read such sides from panels in
    it. A mark in its first 64 bytes says whose parameters they are; a call that
    finds another mark packs them first. The mark is made from the entry's
    panels, and from the addresses and strides of its parameters. The module's
    manifest says how many bytes there are (`packed`).
    A parameter that is embedded (`attn-embed-parameters`) is read from a global
    of panels, of no value here, whose elements are put into the artifact; the
    module's `attn.embedded_panels` says how they are made.
    Skips: kernels that read their right side as it lies, kernels with several
    cases of a plan, and entries that are called in the module.

    ```
    func.func @f(%x: memref<?x768xf32>, %w: memref<768x3072xf32> {attn.parameter},
                 %y: memref<?x3072xf32>) {
      attn.kernel ins(%x, %w : …) outs(%y : …) { … linalg.matmul … }
      return
    }
    ```
    becomes
    ```
    func.func @f(%x: …, %w: …, %y: …, %packed: memref<?xi8> {attn.packed}) {
      %isGiven = arith.cmpi uge, %bytes, %needed : index
      scf.if %isGiven {
        %isNew = arith.cmpi ne, %mark, %found : i64
        scf.if %isNew {
          attn.kernel ins(%w : …) outs(%panels : …) { … attn.panels … }
          memref.store %mark, …
        }
      }
      attn.kernel ins(%x, %w : …) outs(%y : …) panels(%those : …) { … }
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect"];
}

def DropUnreadPass : Pass<"attn-drop-unread", "::mlir::ModuleOp"> {
  let summary = "Have functions take what they read";
  let description = [{
    Input: private functions, and calls of them.
    Output: functions without the arguments that they do not read.
    Skips: functions that others than calls use, and declarations.

    ```mlir
    func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
      call @copy(%x, %y, %x) : (memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
      return
    }
    func.func private @copy(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      return
    }
    ```
    becomes
    ```
    func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {
      call @copy(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
      return
    }
    func.func private @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
      …
    ```
  }];
}

def ScheduleKernelsPass : Pass<"attn-schedule-kernels", "::mlir::ModuleOp"> {
  let summary = "Turn kernels into code of the target";
  let description = [{
    Input: kernels on buffers as attn-stage-kernels leaves them, and the module's
    target.
    Output: grids, as the plan's schedule emits them (passes/plan/plan.md lists
    them): on x86 of tiles that threads share, on GPUs of blocks of threads.
    Skips: everything else. Kernels without a plan take the first schedule that
    is for them.

    Errors: a kernel that the target's schedules cannot compute as planned, and
    one that attn-stage-kernels has something to do for.

    ```mlir
    func.func @f(%q: memref<1x2x3x4xf32>, %o: memref<1x2x3x4xf32>) {
      attn.kernel ins(%q : memref<1x2x3x4xf32>) outs(%o : memref<1x2x3x4xf32>) {
      ^bb0(%a: tensor<1x2x3x4xf32>):
        %r = attn.generic
            scores(%a, %a : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
            pool(%a : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
        attn.results %r : tensor<1x2x3x4xf32>
      }
      return
    }
    ```
    becomes, on x86,
    ```
    tile.grid %tiles shared_if %is_large scratch %bytes {
    ^bb0(%tile: index, %scratch: memref<?xi8>):
      …
      tile.x86.product … into …
      tile.x86.product transposed … onto …
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mixattn::tile::TileDialect", "::mlir::LLVM::LLVMDialect",
      "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
      "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
      "::mlir::vector::VectorDialect"];
}

def SeparateScratchPass : Pass<"attn-separate-scratch"> {
  let summary = "Allocate each tile of a thread's scratch memory by itself";
  let description = [{
    For the address sanitizer, which sees the ends of allocations only.

    Input: tiles as views of the scratch memory of a grid's item; what a tile
    holds does not outlive the block of its view.
    Output: each tile is an allocation, freed at the end of that block.
    Skips: other views.

    ```mlir
    func.func @f(%n: index, %bytes: index, %isLarge: i1, %x: f32) {
      tile.grid %n shared_if %isLarge scratch %bytes {
      ^bb0(%item: index, %scratch: memref<?xi8>):
        %c0 = arith.constant 0 : index
        %tile = memref.view %scratch[%c0][] : memref<?xi8> to memref<16x16xf32>
        memref.store %x, %tile[%c0, %c0] : memref<16x16xf32>
      }
      return
    }
    ```
    becomes
    ```
    ^bb0(%item: index, %scratch: memref<?xi8>):
      %tile = memref.alloc() : memref<16x16xf32>
      memref.store %x, %tile[%c0, %c0] : memref<16x16xf32>
      memref.dealloc %tile : memref<16x16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def LimitSharingPass : Pass<"attn-limit-sharing"> {
  let summary = "Let few tensors share the buffer that they are computed in";
  let description = [{
    Bufferization compares each read of a buffer with each write to it, for
    every op that is computed in it: a buffer of all tensors of a size takes the
    third power of their number.

    Input: ops on tensors that are computed in others.
    Output: at most `most` of them in one that begins with the same tensor; the
    next ones begin with a new `tensor.empty`.
    Skips: ops that read what they are computed in.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
          -> tensor<4xf32>
      %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>)
          -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    becomes, with `most=1`,
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
          -> tensor<4xf32>
      %next = tensor.empty() : tensor<4xf32>
      %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%next : tensor<4xf32>)
          -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"32",
           "How many tensors may begin with one">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def BufferizePass : Pass<"attn-bufferize", "::mlir::ModuleOp"> {
  let summary = "Bufferize a module, and leave what kernels compute on tensors";
  let description = [{
    Input: tensors.
    Output: buffers, as one-shot-bufferize makes them; the regions of
    `attn.kernel` stay as they are.
    Skips: nothing.

    Errors: an argument that is updated (`attn-bind-updates`) elsewhere than where
    it lies.

    ```mlir
    func.func @f(%x: tensor<4xf32>, %to: memref<4xf32>) {
      %e = tensor.empty() : tensor<4xf32>
      %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
          -> tensor<4xf32>
      bufferization.materialize_in_destination %y in writable %to
          : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
    becomes
    ```
    func.func @f(%x: memref<4xf32>, %to: memref<4xf32>) {
      linalg.exp ins(%x : memref<4xf32>) outs(%to : memref<4xf32>)
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
      "::mlir::memref::MemRefDialect"];
}

def ShareKernelsPass : Pass<"attn-share-kernels", "::mlir::ModuleOp"> {
  let summary = "One function for the same computation in several places";
  let description = [{
    A stack of equal layers is compiled once, and a long chain of loops loop by
    loop: what follows takes more than twice as long for a function of twice the
    size.

    Input: `attn.kernel` and linalg ops on buffers.
    Output: calls of internal functions, which kernels share that are equal but
    for what they take; where a function has more than `most-loops` kernels and
    linalg ops, each of them becomes a call.
    Skips: kernels that have no equal, and linalg ops, in other functions.

    ```mlir
    func.func @f(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
      linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      linalg.exp ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
      return
    }
    ```
    becomes, with `most-loops=1`,
    ```mlir
    func.func @f(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
      call @linalg.exp(%x, %y) : (memref<4xf32>, memref<4xf32>) -> ()
      call @linalg.exp(%y, %z) : (memref<4xf32>, memref<4xf32>) -> ()
      return
    }
    func.func private @linalg.exp(%x: memref<4xf32>, %y: memref<4xf32>)
        attributes {llvm.linkage = #llvm.linkage<internal>, no_inline,
                    passthrough = ["noinline"]} {
      linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      return
    }
    ```
  }];
  let options = [
    Option<"mostLoops", "most-loops", "int64_t", /*default=*/"128",
           "How many kernels and linalg ops one function may have: a layer has "
           "ten to thirty, and they share what they know of its buffers">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
      "::mlir::LLVM::LLVMDialect"];
}

#endif // MIXATTN_PASSES_SCHEDULE_PASSES_TD
