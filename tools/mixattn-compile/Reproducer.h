// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file that a compilation leaves when it fails through no fault of its
// input: mixattn-opt repeats the failure with it.
#ifndef MIXATTN_TOOLS_COMPILE_REPRODUCER_H
#define MIXATTN_TOOLS_COMPILE_REPRODUCER_H

#include <string>
#include <utility>

namespace mixattn {

/// Holds the input and the passes of the compilation in progress. While it
/// lives, a crash of the process and a fatal error of LLVM write the file, say
/// so in one sentence on the standard error, and end the process with code 1.
/// One at a time.
class Reproducer {
public:
  /// `source` is the input as it was read; `output` the compilation's output,
  /// which gives the file its name, OUT.reproducer.mlir ("-":
  /// mixattn.reproducer.mlir).
  Reproducer(std::string source, const std::string &output);
  ~Reproducer();
  Reproducer(const Reproducer &) = delete;
  Reproducer &operator=(const Reproducer &) = delete;

  /// Replaces the input by MLIR text that means the same.
  void setSource(std::string text) { source = std::move(text); }

  /// Sets the passes to run, `builtin.module(…)`.
  void setPipeline(const std::string &pipeline);

  /// Writes the file, and reports the internal failure `reason`.
  void report(const std::string &reason) const;

private:
  std::string source, path, ending;
};

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_REPRODUCER_H
