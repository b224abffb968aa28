// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of asynchronous operations.
#include "CopyGroups.h"

#include <utility>

using namespace mixattn::emulator;

void GroupQueue::add(Transfer transfer, bool landsNow) {
  ++open.operations;
  if (landsNow)
    transfer.land();
  else
    open.transfers.push_back(std::move(transfer));
}

void GroupQueue::commit() {
  open.lastEvent = openEvent++;
  groups.push_back(std::move(open));
  open = {};
}

static void landEach(std::vector<Transfer> &transfers) {
  for (Transfer &transfer : std::exchange(transfers, {}))
    transfer.land();
}

uint32_t GroupQueue::wait(uint32_t pending) {
  while (groups.size() > pending) {
    landEach(groups.front().transfers);
    completed = groups.front().lastEvent;
    groups.pop_front();
  }
  return completed;
}

void GroupQueue::landAll() {
  for (Group &group : groups)
    landEach(group.transfers);
  landEach(open.transfers);
}

void GroupQueue::disown() {
  for (Group &group : groups)
    group.operations = 0;
  open.operations = 0;
}

bool GroupQueue::isBusy() const {
  if (open.operations)
    return true;
  for (const Group &group : groups)
    if (group.operations)
      return true;
  return false;
}
