// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exception of a text or a launch that breaks a rule.
#ifndef MIXATTN_TEST_EMULATOR_FAILURE_H
#define MIXATTN_TEST_EMULATOR_FAILURE_H

#include <cstdio>
#include <stdexcept>
#include <string>

namespace mixattn::emulator {

/// A broken rule. Whoever knows the statement adds its line and text.
class Failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void fail(const std::string &message) {
  throw Failure(message);
}

inline void require(bool holds, const char *message) {
  if (!holds)
    fail(message);
}

inline std::string hexadecimal(unsigned long long value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", value);
  return text;
}

/// A statement as messages name it.
inline std::string place(unsigned line, const std::string &text) {
  return "line " + std::to_string(line) + " '" + text + "'";
}

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_FAILURE_H
