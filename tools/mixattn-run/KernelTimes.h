// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the time of calls went, kernel by kernel.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_KERNELTIMES_H
#define MIXATTN_TOOLS_MIXATTN_RUN_KERNELTIMES_H

#include "lib/Runtime/Manifest.h"
#include "tools/mixattn-run/Recorder.h"

namespace mixattn {

/// The figures of one kernel. Times are means of the calls: only these add up.
struct KernelTime {
  const Kernel *kernel = nullptr;
  /// That of the slowest stage.
  std::string name;
  /// Seconds of a call, and their share of it.
  double seconds = 0, share = 0;
  /// How often it ran in a call.
  double runs = 0;
  /// A second; none where the kernel has none, or its sizes are not known.
  std::optional<double> flops, bytes;
  /// How many threads it had, and the share of its time in which they worked;
  /// 0 where it has no threads of its own.
  double threads = 0, busy = 0;
  /// Names and seconds of stages that take some of its time, if there are
  /// several.
  std::vector<std::pair<std::string, double>> stages;
};

/// The figures of a call.
struct CallTime {
  double seconds = 0;
  /// The time in no kernel.
  double outside = 0, outsideShare = 0;
  /// Those that ran, the slowest first.
  std::vector<KernelTime> kernels;
  uint64_t calls = 0, lost = 0;
};

CallTime timesOf(const Profile &profile, const Entry &entry,
                 const DimSizes &dims);

/// A table of them, for people.
std::string toTable(const CallTime &times);

/// The last call for viewers of traces, as JSON: a row for what runs, one after
/// the other, and one for each thread.
std::string traceAsJson(const Profile &profile, const Entry &entry);

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_KERNELTIMES_H
