// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON by nlohmann, every access checked first.
#include "lib/Runtime/Json.h"
#include <set>

using namespace mixattn;

Result<Json> mixattn::parseJson(std::string_view text) {
  // The names so far of every object that is open.
  std::vector<std::set<std::string>> names;
  std::optional<std::string> repeated;
  auto watch = [&](int, Json::parse_event_t event, Json &value) {
    if (event == Json::parse_event_t::object_start)
      names.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      names.pop_back();
    else if (event == Json::parse_event_t::key && !repeated &&
             !names.back().insert(value.get<std::string>()).second)
      repeated = value.get<std::string>();
    return true;
  };
  Json value = Json::parse(text, watch, /*allow_exceptions=*/false);
  if (value.is_discarded())
    return makeError("expected JSON, but got something else");
  if (repeated)
    return makeError("expected each name of an object once, but got '{}' again",
                     *repeated);
  return value;
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
