// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formatting of error sentences.
#include "lib/Runtime/Result.h"

using namespace mixattn;

std::string detail::fill(std::string_view format,
                         const std::vector<std::string> &args) {
  std::string text;
  size_t next = 0;
  for (size_t hole; (hole = format.find("{}")) != std::string_view::npos;) {
    assert(next < args.size() && "fewer arguments than holes");
    text.append(format.substr(0, hole)).append(args[next++]);
    format.remove_prefix(hole + 2);
  }
  assert(next == args.size() && "more arguments than holes");
  return text.append(format);
}

Error mixattn::inPlace(std::string_view place, const Error &error) {
  return {std::string(place) + ": " + error.message};
}
