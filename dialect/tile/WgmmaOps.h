// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and ops of wgmma. Who reads other ops of the dialect needs them not.

#ifndef MIXATTN_DIALECT_TILE_WGMMA_OPS_H
#define MIXATTN_DIALECT_TILE_WGMMA_OPS_H

#include "dialect/tile/TileOps.h"

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/WgmmaTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/tile/WgmmaOps.h.inc"

#endif // MIXATTN_DIALECT_TILE_WGMMA_OPS_H
