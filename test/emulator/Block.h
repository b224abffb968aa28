// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block: its warps, shared memory and barriers, and the order of steps.
#ifndef MIXATTN_TEST_EMULATOR_BLOCK_H
#define MIXATTN_TEST_EMULATOR_BLOCK_H

#include "Barriers.h"
#include "Emulator.h"
#include "Mbarrier.h"
#include "Warp.h"

#include <random>

namespace mixattn::emulator {

class Block {
public:
  Block(Device &device, const LaunchDescription &launch,
        std::array<unsigned, 3> place, uint32_t owner, uint32_t firstOwner);

  void run();
  /// A new agent.
  Agent newAgent() { return agents++; }
  bool landsAtIssue() const { return device.options.landing == Landing::Issue; }
  unsigned warpCount() const { return warps.size(); }
  uint64_t specialRegister(const std::string &name, unsigned thread) const;
  /// Remembers as a fault where one of these bytes of shared memory has no
  /// value.
  void requireWritten(size_t offset, size_t size, const Observer &observer);
  /// Reads or writes shared memory for an asynchronous operation.
  uint8_t *sharedBytes(uint64_t address, size_t size, size_t alignment,
                       bool isWrite, const Observer &observer);

  Device &device;
  const LaunchDescription &launch;
  const Kernel &kernel;
  const std::array<unsigned, 3> place;
  const uint32_t owner, firstOwner;
  std::vector<uint8_t> shared;
  Shadow sharedAccesses;
  std::vector<uint8_t> parameters;
  Barriers barriers;
  Mbarriers mbarriers;
  Counters counters;
  /// How often each instruction was executed.
  std::vector<uint64_t> executed;
  std::mt19937_64 random;

private:
  void finish();
  [[noreturn]] void deadlock();
  [[noreturn]] void failMissing();
  [[noreturn]] void explain(const std::string &failure, const Warp &warp);
  std::string name() const;

  /// The first read of shared memory that had no value, and how many rounds
  /// are left to find out why.
  std::string missingValue;
  unsigned stepsLeft = 10000;
  Agent agents = 0;
  std::vector<std::unique_ptr<Warp>> warps;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_BLOCK_H
