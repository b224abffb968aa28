// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of wgmma. Who reads other ops of the dialect needs them not.

#ifndef MIXATTN_DIALECT_TILE_WGMMA_OPS_H
#define MIXATTN_DIALECT_TILE_WGMMA_OPS_H

#include "dialect/tile/TileOps.h"

#define GET_OP_CLASSES
#include "dialect/tile/WgmmaOps.h.inc"

#endif // MIXATTN_DIALECT_TILE_WGMMA_OPS_H
