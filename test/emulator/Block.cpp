// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a block: warps in an order drawn from the seed.
#include "Block.h"

#include <algorithm>

using namespace mixattn::emulator;

Block::Block(Device &device, const LaunchDescription &launch,
             std::array<unsigned, 3> place, uint32_t owner, uint32_t firstOwner)
    : device(device), launch(launch), kernel(*launch.kernel), place(place),
      owner(owner), firstOwner(firstOwner),
      shared(launch.dynamicShared ? kernel.dynamicBegin + launch.dynamicShared
                                  : kernel.sharedBytes,
             0xff),
      sharedAccesses(shared.size(), "shared memory"),
      parameters(launch.parameters), executed(kernel.code.size()),
      random(device.options.seed * 0x9e3779b97f4a7c15ull + owner) {
  unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  for (unsigned i = 0; i * lanesOfWarp < threads; ++i) {
    unsigned count = std::min(lanesOfWarp, threads - i * lanesOfWarp);
    uint32_t lanes = count == lanesOfWarp ? allLanes : (1u << count) - 1;
    warps.push_back(std::make_unique<Warp>(*this, i, lanes));
  }
}

void Block::run() {
  std::vector<Warp *> order;
  for (auto &warp : warps)
    order.push_back(warp.get());
  while (!order.empty()) {
    std::shuffle(order.begin(), order.end(), random);
    bool progress = false;
    for (Warp *warp : order) {
      try {
        for (unsigned budget = 1 + random() % 256; budget && !warp->isDone();
             --budget) {
          if (!warp->step())
            break;
          progress = true;
        }
      } catch (const Failure &failure) {
        explain(failure.what(), *warp);
      }
    }
    order.erase(std::remove_if(order.begin(), order.end(),
                               [](Warp *warp) { return warp->isDone(); }),
                order.end());
    if (!progress || (!missingValue.empty() && --stepsLeft == 0))
      deadlock();
  }
  finish();
}

std::string Block::name() const {
  return "block (" + std::to_string(place[0]) + ", " +
         std::to_string(place[1]) + ", " + std::to_string(place[2]) + ")";
}

void Block::explain(const std::string &failure, const Warp &warp) {
  // Without its value, a block goes on only to find the write that comes too
  // late; what else fails then is a consequence.
  if (!missingValue.empty() && failure.rfind("race", 0) != 0)
    failMissing();
  fail(name() + ", warp " + std::to_string(warp.index) + ", " +
       warp.currentPlace() + ": " + failure);
}

void Block::failMissing() {
  // If a copy under way writes the bytes, that is a race, which says more.
  for (auto &[address, barrier] : mbarriers.all)
    barrier.land();
  fail(missingValue);
}

void Block::deadlock() {
  if (!missingValue.empty())
    failMissing();
  std::string text = "deadlock in " + name() + ":";
  for (const auto &warp : warps)
    text += "\n  warp " + std::to_string(warp->index) +
            (warp->isDone() ? " has ended" : " waits at " + warp->waits());
  fail(text);
}

/// The name that executions of `instruction` are counted by. A division by a
/// constant has one of its own: ptxas computes the inverse.
static std::string nameOf(const Instruction &instruction) {
  const std::string &text = instruction.text;
  bool isDivision = instruction.opcode.rfind("div.", 0) == 0;
  size_t divisor = text.find_last_of(',');
  bool isByConstant = isDivision && divisor != std::string::npos &&
                      text.find('%', divisor) == std::string::npos;
  return instruction.opcode + (isByConstant ? " by a constant" : "");
}

