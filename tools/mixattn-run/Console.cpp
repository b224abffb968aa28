// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages and progress on standard error.
#include "tools/mixattn-run/Console.h"
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <unistd.h>

using namespace mixattn;

std::string mixattn::errorLine(const Error &error) {
  return "mixattn-run: error: " + error.message + "\n";
}

void mixattn::printError(const Error &error) {
  fputs(errorLine(error).c_str(), stderr);
}

void mixattn::printWarning(const Error &warning) {
  fprintf(stderr, "mixattn-run: warning: %s\n", warning.message.c_str());
}

double mixattn::secondsNow() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

Progress::Progress(int64_t total)
    : total(total), start(secondsNow()), shown(start),
      isTerminal(isatty(STDERR_FILENO)) {}

void Progress::step(int64_t done) {
  double now = secondsNow();
  if (!isTerminal || now - start < 1 || now - shown < 0.1)
    return;
  shown = now;
  fprintf(stderr, "\r%" PRId64 " of %" PRId64 " calls", done, total);
}

Progress::~Progress() {
  // Clears the line.
  if (shown != start)
    fprintf(stderr, "\r\033[K");
}
