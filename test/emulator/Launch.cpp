// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads modules and launches grids.
#include "Block.h"

using namespace mixattn::emulator;

Module Device::load(const std::string &text) {
  auto place = [](void *context, const Variable &variable) {
    Memory &memory = static_cast<Device *>(context)->memory;
    uint64_t address = memory.allocate(variable.bytes.size());
    std::copy(variable.bytes.begin(), variable.bytes.end(),
              memory.bytes(address, variable.bytes.size()));
    return address;
  };
  return parseModule(text, place, this);
}

void Device::unload(const Module &module) {
  for (const Variable &variable : module.variables)
    memory.release(variable.address);
}

static void checkLaunch(const LaunchDescription &launch) {
  const Kernel &kernel = *launch.kernel;
  unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (threads == 0 || threads > 1024)
    fail("a block of " + std::to_string(threads) + " threads");
  if (launch.parameters.size() < kernel.parameterBytes)
    fail("expected " + std::to_string(kernel.parameterBytes) +
         " bytes of parameters");
  if (kernel.requiredThreads[0])
    require(kernel.requiredThreads == launch.block,
            "the block is not what .reqntid says");
  unsigned limit =
      kernel.maxThreads[0] * kernel.maxThreads[1] * kernel.maxThreads[2];
  if (limit && threads > limit)
    fail("a block of " + std::to_string(threads) +
         " threads is larger than .maxntid says");
  require(launch.grid[0] && launch.grid[1] && launch.grid[2] &&
              launch.grid[1] <= 65535 && launch.grid[2] <= 65535,
          "the grid is out of limits");
}

void Device::launch(const LaunchDescription &launch) {
  checkLaunch(launch);
  uint32_t first = blocksRun;
  // The number after `number` that is run.
  auto next = [&](unsigned number, unsigned count) {
    unsigned ends = options.ends;
    return ++number == ends && count > 2 * ends ? count - ends : number;
  };
  for (unsigned z = 0; z < launch.grid[2]; z = next(z, launch.grid[2]))
    for (unsigned y = 0; y < launch.grid[1]; y = next(y, launch.grid[1]))
      for (unsigned x = 0; x < launch.grid[0]; x = next(x, launch.grid[0]))
        Block(*this, launch, {x, y, z}, blocksRun++, first).run();
}