void Block::finish() {
  if (!missingValue.empty())
    failMissing();
  for (const auto &[address, barrier] : mbarriers.all) {
    std::string name = "the mbarrier at " + hexadecimal(address);
    if (!barrier.transfers.empty())
      fail("copies that signal " + name +
           " are still under way at the end of the block");
    if (barrier.bytes)
      fail(name + " still expects " + std::to_string(barrier.bytes) +
           " bytes at the end of the block");
  }
  // All warps of a warpgroup execute the same products (PTX ISA, Warpgroup).
  for (size_t i = 0; i < warps.size(); ++i) {
    uint64_t history = warps[i]->wgmmas.history;
    size_t first = i / 4 * 4;
    bool isWhole = first + 4 <= warps.size();
    if (history && (!isWhole || history != warps[first]->wgmmas.history))
      fail("warps " + std::to_string(first) + " and " + std::to_string(i) +
           " of a warpgroup execute different wgmma instructions");
    if (!history && warps[first]->wgmmas.history)
      fail("warp " + std::to_string(i) +
           " does not execute the wgmma instructions of its warpgroup");
  }
  counters.blocks = 1;
  for (size_t i = 0; i < executed.size(); ++i)
    if (executed[i]) {
      counters.instructions += executed[i];
      counters.executed[nameOf(kernel.code[i])] += executed[i];
    }
  device.counters.add(counters);
}

uint64_t Block::specialRegister(const std::string &name,
                                unsigned thread) const {
  const auto &size = launch.block;
  unsigned lane = thread % lanesOfWarp;
  std::string base = name.substr(0, name.find('.'));
  unsigned dim = name.find('.') == std::string::npos ? 0 : name.back() - 'x';
  if (base == "%tid")
    return dim == 0   ? thread % size[0]
           : dim == 1 ? thread / size[0] % size[1]
                      : thread / size[0] / size[1];
  if (base == "%ntid")
    return size[dim];
  if (base == "%ctaid" || base == "%clusterid")
    return place[dim];
  if (base == "%nctaid" || base == "%nclusterid")
    return launch.grid[dim];
  if (base == "%laneid")
    return lane;
  if (base == "%warpid")
    return thread / lanesOfWarp;
  if (base == "%nwarpid")
    return (size[0] * size[1] * size[2] + 31) / 32;
  // A cluster has one block.
  if (base == "%cluster_nctarank" || base == "%cluster_nctaid")
    return 1;
  if (base == "%cluster_ctarank" || base == "%cluster_ctaid")
    return 0;
  if (base == "%smid")
    return owner % device.options.multiprocessors;
  if (base == "%nsmid")
    return device.options.multiprocessors;
  if (base == "%dynamic_smem_size")
    return launch.dynamicShared;
  if (base == "%total_smem_size")
    return shared.size();
  uint32_t own = 1u << lane;
  return base == "%lanemask_eq"   ? own
         : base == "%lanemask_lt" ? own - 1
         : base == "%lanemask_le" ? own | (own - 1)
         : base == "%lanemask_gt" ? ~(own | (own - 1))
                                  : ~(own - 1);
}

void Block::requireWritten(size_t offset, size_t size,
                           const Observer &observer) {
  if (!missingValue.empty() || sharedAccesses.isWritten(offset, size))
    return;
  const Instruction &instruction = kernel.code[observer.instruction];
  missingValue = name() + ", " +
                 emulator::place(instruction.line, instruction.text) + ": " +
                 std::to_string(size) + " bytes of shared memory at " +
                 hexadecimal(offset) + " are read before they are written";
}

uint8_t *Block::sharedBytes(uint64_t address, size_t size, size_t alignment,
                            bool isWrite, const Observer &observer) {
  if (address % alignment)
    fail("the address " + hexadecimal(address) + " is no multiple of " +
         std::to_string(alignment));
  if (address > shared.size() || size > shared.size() - address)
    fail(std::to_string(size) + " bytes at " + hexadecimal(address) +
         " are out of bounds: shared memory of " +
         std::to_string(shared.size()) + " bytes");
  if (isWrite) {
    mbarriers.checkNone(address, size);
    sharedAccesses.write(address, size, observer);
  } else {
    sharedAccesses.read(address, size, observer);
    requireWritten(address, size, observer);
  }
  return shared.data() + address;
}
