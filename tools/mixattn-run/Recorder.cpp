// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Room for events, and their sums.
#include "tools/mixattn-run/Recorder.h"
#include "tools/mixattn-run/Console.h"
#include <algorithm>

using namespace mixattn;

/// The time stamp counter, as artifacts read it.
static uint64_t readClock() { return __builtin_ia32_rdtsc(); }

/// Clocks of two cores may differ by a few ticks.
static uint64_t ticksOf(const mixattn_event &event) {
  return event.end > event.begin ? event.end - event.begin : 0;
}

Recorder::Recorder(mixattn_profile **place) : place(place) { *place = &room; }

Recorder::~Recorder() { *place = nullptr; }

void Recorder::makeRoom() {
  // Another number of threads may take part.
  constexpr uint64_t spare = 64;
  events.resize(2 * room.count + spare);
  room.events = events.data();
  room.capacity = events.size();
}

void Recorder::beginCall() {
  room.count = 0;
  if (profile.calls == 0) {
    firstTick = readClock();
    firstSecond = secondsNow();
  }
  profile.lastBegin = readClock();
}

void Recorder::endCall() {
  profile.ticks += readClock() - profile.lastBegin;
  ++profile.calls;
  uint64_t kept = std::min(room.count, room.capacity);
  profile.lost += room.count - kept;
  profile.lastEvents.assign(events.begin(), events.begin() + ptrdiff_t(kept));
  for (const mixattn_event &event : profile.lastEvents) {
    Profile::Stage &stage = profile.stages[event.number];
    bool isThread = event.thread != MIXATTN_NO_THREAD;
    (isThread ? stage.busyTicks : stage.ticks) += ticksOf(event);
    ++(isThread ? stage.threadRuns : stage.runs);
  }
}

Profile Recorder::finish() {
  double seconds = secondsNow() - firstSecond;
  uint64_t ticks = readClock() - firstTick;
  profile.secondsPerTick = ticks ? seconds / static_cast<double>(ticks) : 0;
  return std::move(profile);
}
