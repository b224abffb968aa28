// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes what an artifact tells of its kernels while it runs.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_RECORDER_H
#define MIXATTN_TOOLS_MIXATTN_RUN_RECORDER_H

#include "lib/Runtime/abi.h"
#include <map>
#include <vector>

namespace mixattn {

/// The events of calls of a profiled entry, added up. Ticks are those of the
/// time stamp counter.
struct Profile {
  /// The events of one number, over all calls.
  struct Stage {
    /// From before the threads began until all were done, and how often.
    uint64_t ticks = 0, runs = 0;
    /// The sum over the threads of the time in which they worked, and how often
    /// one did.
    uint64_t busyTicks = 0, threadRuns = 0;
  };
  double secondsPerTick = 0;
  uint64_t calls = 0;
  /// Of all calls together.
  uint64_t ticks = 0;
  std::map<uint32_t, Stage> stages;
  /// Events that there was no room for.
  uint64_t lost = 0;
  /// When the last call began, and its events.
  uint64_t lastBegin = 0;
  std::vector<mixattn_event> lastEvents;
};

/// Gives an artifact room for events while it is in scope, and adds them up
/// after each call.
class Recorder {
public:
  explicit Recorder(mixattn_profile **place);
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;
  ~Recorder();

  /// Makes room for the events of a call like the one since this was made.
  void makeRoom();
  void beginCall();
  void endCall();
  /// All calls between beginCall and endCall.
  Profile finish();

private:
  mixattn_profile **place;
  std::vector<mixattn_event> events;
  mixattn_profile room = {};
  Profile profile;
  /// When the first call began, by both clocks.
  uint64_t firstTick = 0;
  double firstSecond = 0;
};

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_RECORDER_H
