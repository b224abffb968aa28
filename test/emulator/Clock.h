// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector clocks: what an agent knows to have happened.
//
// Agents are the warps of a block, and the asynchronous operations of one warp
// or of one mbarrier, numbered in the order in which a wait can learn of them.
#ifndef MIXATTN_TEST_EMULATOR_CLOCK_H
#define MIXATTN_TEST_EMULATOR_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mixattn::emulator {

using Agent = uint16_t;

/// For each agent, the last of its events that is known to have happened.
class Clock {
public:
  uint32_t of(Agent agent) const {
    return agent < events.size() ? events[agent] : 0;
  }
  void learn(Agent agent, uint32_t event) {
    if (agent >= events.size())
      events.resize(agent + 1);
    events[agent] = std::max(events[agent], event);
  }
  void join(const Clock &other) {
    if (other.events.size() > events.size())
      events.resize(other.events.size());
    for (size_t i = 0; i < other.events.size(); ++i)
      events[i] = std::max(events[i], other.events[i]);
  }

private:
  std::vector<uint32_t> events;
};

/// PTX ISA, Proxies: an order that the generic proxy sees reaches the
/// asynchronous proxy by fence.proxy.async only.
struct Knowledge {
  Clock generic;
  /// Generic writes that the asynchronous proxy sees, too.
  Clock async;

  void join(const Knowledge &other) {
    generic.join(other.generic);
    async.join(other.async);
  }
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_CLOCK_H
