// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of a GPU's launches: what a host says, and what a kernel is given.

#ifndef MIXATTN_DIALECT_TILE_LAUNCH_OPS_TD
#define MIXATTN_DIALECT_TILE_LAUNCH_OPS_TD

include "dialect/tile/TileDialect.td"

include "mlir/IR/EnumAttr.td"

/// Its C++ type is any, so that who reads the dialect needs not all of LLVM's.
def Tile_DevicePointer : Type<
    CPred<"::mixattn::tile::isDevicePointer($_self)">,
    "LLVM pointer in address space 1">;

def Tile_ParameterKind : I32Enum<"ParameterKind",
    "what a kernel is given of a value",
    [I32EnumCase<"Pointer", 0, "pointer">, I32EnumCase<"Stride", 1, "stride">,
     I32EnumCase<"Number", 2, "number">,
     I32EnumCase<"TensorMap", 3, "tensor_map">,
     I32EnumCase<"Status", 4, "status">]> {
  let cppNamespace = "::mixattn::tile";
}

def Tile_ParameterAttr : AttrDef<Tile_Dialect, "Parameter"> {
  let mnemonic = "parameter";
  let summary = "What a kernel is given of a value";
  let description = [{
    - `pointer`: the address of a buffer's first element, 8 bytes, never that of
      a memref's descriptor. `alignment` bytes divide it, and every stride but
      the innermost;
    - `stride`: that of dim `dim` of a buffer, in elements, an i64;
    - `number`: the value itself, an index, as an i32;
    - `tensor_map`: 128 bytes that say where a buffer lies and what a copy takes
      of it: `box`, of its last dims and 1 of each before, `swizzle` bytes of a
      row permuted in shared memory;
    - `status`: the address of the caller's status word, 8 bytes, 0 where there is
      none. The kernel may leave there that the buffer, an argument of the entry,
      holds a value out of its range.

    ```
    #tile.parameter<pointer>   #tile.parameter<pointer alignment = 16>
    #tile.parameter<stride dim = 2>
    #tile.parameter<tensor_map box = [128, 64] swizzle = 128>
    #tile.parameter<status>
    ```
  }];
  let parameters = (ins EnumParameter<Tile_ParameterKind>:$kind,
      DefaultValuedParameter<"int64_t", "0">:$dim,
      DefaultValuedParameter<"int64_t", "1">:$alignment,
      OptionalArrayRefParameter<"int64_t">:$box,
      DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let builders = [AttrBuilder<(ins "ParameterKind":$kind,
      CArg<"int64_t", "0">:$dim, CArg<"int64_t", "1">:$alignment), [{
    return $_get($_ctxt, kind, dim, alignment, ::llvm::ArrayRef<int64_t>(),
                 /*swizzle=*/0);
  }]>];
  let assemblyFormat = [{
    `<` $kind (`dim` `=` $dim^)? (`alignment` `=` $alignment^)?
    (`box` `=` `[` $box^ `]`)? (`swizzle` `=` $swizzle^)? `>`
  }];
}
def Tile_Parameters : TypedArrayAttrBase<Tile_ParameterAttr, "parameters">;

def Tile_LaunchOp : Tile_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "Runs a kernel of a GPU";
  let description = [{
    As many blocks of `teams` times `threads` threads each as the product of
    `counts`, up to three, run the function `kernel` of a `gpu.module`. Launches of an entry run
    one after the other.

    `parameters` says for each argument of the kernel what it is given of the
    operand of the same number: buffers give pointers and strides, numbers
    themselves. A block has `shared` bytes of dynamic shared memory. Nothing else
    is passed, so that any program can launch a kernel
    that the manifest describes.

    - (C1) there are 1 to 3 counts, and a parameter for each operand.
    - (C2) pointers, strides, tensor maps and status words are of buffers,
      numbers of indices.

    ```mlir
    func.func @f(%x: memref<?x64xf32, strided<[?, 1]>>, %n: index) {
      tile.launch @kernels::@f_kernel_0 blocks %n threads 128
          [#tile.parameter<pointer>, #tile.parameter<stride>,
           #tile.parameter<number>] of %x, %x, %n
          : memref<?x64xf32, strided<[?, 1]>>,
            memref<?x64xf32, strided<[?, 1]>>, index
      return
    }
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, Variadic<Index>:$counts,
      ConfinedAttr<I64Attr, [IntPositive]>:$threads,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$teams,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$shared,
      Tile_Parameters:$parameters,
      Arg<Variadic<AnyTypeOf<[AnyMemRef, Index]>>, "",
          [MemRead, MemWrite]>:$values);
  let assemblyFormat = [{
    $kernel `blocks` $counts `threads` $threads (`teams` $teams^)? (`shared` $shared^)? $parameters
    (`of` $values^ `:` type($values))? attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_TensorMapOp : Tile_Op<"tensor_map", [Pure]> {
  let summary = "The tensor map of a buffer";
  let description = [{
    What copies by TMA know of `buffer`: a kernel is given it, and the host makes
    it. A copy takes `rows` rows of `columns` columns at a time; what lies
    outside of the buffer is 0. In shared memory `swizzle` bytes of a row are
    permuted.

    - (C1) there are 1 to 256 rows.
    - (C2) columns have `swizzle` bytes: 32, 64 or 128.

    ```mlir
    func.func @f(%k: memref<?x4x?x64xbf16>) -> !llvm.ptr {
      %map = tile.tensor_map %k box 128 x 64 swizzle 128
          : memref<?x4x?x64xbf16> -> !llvm.ptr
      return %map : !llvm.ptr
    }
    ```
  }];
  let arguments = (ins MemRefRankOf<[F16, BF16], [2, 3, 4, 5]>:$buffer,
      I64Attr:$rows, I64Attr:$columns, I64Attr:$swizzle);
  let results = (outs AnyType:$map);
  let assemblyFormat = [{
    $buffer `box` $rows `x` $columns `swizzle` $swizzle attr-dict
    `:` type($buffer) `->` type($map)
  }];
  let hasVerifier = 1;
}

def Tile_MultiprocessorsOp : Tile_Op<"multiprocessors", [Pure]> {
  let summary = "How many multiprocessors the GPU has";
  let description = [{
    The GPU that the entry is called for: the host asks it. It is a number of a
    launch, as sizes are; no result may depend on it.

    ```mlir
    func.func @f(%items: index) {
      %most = tile.multiprocessors : index
      %blocks = arith.minsi %items, %most : index
      tile.grid %blocks threads 128 {
      ^bb0(%block: index):
      }
      return
    }
    ```
  }];
  let results = (outs Index:$count);
  let assemblyFormat = "attr-dict `:` type($count)";
}

def Tile_ReportOp : Tile_Op<"report"> {
  let summary = "Tells the caller that a value is out of its range";
  let description = [{
    Where `is_bad` holds in the first thread of a block, the caller's status word
    becomes at least 1 + the number of the entry's argument that `buffer` is. A
    caller without a status word learns nothing, and neither does one where
    `buffer` is no argument of the entry: it has no number.

    The host of a GPU does not see values. A kernel takes the nearest value that
    is in the range, goes on, and reports.

    ```mlir
    func.func @f(%lengths: memref<?xi64>, %isBad: i1) {
      tile.report %isBad of %lengths : memref<?xi64>
      return
    }
    ```
  }];
  let arguments = (ins I1:$is_bad, Arg<AnyMemRef, "", [MemWrite]>:$buffer);
  let assemblyFormat = "$is_bad `of` $buffer attr-dict `:` type($buffer)";
}

def Tile_DeviceBufferOp : Tile_Op<"device_buffer",
    [Pure, AttrSizedOperandSegments]> {
  let summary = "A buffer in a GPU's memory, of what a kernel was given";
  let description = [{
    The buffer whose first element is at `pointer`, with a size for each open
    one of its type, and a stride in elements for each open one. It is a name
    for these: no descriptor of it is made.

    - (C1) there are as many sizes and strides as the type leaves open.

    ```mlir
    func.func @f(%p: !llvm.ptr<1>, %n: index, %s: i64)
        -> memref<?x64xbf16, strided<[?, 1]>> {
      %x = tile.device_buffer %p sizes [%n] strides [%s]
          : !llvm.ptr<1> -> memref<?x64xbf16, strided<[?, 1]>>
      return %x : memref<?x64xbf16, strided<[?, 1]>>
    }
    ```
  }];
  let arguments = (ins Tile_DevicePointer:$pointer,
      Variadic<Index>:$sizes, Variadic<I64>:$strides);
  let results = (outs AnyStridedMemRef:$buffer);
  let assemblyFormat = [{
    $pointer `sizes` `[` $sizes `]` `strides` `[` $strides `]` attr-dict
    `:` type($pointer) `->` type($buffer)
  }];
  let hasVerifier = 1;
}

#endif // MIXATTN_DIALECT_TILE_LAUNCH_OPS_TD
