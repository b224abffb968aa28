// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formatting of error sentences.
#include "lib/Runtime/Result.h"

using namespace mixattn;

/// The bytes of the control character at the front of UTF-8, or 0. Those above
/// 0x7f have two: 0xc2 and 0x80 to 0x9f.
static size_t controlBytes(std::string_view text) {
  unsigned char first = text[0];
  if (first < 0x20 || first == 0x7f)
    return 1;
  bool isWide = first == 0xc2 && text.size() > 1 && (text[1] & 0xe0) == 0x80;
  return isWide ? 2 : 0;
}

std::string mixattn::withoutControls(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    size_t count = controlBytes(text);
    if (count == 0)
      shown += text[0];
    for (unsigned char byte : text.substr(0, count))
      shown.append("\\x").append({digits[byte >> 4], digits[byte & 15]});
    text.remove_prefix(count == 0 ? 1 : count);
  }
  return shown;
}

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
  return {withoutControls(place) + ": " + error.message};
}
