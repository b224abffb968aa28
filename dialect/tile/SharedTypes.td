// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in shared memory, and how their elements lie there.

#ifndef MIXATTN_DIALECT_TILE_SHARED_TYPES_TD
#define MIXATTN_DIALECT_TILE_SHARED_TYPES_TD

include "dialect/tile/FragmentTypes.td"

include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic>
    : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_SharedType : Tile_Type<"Shared", "shared"> {
  let summary = "A tile of rows in shared memory";
  let description = [{
    Rows and columns, their elements, and the layout:

    - `swizzle = 128`, of f16 or bf16: columns lie in panels of 128 bytes, one
      panel after the other, each with all rows; in a panel the 16 bytes of
      number c of row r are those of number c xor (r mod 8), as tensor maps with
      that swizzle put them and wgmma reads them.
    - `padded`, of numbers of 8 to 64 bits: rows lie one after the other, each
      with some bytes more, so that the same columns of rows that a warp reads
      at a time are in different banks. With `every = n` they are every n-th row
      of a larger tile.

    ```
    !tile.shared<128x64xbf16, swizzle = 128>
    !tile.shared<128x64xbf16, padded>
    !tile.shared<32x16xbf16, padded every = 17>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
      "::mlir::Type":$elementType, "int64_t":$swizzle, "int64_t":$every);
  let assemblyFormat = [{
    `<` custom<TileShape>($shape, $elementType) `,`
    custom<TileLayout>($swizzle, $every) `>`
  }];
  let builders = [
    /// Rows that lie one after the other.
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape,
        "::mlir::Type":$elementType, "int64_t":$swizzle), [{
      return $_get($_ctxt, shape, elementType, swizzle, /*every=*/int64_t(1));
    }]>
  ];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// A padded tile of `rows` rows of `columns` elements.
    static SharedType getPadded(int64_t rows, int64_t columns,
                                ::mlir::Type element, int64_t every = 1) {
      return get(element.getContext(), {rows, columns}, element,
                 /*swizzle=*/0, every);
    }
    int64_t getRows() const { return getShape()[0]; }
    int64_t getColumns() const { return getShape()[1]; }
    int64_t getElementBytes() const {
      return getElementType().getIntOrFloatBitWidth() / 8;
    }
    bool isPadded() const { return getSwizzle() == 0; }
    /// Bytes from a row of a padded tile to the next one.
    int64_t getRowBytes() const;
    /// Columns of a panel, and panels; the last one may have columns more than
    /// the tile.
    int64_t getPanelColumns() const { return getSwizzle() / 2; }
    int64_t getPanels() const {
      return (getColumns() + getPanelColumns() - 1) / getPanelColumns();
    }
    int64_t getPanelBytes() const { return getRows() * getSwizzle(); }
    int64_t getBytes() const {
      return isPadded() ? getRows() * getRowBytes()
                        : getPanels() * getPanelBytes();
    }
    /// Bytes that divide the place where a tile begins: a swizzle repeats after
    /// 8 rows, a copy takes 16 bytes.
    int64_t getAlignment() const { return isPadded() ? 16 : 8 * getSwizzle(); }
  }];
}

class Tile_TileOf<string condition, string what>
    : Type<And<[Tile_SharedType.predicate, CPred<
          "[](::mixattn::tile::SharedType tile) { return " # condition #
          "; }(::llvm::cast<::mixattn::tile::SharedType>($_self))">]>,
      what, "::mixattn::tile::SharedType">;
def Tile_SwizzledTile : Tile_TileOf<"!tile.isPadded()",
    "tile with a swizzle in shared memory">;
def Tile_PaddedTile : Tile_TileOf<"tile.isPadded()",
    "padded tile in shared memory">;
def Tile_NumbersTile : Tile_TileOf<"tile.isPadded() && "
    "tile.getElementType().isF32()", "padded tile of f32 in shared memory">;
/// The sides of products of mma.
def Tile_MmaTile : Tile_TileOf<"tile.isPadded() && "
    "(tile.getElementType().isF16() || tile.getElementType().isBF16())",
    "padded tile of f16 or bf16 in shared memory">;

#endif // MIXATTN_DIALECT_TILE_SHARED_TYPES_TD
