// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of tiles that fit the registers of an x86 machine.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_SIZES_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_SIZES_H

#include "passes/target/CpuModel.h"

namespace mixattn {

/// Rows of a sequence that a thread fetches at once where each of them is
/// little work.
constexpr int64_t rowsOfItem = 512;

/// Sizes of the tiles of one kernel: W queries wide, walked a few rows at a
/// time. They depend on the machine and the plan, never on lengths.
struct TileSizes {
  /// Lanes of a vector register of f32: 16, 8 or 4.
  int64_t lanes;
  /// Queries of a tile: a multiple of `lanes`.
  int64_t width;
  /// Rows whose sums stay in registers during a product.
  int64_t rows;
  /// Rows of those that the body handles together; divides `rows`.
  int64_t bodyRows;
  /// Queries of a few for which a row of keys or values is read once: one where
  /// 16 registers hold no second one's sums.
  int64_t queryRows;
  /// Keys of a block, or rows of a chunk or piece: a multiple of `rows`.
  int64_t block;
  /// How many rows ahead products ask for the right side's.
  int64_t ahead = 0;
  /// The bytes of what is read in turn beyond which code asks for it, as that
  /// takes time although hardware reads ahead; 0 where it does not.
  int64_t mostUnasked = 0;
  /// The bytes of all heads' values beyond which a head's are asked for while
  /// another one's are pooled; 0 where that does not help.
  int64_t mostUnaskedValues = 0;
  /// The bytes of values, as AMX reads them, beyond which the heads of a tile
  /// ask for a block's while its weights are made.
  int64_t mostUnaskedPanels = 0;
  /// The bytes of a key from which on products ask for those of the step after
  /// the next; 0 where that does not help.
  int64_t leastAskedRow = 0;
  /// Whether products of f32 take about as long for each query in tiles of one
  /// vector as in the widest.
  bool narrowTilesKeepUp = false;
  /// Whether the work on weights stands in the code of products.
  bool overlapsExps = true;
  /// Whether powers that f32 does not hold are infinite, rather than nothing
  /// that one may rely on.
  bool powersOverflow = false;
  /// Whether one instruction adds the products of two pairs of bf16, and
  /// whether AMX multiplies squares of them.
  bool hasPairs = false, hasAmx = false;

  /// The widest tiles that the registers of `cpu` hold.
  static TileSizes of(const CpuModel &cpu) {
    TileSizes sizes;
    sizes.lanes = cpu.lanes;
    sizes.width = cpu.widestTile();
    sizes.rows = 4;
    sizes.bodyRows = cpu.registers >= 32 ? 4 : 2;
    sizes.queryRows = cpu.registers >= 32 ? 4 : 1;
    sizes.block = 64;
    sizes.mostUnasked = cpu.readsSlowly() ? cpu.l2 : 0;
    // The least that gained on Zen 4, of 32 MiB and from 96 features of f32 on;
    // on Granite Rapids asking was within noise.
    sizes.mostUnaskedValues = cpu.readsSlowly() ? 0 : cpu.l3 / 8;
    // With the keys they fill the second cache.
    sizes.mostUnaskedPanels = cpu.l2 / 2;
    sizes.leastAskedRow = cpu.readsSlowly() ? 0 : 384;
    sizes.narrowTilesKeepUp = cpu.narrowTilesKeepUp();
    sizes.overlapsExps = cpu.overlapsExps;
    sizes.powersOverflow = cpu.scalesByPowers;
    sizes.hasPairs = cpu.hasPairs();
    sizes.hasAmx = cpu.hasAmx;
    return sizes;
  }
  int64_t vectors() const { return width / lanes; }
  /// Tiles of `newWidth` queries, with as many sums in registers.
  TileSizes withWidth(int64_t newWidth) const {
    TileSizes sizes = *this;
    sizes.rows = rows * width / newWidth;
    sizes.width = newWidth;
    return sizes;
  }
  /// Tiles for the queries that do not fill one: of one vector where such tiles
  /// keep up and products are not `ofPairs`, which take half as long; else of
  /// half as many queries, so that the loads of products are hidden, too.
  TileSizes narrow(bool ofPairs) const {
    bool keepUp = narrowTilesKeepUp && !ofPairs;
    return withWidth(keepUp ? lanes : std::max(lanes, width / 2));
  }
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_TILE_SIZES_H
