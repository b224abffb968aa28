// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON by nlohmann, every access checked first.
#include "lib/Runtime/Json.h"
#include <set>

using namespace mixattn;

namespace {

/// Looks for names that an object has twice: the value that is made of a text
/// has the last one of each.
class NameWatch : public nlohmann::json_sax<Json> {
public:
  std::optional<std::string> repeated;

  bool start_object(size_t) override {
    names.emplace_back();
    return true;
  }
  bool end_object() override {
    names.pop_back();
    return true;
  }
  bool key(std::string &name) override {
    if (!repeated && !names.back().insert(name).second)
      repeated = name;
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(int64_t) override { return true; }
  bool number_unsigned(uint64_t) override { return true; }
  bool number_float(double, const std::string &) override { return true; }
  bool string(std::string &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &) override {
    return false;
  }

private:
  /// The names so far of every object that is open.
  std::vector<std::set<std::string>> names;
};

} // namespace

/// Twice through the text: nlohmann's parser with a callback looks at all of an
/// array after each of its elements.
Result<Json> mixattn::parseJson(std::string_view text) {
  NameWatch watch;
  if (!Json::sax_parse(text, &watch))
    return makeError("expected JSON, but got something else");
  if (watch.repeated)
    return makeError("expected each name of an object once, but got '{}' again",
                     *watch.repeated);
  return Json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
}

void JsonView::complain(const Error &error) const {
  if (!firstError)
    firstError = place.empty() ? error : inPlace(place, error);
}

bool JsonView::expect(bool condition, std::string_view kind) const {
  if (!condition)
    complain(makeError("expected {}, but got {}", kind, value.type_name()));
  return condition && !firstError;
}

bool JsonView::has(const char *key) const {
  return value.is_object() && value.contains(key);
}

JsonView JsonView::operator[](const char *key) const {
  static const Json null;
  std::string inside = place.empty() ? key : place + "." + key;
  if (expect(value.is_object(), "an object") && !value.contains(key))
    complain(makeError("expected a member '{}', but got none", key));
  return {firstError ? null : *value.find(key), inside, firstError};
}

std::vector<JsonView> JsonView::elements() const {
  std::vector<JsonView> views;
  if (expect(value.is_array(), "an array"))
    for (size_t i = 0; i < value.size(); ++i)
      views.emplace_back(value[i], place + "[" + std::to_string(i) + "]",
                         firstError);
  return views;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  std::vector<std::pair<std::string, JsonView>> views;
  if (expect(value.is_object(), "an object"))
    for (const auto &[key, member] : value.items())
      views.emplace_back(key, JsonView(member, "'" + key + "'", firstError));
  return views;
}

std::string JsonView::rawText() const {
  return expect(value.is_string(), "a text") ? value.get<std::string>() : "";
}

std::string JsonView::text() const {
  std::string text = rawText();
  if (withoutControls(text) != text)
    complain(makeError(
        "expected a text without control characters, but got '{}'", text));
  return text;
}

int64_t JsonView::integer() const {
  bool fits = value.is_number_integer() &&
              (!value.is_number_unsigned() ||
               value.get<uint64_t>() <= uint64_t(INT64_MAX));
  return expect(fits, "an integer of 64 bits") ? value.get<int64_t>() : 0;
}

double JsonView::number() const {
  return expect(value.is_number(), "a number") ? value.get<double>() : 0;
}

bool JsonView::boolean() const {
  return expect(value.is_boolean(), "true or false") && value.get<bool>();
}

std::vector<std::string> JsonView::texts() const {
  std::vector<std::string> values;
  for (const JsonView &element : elements())
    values.push_back(element.text());
  return values;
}
