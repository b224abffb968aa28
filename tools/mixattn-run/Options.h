// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of mixattn-run.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_OPTIONS_H
#define MIXATTN_TOOLS_MIXATTN_RUN_OPTIONS_H

#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// `NAME=FILE` of an option.
struct NamedFile {
  std::string name, path;
};

/// The options of the user. Empty texts stand for options not given.
struct Options {
  std::string artifact;
  std::string entry;
  std::vector<NamedFile> inputs, outputs, expected;
  std::vector<std::string> inputArchives, outputArchives, weights;
  std::optional<uint64_t> seed;
  DimSizes dims;
  std::optional<double> tolerance;
  /// The CPU, or the GPU of a number.
  std::optional<DLDevice> device;
  /// How many calls are timed; 0 is none.
  int64_t repeat = 0;
  std::string json, trace;
  bool check = false;
  bool guard = false;
  bool packsEachCall = false;
  bool describe = false;
  bool help = false;
  bool version = false;

  /// Whether some file goes to standard output, so that text must not.
  bool writesToStandardOutput() const;
};

/// Reads a command line. A compiled runner carries its artifact and takes
/// none.
Result<Options> parseOptions(int argc, const char *const *argv,
                             bool carriesArtifact);

/// The text of --help.
extern const char *const helpText;

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_OPTIONS_H
