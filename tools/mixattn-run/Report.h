// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures of a run, for people and as JSON.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_REPORT_H
#define MIXATTN_TOOLS_MIXATTN_RUN_REPORT_H

#include "lib/Runtime/Artifact.h"
#include "tools/mixattn-run/Checks.h"
#include "tools/mixattn-run/KernelTimes.h"

namespace mixattn {

/// Everything that a run has found out.
struct Report {
  const Artifact &artifact;
  const Entry &entry;
  Arguments arguments;
  std::vector<Tensor> results;
  /// Sorted; empty where nothing was timed.
  std::vector<double> milliseconds;
  /// Of an entry that tells where its time goes.
  std::optional<Profile> profile;
  std::vector<Comparison> comparisons;
  /// Which code calls take, of that for several CPUs.
  std::optional<LoadedEntry::Version> version = std::nullopt;

  /// The target of the code that calls take.
  const Target &target() const;
  /// The middle one, or the mean of the middle two.
  double median() const;
  /// Floating point operations of a call, where known.
  std::optional<double> flops() const;
  /// Where the time went, if there is a profile.
  CallTime times() const { return timesOf(*profile, entry, arguments.dims); }
};

/// `code for x86-64-v3: made for CPU 'znver5', but this machine lacks its
/// feature 'avx512f'`, of an artifact for several CPUs.
std::string versionLine(const Report &report);

/// `median 1.234 ms, minimum 1.2 ms, 45.6 GFLOP/s (20 calls)`.
std::string timingLine(const Report &report);

/// The JSON object of --json; null where nothing is known.
std::string reportAsJson(const Report &report);

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_REPORT_H
