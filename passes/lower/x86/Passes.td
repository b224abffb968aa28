// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that lower tile ops of x86.

#ifndef MIXATTN_PASSES_LOWER_X86_PASSES_TD
#define MIXATTN_PASSES_LOWER_X86_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerX86Pass : Pass<"tile-lower-x86", "::mlir::ModuleOp"> {
  let summary = "Turn tile ops of x86 into loops over vectors";
  let description = [{
    Input: ops of the tile dialect with `x86` in their names, and the module's
    target.
    Output: scf, vector, arith, memref, and amx where the target has it.
    Skips: everything else.

    Errors: products whose lanes are not those of the target's registers, or by
    AMX for a target without it.

    ```mlir
    func.func @f(%x: vector<4xf32>) -> vector<4xf32> {
      %y = tile.x86.exp2 %x : vector<4xf32>
      return %y : vector<4xf32>
    }
    ```
    becomes a polynomial of the part of `%x` after the point, whose exponent is
    the part in front of it:
    ```
    %whole = math.roundeven %clamped : vector<4xf32>
    %part = arith.subf %clamped, %whole : vector<4xf32>
    …
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::amx::AMXDialect",
      "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def BranchOnMasksPass : Pass<"tile-branch-on-masks"> {
  let summary = "Move whole vectors where a mask leaves no lane out";
  let description = [{
    For CPUs without instructions that move some lanes: LLVM asks for each lane,
    and moves it by itself.

    Input: `vector.maskedload` and `vector.maskedstore`, whose masks are
    `vector.create_mask` of one number.
    Output: the same where the number is less than the lanes of the vector, and
    `vector.load` and `vector.store` where it is not.
    Skips: elements of 32 and 64 bits on a target with AVX, and of 8 and 16 on
    one with AVX-512 BW; other masks.

    ```mlir
    func.func @f(%x: memref<?xbf16>, %i: index, %n: index) -> vector<8xbf16> {
      %mask = vector.create_mask %n : vector<8xi1>
      %zero = arith.constant dense<0.0> : vector<8xbf16>
      %0 = vector.maskedload %x[%i], %mask, %zero
          : memref<?xbf16>, vector<8xi1>, vector<8xbf16> into vector<8xbf16>
      return %0 : vector<8xbf16>
    }
    ```
    becomes
    ```
    %whole = arith.cmpi sge, %n, %c8 : index
    %0 = scf.if %whole -> vector<8xbf16> {
      %1 = vector.load %x[%i] : memref<?xbf16>, vector<8xbf16>
      …
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::scf::SCFDialect"];
}

def GridsToThreadsPass : Pass<"tile-grids-to-threads", "::mlir::ModuleOp"> {
  let summary = "Let threads share the items of grids";
  let description = [{
    Input: `tile.grid` with one count, whose items are by one thread.
    Output: a parallel region of as many threads as `omp_get_max_threads` says,
    of whichever OpenMP runtime the process takes that from. Each has a part of
    the items, those that follow each other, and takes items of the other parts
    when it has done these. The scratch memory of all threads is one allocation;
    what they count items with is on the stack.
    Skips: everything else.

    ```mlir
    func.func @f(%x: memref<?xf32>, %n: index, %isLarge: i1) {
      tile.grid %n shared_if %isLarge {
      ^bb0(%item: index):
        %zero = arith.constant 0.0 : f32
        memref.store %zero, %x[%item] : memref<?xf32>
      }
      return
    }
    ```
    becomes
    ```
    %next = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
    %threads = call @omp_get_max_threads() : () -> i32
    memref.store %none, %next[%zero] : memref<8xi64>
    omp.parallel if(%isLarge) num_threads(%threads : i32) {
      scf.while : () -> index {
        %number = memref.atomic_rmw addi %one, %next[%zero] : (i64, memref<8xi64>) -> i64
        %item = arith.index_cast %number : i64 to index
        %isThere = arith.cmpi ult, %item, %n : index
        scf.condition(%isThere) %item : index
      } do {
      ^bb0(%item: index):
        …
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
      "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
      "::mlir::memref::MemRefDialect", "::mlir::omp::OpenMPDialect",
      "::mlir::scf::SCFDialect"];
}

def ProfileKernelsPass : Pass<"attn-profile-kernels", "::mlir::ModuleOp"> {
  let summary = "Tell the host when kernels begin and end";
  let description = [{
    Input: parallel regions, linalg ops and copies of buffers, with numbers in
    their locations (`attn-number-kernels`), and the module's manifest.
    Output: the clock is read before and after each, and in each thread of
    a region, and both are recorded as an event (`mixattn_event` in
    lib/Runtime/abi.h) where the host has given room for it: in what the
    symbol `mixattn_profile_of_NAME` points at, NAME being the first entry.
    Threads do not wait for each other before their region ends. The manifest's
    `kernels` are those that have events, with the numbers of these.
    Skips: what has no number. Functions that several kernels share take the
    number of their first event as their last argument.

    ```mlir
    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
      linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
          loc(fused<{attn.kernel = 0 : i64}>["f.mlir":3:8])
      return
    }
    ```
    becomes
    ```
    %begin = llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
    linalg.exp ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
    llvm.call @mixattn.record(%number, %noThread, %begin)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
      "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def ShareMovesPass : Pass<"tile-share-moves", "::mlir::ModuleOp"> {
  let summary = "Make one function of the same transposition in several places";
  let description = [{
    Input: `tile.x86.pack`, `tile.x86.unpack` and `tile.x86.pair`.
    Output: where several are the same but for the width of their tiles, calls
    of a function that holds one. Kernels have one for each width, case and
    operand, and each is some hundred instructions.
    Skips: everything else.

    ```mlir
    func.func @f(%wide: memref<64x32xf32>, %narrow: memref<64x16xf32>,
                 %factors: memref<1x32xf32>, %less: memref<1x16xf32>,
                 %o: memref<?x64xf32>, %row: index, %rows: index) {
      tile.x86.unpack %wide, %factors into %o[%row] rows %rows
          : memref<64x32xf32>, memref<1x32xf32>, memref<?x64xf32>
      tile.x86.unpack %narrow, %less into %o[%row] rows %rows
          : memref<64x16xf32>, memref<1x16xf32>, memref<?x64xf32>
      return
    }
    ```
    becomes two calls of `@tile.x86.unpack`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
      "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"];
}

#endif // MIXATTN_PASSES_LOWER_X86_PASSES_TD
