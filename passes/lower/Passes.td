// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from loops and tiles to LLVM.

#ifndef MIXATTN_PASSES_LOWER_PASSES_TD
#define MIXATTN_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

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

def AppendsToLoopsPass : Pass<"attn-appends-to-loops"> {
  let summary = "Write new rows into caches";
  let description = [{
    Input: `attn.append` on buffers.
    Output: `scf.parallel` over the elements of the rows, each of which goes to
    its place in the cache where there is one.
    Skips: everything else.

    ```mlir
    func.func @f(%x: memref<1x2x3xf32>, %c: memref<1x9x3xf32>,
                 %at: memref<1xi32>) {
      attn.append %x into %c at(%at)
          : memref<1x2x3xf32>, memref<1xi32> into memref<1x9x3xf32>
      return
    }
    ```
    becomes
    ```
    scf.parallel (%b, %i, %d) = (%c0, %c0, %c0) to (%c1, %c2, %c3)
        step (%c1, %c1, %c1) {
      %start = memref.load %at[%b] : memref<1xi32>
      …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
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

    Input: `math.erf`, `exp`, `exp2`, `expm1`, `log`, `log1p`, `log2`, `tanh`,
    `clampf` and `isinf` on f32.
    Output: for the first eight polynomials in `arith` and `math.fma`, within a
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

def SplitDimsPass : Pass<"attn-split-dims"> {
  let summary = "Write reshapes that split a dim into open ones as views";
  let description = [{
    `expand-strided-metadata` takes one open dim of those that a dim is split
    into.

    Input: buffers.
    Output: `memref.expand_shape` of more than one open dim in a group as
    `memref.reinterpret_cast`, with sizes and strides of its own.
    Skips: all others.

    ```mlir
    func.func @f(%x: memref<?x8xf32>, %b: index, %n: index) -> memref<?x?x8xf32> {
      %y = memref.expand_shape %x [[0, 1], [2]] output_shape [%b, %n, 8]
          : memref<?x8xf32> into memref<?x?x8xf32>
      return %y : memref<?x?x8xf32>
    }
    ```
    becomes
    ```
    %rows = arith.muli %stride, %n
    %y = memref.reinterpret_cast %base to offset: [0], sizes: [%b, %n, 8],
        strides: [%rows, 8, 1]
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::memref::MemRefDialect"];
}

def MoveBf16AsBitsPass : Pass<"attn-move-bf16-as-bits"> {
  let summary = "Move bf16 as 16-bit integers";
  let description = [{
    For CPUs that cannot convert to bf16: LLVM makes shuffles of copies of bf16,
    and of those calls of `__truncsfbf2` from a compiler's library, which an
    artifact does not have.

    Input: the LLVM dialect.
    Output: the same, where bf16 is loaded, stored, selected, moved between
    lanes and passed to blocks by its bits.

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
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::LLVM::LLVMDialect"];
}

def ExpandF16Pass : Pass<"attn-expand-f16"> {
  let summary = "Convert 16-bit floats without a compiler's library";
  let description = [{
    Where a CPU has no instruction, LLVM would call functions that artifacts do
    not link.

    Input: `arith.extf` and `arith.truncf` of f16 and f32, on scalars and
    vectors, and of f64 and f16 or bf16, on scalars.
    Output: between f16 and f32 the same conversions, rounding to nearest even,
    in integer arithmetic; those of f64 by way of f32, rounded once.
    Skips: those between f16 and f32 where the target converts; all others.

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
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def ExpandPowersPass : Pass<"attn-expand-powers", "::mlir::ModuleOp"> {
  let summary = "Expand powers with integer exponents to loops";
  let description = [{
    Upstream's `convert-math-to-funcs`, whose functions are inlined: an artifact
    has no symbols but its entries. Only now, since a loop is many blocks; and
    only where there are such powers, since inlining walks over all calls.

    Input: the math and cf dialects.
    Output: the same without `math.ipowi` and `math.fpowi`.
    Skips: everything else.

    ```mlir
    func.func @f(%x: f32, %n: i32) -> f32 {
      %y = math.fpowi %x, %n : f32, i32
      return %y : f32
    }
    ```
    becomes
    ```
    ^loop(%base: f32, %rest: i32, %product: f32):
      …
      %next = arith.mulf %base, %base : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
      "::mlir::vector::VectorDialect"];
}

def ExpandArithPass : Pass<"attn-expand-arith"> {
  let summary = "Expand arithmetic that the target has no instruction for";
  let description = [{
    Upstream's `arith-expand`, which expands conversions of bf16 or does not.

    Input: the arith dialect.
    Output: the same without ceiling and floor divisions, minima and maxima of
    integers and whatever else `arith-expand` expands; without conversions
    between f32 and bf16 where the target has no instruction for them.
    Skips: everything else.

    ```mlir
    func.func @f(%x: bf16) -> f32 {
      %y = arith.extf %x : bf16 to f32
      return %y : f32
    }
    ```
    becomes, without a target,
    ```
    %bits = arith.bitcast %x : bf16 to i16
    %wide = arith.extui %bits : i16 to i32
    …
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::arith::ArithDialect",
      "::mlir::vector::VectorDialect"];
}

#endif // MIXATTN_PASSES_LOWER_PASSES_TD
