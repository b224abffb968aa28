// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a warp's quarter of a warpgroup that are under way.
#ifndef MIXATTN_TEST_EMULATOR_WGMMAGROUPS_H
#define MIXATTN_TEST_EMULATOR_WGMMAGROUPS_H

#include "CopyGroups.h"
#include "Module.h"

namespace mixattn::emulator {

struct WgmmaGroups {
  /// A register that a product under way reads or writes.
  struct Held {
    const Instruction *instruction = nullptr;
    uint32_t event = 0;
    bool isResult = false;
  };
  GroupQueue queue;
  /// By slot; no instruction, none holds it.
  std::vector<Held> held;
  unsigned heldCount = 0;
  /// The step of the warp that read or wrote each slot last, and that of the
  /// last wgmma.fence.
  std::vector<uint32_t> accessedAt;
  uint32_t step = 1, fenceAt = 0;
  /// A hash of the products so far, which the warps of a warpgroup share.
  uint64_t history = 0;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_WGMMAGROUPS_H
