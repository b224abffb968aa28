// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of wgmma: rings of tiles in shared memory, pending fragments.

#ifndef MIXATTN_DIALECT_TILE_WGMMA_TYPES_TD
#define MIXATTN_DIALECT_TILE_WGMMA_TYPES_TD

include "dialect/tile/SharedTypes.td"

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "Tiles in shared memory that are filled and emptied in turn";
  let description = [{
    Stages, each a tile as `!tile.shared` has it, and for each stage two
    mbarriers: *full*, on which its consumers wait, and *empty*, on which who
    fills it waits.

    ```
    !tile.ring<2x128x64xbf16, swizzle = 128>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
      "::mlir::Type":$elementType, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` custom<TileShape>($shape, $elementType) `,` `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
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
