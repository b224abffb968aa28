// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that may be missing with a reason: errors are one sentence of text.
#ifndef MIXATTN_LIB_RUNTIME_RESULT_H
#define MIXATTN_LIB_RUNTIME_RESULT_H

#include <cassert>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mixattn {

/// Why something failed: one lower-case sentence without a full stop.
struct Error {
  std::string message;
};

/// Either a value or an Error. Look with `if (!result)` before dereferencing.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return content.index() == 0; }
  T &operator*() {
    assert(*this && "a result without a value");
    return *std::get_if<0>(&content);
  }
  const T &operator*() const {
    assert(*this && "a result without a value");
    return *std::get_if<0>(&content);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The error, to hand on: `if (!r) return r.error();`.
  const Error &error() const {
    assert(!*this && "a result without an error");
    return *std::get_if<1>(&content);
  }
  const std::string &message() const { return error().message; }

private:
  std::variant<T, Error> content;
};

/// The value of a function that either succeeds or says why not.
struct Success {};
using Status = Result<Success>;

/// The text with every control character as `\xNN`: what files hold must not
/// move a terminal's cursor.
std::string withoutControls(std::string_view text);

namespace detail {
/// Texts without control characters, numbers in decimals.
template <typename T> std::string toText(const T &value) {
  if constexpr (std::is_convertible_v<const T &, std::string_view>)
    return withoutControls(value);
  else
    return std::to_string(value);
}
/// Replaces each `{}` of `format` by the next argument.
std::string fill(std::string_view format, const std::vector<std::string> &args);
} // namespace detail

/// Makes an error from a sentence with a `{}` for each argument.
template <typename... Args>
Error makeError(std::string_view format, const Args &...args) {
  return {detail::fill(format, {detail::toText(args)...})};
}

/// Puts the place of an error in front of it: `place: message`.
Error inPlace(std::string_view place, const Error &error);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_RESULT_H
