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
     I32EnumCase<"Number", 2, "number">]> {
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
    - `number`: the value itself, an index, as an i32.

    ```
    #tile.parameter<pointer>   #tile.parameter<pointer alignment = 16>
    #tile.parameter<stride dim = 2>
    ```
  }];
  let parameters = (ins EnumParameter<Tile_ParameterKind>:$kind,
      DefaultValuedParameter<"int64_t", "0">:$dim,
      DefaultValuedParameter<"int64_t", "1">:$alignment);
  let assemblyFormat = [{
    `<` $kind (`dim` `=` $dim^)? (`alignment` `=` $alignment^)? `>`
  }];
}
def Tile_Parameters : TypedArrayAttrBase<Tile_ParameterAttr, "parameters">;

def Tile_LaunchOp : Tile_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "Runs a kernel of a GPU";
  let description = [{
    As many blocks of `threads` threads each as the product of `counts`, up to
    three, run the function `kernel` of a `gpu.module`. Launches of an entry run
    one after the other.

    `parameters` says for each argument of the kernel what it is given of the
    operand of the same number: buffers give pointers and strides, numbers
    themselves. Nothing else is passed, so that any program can launch a kernel
    that the manifest describes.

    - (C1) there are 1 to 3 counts, and a parameter for each operand.
    - (C2) pointers and strides are of buffers, numbers of indices.

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
      Tile_Parameters:$parameters,
      Arg<Variadic<AnyTypeOf<[AnyMemRef, Index]>>, "",
          [MemRead, MemWrite]>:$values);
  let assemblyFormat = [{
    $kernel `blocks` $counts `threads` $threads $parameters
    (`of` $values^ `:` type($values))? attr-dict
  }];
  let hasVerifier = 1;
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
