// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies that are under way.
#ifndef MIXATTN_TEST_EMULATOR_COPYGROUPS_H
#define MIXATTN_TEST_EMULATOR_COPYGROUPS_H

#include "Shadow.h"

#include <deque>
#include <functional>
#include <map>

namespace mixattn::emulator {

/// An operation whose bytes move later.
struct Transfer {
  /// The knowledge of the issuing warp; `observer` refers to it.
  std::shared_ptr<Knowledge> knowledge;
  Observer observer;
  std::function<void(const Observer &)> move;

  void land() {
    observer.knowledge = knowledge.get();
    move(observer);
  }
};

/// Operations by the groups in which a wait covers them. Operations of later
/// groups are later events of the agent.
struct GroupQueue {
  struct Group {
    std::vector<Transfer> transfers;
    unsigned operations = 0;
    uint32_t lastEvent = 0;
  };
  Agent agent = 0;
  bool hasAgent = false;
  /// The event of operations that are issued now.
  uint32_t openEvent = 1;
  Group open;
  std::deque<Group> groups;
  /// The last event that a wait has covered.
  uint32_t completed = 0;

  /// An operation begins; its bytes move now, or at a wait.
  void add(Transfer transfer, bool landsNow);
  void commit();
  /// Lands all but the last `pending` groups; the last event that is covered.
  uint32_t wait(uint32_t pending);
  /// Lands everything that is under way.
  void landAll();
  /// Nothing need wait for what is under way; something else does.
  void disown();
  /// Whether operations are under way.
  bool isBusy() const;
};

struct CopyGroups {
  /// cp.async, of all lanes of a warp together.
  GroupQueue async;
  /// cp.async.bulk by bulk groups, of each lane: its reads, and all of it.
  struct Bulk {
    GroupQueue reads, writes;
  };
  std::map<unsigned, Bulk> bulk;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_COPYGROUPS_H
