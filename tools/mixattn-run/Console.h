// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text for people: results of checks, warnings, errors, progress.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_CONSOLE_H
#define MIXATTN_TOOLS_MIXATTN_RUN_CONSOLE_H

#include "lib/Runtime/Result.h"
#include <cstdint>

namespace mixattn {

/// `mixattn-run: error: …`, a line.
std::string errorLine(const Error &error);
/// The same on standard error.
void printError(const Error &error);
/// `mixattn-run: warning: …` on standard error.
void printWarning(const Error &warning);

/// A line on standard error that counts calls, if that is a terminal and the
/// work takes longer than a second.
class Progress {
public:
  explicit Progress(int64_t total);
  ~Progress();
  void step(int64_t done);

private:
  int64_t total;
  double start, shown;
  bool isTerminal;
};

/// Seconds of a clock that never jumps.
double secondsNow();

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_CONSOLE_H
