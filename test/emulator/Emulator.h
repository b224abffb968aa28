// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The emulator: modules of PTX, memory of a device, launches.
#ifndef MIXATTN_TEST_EMULATOR_EMULATOR_H
#define MIXATTN_TEST_EMULATOR_EMULATOR_H

#include "Counters.h"
#include "Failure.h"
#include "Memory.h"
#include "Module.h"

#include <array>
#include <string>
#include <vector>

namespace mixattn::emulator {

/// When the bytes of an asynchronous operation move.
enum class Landing {
  /// As soon as it is issued.
  Issue,
  /// As late as a wait for it allows.
  Wait
};

struct Options {
  /// Of the order of warps, and of the errors of approximate instructions.
  uint64_t seed = 1;
  Landing landing = Landing::Wait;
  /// Whether approximate instructions err, by up to the documented bound.
  bool approximates = true;
  /// Whether warps that write the same value to the same place are no race.
  bool allowsEqualWrites = false;
  unsigned multiprocessors = 4;
  /// Blocks that run at either end of each number of a grid; 0 are all.
  unsigned ends = 0;
};

struct LaunchDescription {
  const Kernel *kernel = nullptr;
  std::array<unsigned, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  /// Bytes of dynamic shared memory.
  unsigned dynamicShared = 0;
  /// All parameters, each at its offset.
  std::vector<uint8_t> parameters;
};

/// A device; everything that goes wrong is thrown as a Failure.
class Device {
public:
  Options options;
  Memory memory;
  Counters counters;

  Module load(const std::string &text);
  void unload(const Module &module);
  /// Runs all blocks, or those at the ends, one after the other.
  void launch(const LaunchDescription &launch);

private:
  uint32_t blocksRun = 1;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_EMULATOR_H
