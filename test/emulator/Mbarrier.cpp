// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phases of an mbarrier: arrivals, bytes, and who learns of them.
#include "Block.h"

using namespace mixattn::emulator;

uint64_t mixattn::emulator::sharedAddress(const Warp &, Space space,
                                          uint64_t address) {
  if (space == Space::Shared)
    return address & 0xffffffff;
  if (address - sharedWindow < (1ull << 32))
    return address - sharedWindow;
  fail("the generic address " + hexadecimal(address) +
       " is not in shared memory");
}

void Mbarrier::finishIfComplete() {
  if (pending || bytes)
    return;
  ++phase;
  pending = expected;
  gathered.generic.learn(agent, phase);
  result = std::move(gathered);
  gathered = {};
}

void Mbarrier::arrive(unsigned count, const Knowledge &knowledge) {
  if (count > pending)
    fail("more arrivals than the " + std::to_string(expected) +
         " that the mbarrier expects");
  gathered.join(knowledge);
  pending -= count;
  finishIfComplete();
}

void Mbarrier::expectBytes(uint64_t count) {
  bytes += count;
  // PTX ISA, mbarrier: the range of the transaction count.
  require(bytes <= (1 << 20) - 1, "the mbarrier expects too many bytes");
}

void Mbarrier::completeBytes(uint64_t count, const Observer &observer) {
  bytes -= count;
  require(bytes >= -((1 << 20) - 1), "too many bytes have come");
  gathered.join(*observer.knowledge);
  finishIfComplete();
}

void Mbarrier::begin(Transfer transfer, bool landsAtIssue) {
  if (landsAtIssue)
    transfer.land();
  else
    transfers.push_back(std::move(transfer));
}

void Mbarrier::land() {
  while (!transfers.empty()) {
    Transfer transfer = std::move(transfers.front());
    transfers.erase(transfers.begin());
    transfer.observer.event = phase + 1;
    transfer.land();
  }
}

Mbarrier &Mbarriers::find(uint64_t address, const Observer &observer) {
  auto found = all.find(address);
  if (found == all.end())
    fail("there is no mbarrier at " + hexadecimal(address));
  const Mbarrier &barrier = found->second;
  if (observer.knowledge->generic.of(barrier.maker) < barrier.madeAt) {
    const Instruction &made = observer.kernel->code[barrier.instruction];
    fail("race: the use of the mbarrier is not ordered after its init, " +
         place(made.line, made.text));
  }
  return found->second;
}

void Mbarriers::checkNone(uint64_t address, size_t size) const {
  if (all.empty())
    return;
  auto next = all.lower_bound(address >= 7 ? address - 7 : 0);
  if (next != all.end() && next->first < address + size)
    fail("an access to the mbarrier at " + hexadecimal(next->first));
}
