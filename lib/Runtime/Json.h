// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checked access to JSON: nothing here throws or aborts on bad input.
#ifndef MIXATTN_LIB_RUNTIME_JSON_H
#define MIXATTN_LIB_RUNTIME_JSON_H

#include "lib/Runtime/Result.h"
#include <nlohmann/json.hpp>
#include <optional>

namespace mixattn {

using Json = nlohmann::json;

/// The value that a text holds. An object has each name once.
Result<Json> parseJson(std::string_view text);

/// A value and its place in the document. The first error of a document
/// sticks in `firstError`, and everything read after it is empty or zero: look
/// once, at the end.
class JsonView {
public:
  JsonView(const Json &value, std::string place,
           std::optional<Error> &firstError)
      : value(value), place(std::move(place)), firstError(firstError) {}

  /// Whether this is an object with that member.
  bool has(const char *key) const;
  bool isNull() const { return value.is_null(); }
  bool isText() const { return value.is_string(); }
  bool isInteger() const { return value.is_number_integer(); }

  /// A member of an object, which must exist.
  JsonView operator[](const char *key) const;
  /// The elements of an array.
  std::vector<JsonView> elements() const;
  /// The members of an object, in alphabetical order.
  std::vector<std::pair<std::string, JsonView>> members() const;
  std::string text() const;
  /// A text that may have control characters, which none but us is to see.
  std::string rawText() const;
  int64_t integer() const;
  double number() const;
  bool boolean() const;
  /// The elements of an array of texts.
  std::vector<std::string> texts() const;

  /// Records `place: message` if it is the document's first error.
  void complain(const Error &error) const;

private:
  bool expect(bool condition, std::string_view kind) const;

  const Json &value;
  std::string place;
  std::optional<Error> &firstError;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_JSON_H
