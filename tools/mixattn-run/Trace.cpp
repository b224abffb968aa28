// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call as Chrome's and Perfetto's viewers read it.
#include "lib/Runtime/Json.h"
#include "tools/mixattn-run/KernelTimes.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace mixattn;
using OrderedJson = nlohmann::ordered_json;

/// Rows are numbered: the call's is 0, that of thread t is 1 + t.
static uint64_t rowOf(const mixattn_event &event) {
  return event.thread == MIXATTN_NO_THREAD ? 0 : uint64_t(event.thread) + 1;
}

/// An event of kind M gives a process or a row its name.
static OrderedJson nameRow(const char *what, uint64_t row,
                           const std::string &name) {
  return {{"name", what},
          {"ph", "M"},
          {"pid", 1},
          {"tid", row},
          {"args", {{"name", name}}}};
}

static OrderedJson describe(const Kernel &kernel) {
  OrderedJson json = {{"op", kernel.op}, {"place", kernel.place}};
  if (!kernel.calledAt.empty())
    json["called_at"] = kernel.calledAt;
  return json;
}

std::string mixattn::traceAsJson(const Profile &profile, const Entry &entry) {
  std::vector<mixattn_event> events = profile.lastEvents;
  std::sort(events.begin(), events.end(),
            [](const mixattn_event &a, const mixattn_event &b) {
              return std::tuple(a.begin, rowOf(a), a.number) <
                     std::tuple(b.begin, rowOf(b), b.number);
            });
  std::map<uint32_t, std::pair<const Kernel *, const Kernel::Stage *>> stages;
  for (const Kernel &kernel : *entry.kernels)
    for (const Kernel::Stage &stage : kernel.stages)
      stages[stage.number] = {&kernel, &stage};
  std::set<uint64_t> rows = {0};
  for (const mixattn_event &event : events)
    rows.insert(rowOf(event));
  OrderedJson list = OrderedJson::array();
  list.push_back(nameRow("process_name", 0, entry.name));
  for (uint64_t row : rows)
    list.push_back(
        nameRow("thread_name", row,
                row == 0 ? "call" : "thread " + std::to_string(row - 1)));
  // The clocks of two cores may differ by a few ticks.
  auto microseconds = [&](uint64_t from, uint64_t to) {
    return to > from
               ? 1e6 * profile.secondsPerTick * static_cast<double>(to - from)
               : 0.0;
  };
  for (const mixattn_event &event : events) {
    auto stage = stages.find(event.number);
    if (stage == stages.end())
      continue;
    list.push_back({{"name", stage->second.second->name},
                    {"cat", "kernel"},
                    {"ph", "X"},
                    {"ts", microseconds(profile.lastBegin, event.begin)},
                    {"dur", microseconds(event.begin, event.end)},
                    {"pid", 1},
                    {"tid", rowOf(event)},
                    {"args", describe(*stage->second.first)}});
  }
  OrderedJson trace = {{"displayTimeUnit", "ns"},
                       {"traceEvents", std::move(list)}};
  return trace.dump() + "\n";
}
