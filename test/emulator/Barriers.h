// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16 barriers of a block.
#ifndef MIXATTN_TEST_EMULATOR_BARRIERS_H
#define MIXATTN_TEST_EMULATOR_BARRIERS_H

#include "Clock.h"

#include <array>
#include <map>

namespace mixattn::emulator {

struct Barrier {
  unsigned expected = 0, arrived = 0;
  /// How often it was complete.
  uint64_t completed = 0;
  /// The knowledge of those that have arrived.
  Knowledge gathered;
  /// The knowledge gathered at each completion, for those that wait, and how
  /// many warps have not yet seen it.
  std::map<uint64_t, std::pair<Knowledge, unsigned>> results;
  unsigned waiting = 0;
};

struct Barriers {
  std::array<Barrier, 16> all;
  /// That of the cluster, which has one block.
  Barrier cluster;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_BARRIERS_H
