// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of wgmma: tiles in shared memory, rings of them, pending fragments.

#ifndef MIXATTN_DIALECT_TILE_WGMMA_TYPES_TD
#define MIXATTN_DIALECT_TILE_WGMMA_TYPES_TD

include "dialect/tile/FragmentTypes.td"

include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic>
    : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

class Tile_SwizzledType<string name, string typeMnemonic>
    : Tile_Type<name, typeMnemonic> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
      "::mlir::Type":$elementType, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` custom<TileShape>($shape, $elementType) `,` `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
}

def Tile_SharedType : Tile_SwizzledType<"Shared", "shared"> {
  let summary = "A tile of rows in shared memory";
  let description = [{
    Rows and columns of f16 or bf16, and their layout: columns lie in panels of
    `swizzle` bytes, one panel after the other, each with all rows; in a panel
    the 16 bytes of number c of row r are those of number c xor (r mod 8), as
    tensor maps with that swizzle put them and wgmma reads them.

    ```
    !tile.shared<128x64xbf16, swizzle = 128>
    ```
  }];
  let extraClassDeclaration = [{
    int64_t getRows() const { return getShape()[0]; }
    int64_t getColumns() const { return getShape()[1]; }
    /// Columns of a panel, and panels; the last one may have columns more than
    /// the tile.
    int64_t getPanelColumns() const { return getSwizzle() / 2; }
    int64_t getPanels() const {
      return (getColumns() + getPanelColumns() - 1) / getPanelColumns();
    }
    int64_t getPanelBytes() const { return getRows() * getSwizzle(); }
    int64_t getBytes() const { return getPanels() * getPanelBytes(); }
  }];
}

def Tile_RingType : Tile_SwizzledType<"Ring", "ring"> {
  let summary = "Tiles in shared memory that are filled and emptied in turn";
  let description = [{
    Stages, each a tile as `!tile.shared` has it, and for each stage two
    mbarriers: *full*, on which its consumers wait, and *empty*, on which who
    fills it waits.

    ```
    !tile.ring<2x128x64xbf16, swizzle = 128>
    ```
  }];
  let extraClassDeclaration = [{
    int64_t getStages() const { return getShape()[0]; }
    /// The type of a stage.
    SharedType getTile() const;
    /// Bytes of all tiles, and of these and the barriers, which follow them.
    int64_t getTileBytes() const { return getStages() * getTile().getBytes(); }
    int64_t getBytes() const { return getTileBytes() + 16 * getStages(); }
  }];
}

def Tile_PendingType : Tile_Type<"Pending", "pending"> {
  let summary = "A fragment that a product is under way to";
  let description = [{
    Registers that must not be touched before `tile.wgmma.wait`, which gives
    them.

    ```
    !tile.pending<vector<64xf32>>
    ```
  }];
  let parameters = (ins "::mlir::VectorType":$fragment);
  let assemblyFormat = "`<` $fragment `>`";
}

#endif // MIXATTN_DIALECT_TILE_WGMMA_TYPES_TD
