// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs an entry: guarded, once for its results, and timed.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_EXECUTE_H
#define MIXATTN_TOOLS_MIXATTN_RUN_EXECUTE_H

#include "lib/Runtime/Device.h"
#include "tools/mixattn-run/Inputs.h"
#include "tools/mixattn-run/Recorder.h"

namespace mixattn {

/// An entry in memory, and what it runs on.
struct Executable {
  const Entry &entry;
  LoadedEntry loaded;
  std::unique_ptr<Device> device;
};

/// Runs the entry and returns its outputs: results, then updated arguments,
/// each in the order of the manifest.
Result<std::vector<Tensor>> runOnce(const Executable &executable,
                                    Arguments &arguments);

/// Runs the entry twice, every tensor in guarded memory: flush against an
/// inaccessible page at its end, then at its start; on a GPU within margins.
/// Arguments are read-only meanwhile. An access outside ends the process with a
/// message and exit code 1, or is an error, as are results that differ.
Status runGuarded(const Executable &executable, const Arguments &arguments);

/// The times of `repeat` calls.
struct Timing {
  /// Of each, sorted.
  std::vector<double> milliseconds;
  /// Where it went, if the entry tells.
  std::optional<Profile> profile;
};

/// Times calls; one at least of an entry that tells where its time goes.
Result<Timing> runTimed(const Executable &executable, Arguments &arguments,
                        std::vector<Tensor> &results, int64_t repeat);

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_EXECUTE_H
