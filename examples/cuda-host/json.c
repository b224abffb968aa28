// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each pass_… function returns what follows the thing at `at`, or NULL if that
// is no such thing.
#include "json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// How deeply lists may nest.
enum { MOST_DEPTH = 32 };

static const char *pass_value(const char *at, int depth);

static const char *pass_space(const char *at) {
  return at + strspn(at, " \t\r\n");
}

static const char *pass_string(const char *at) {
  for (++at; *at != '"'; ++at) {
    if (*at == '\\')
      ++at;
    if ((unsigned char)*at < ' ')
      return NULL;
  }
  return at + 1;
}

static const char *pass_digits(const char *at) {
  size_t count = strspn(at, "0123456789");
  return count ? at + count : NULL;
}

static const char *pass_number(const char *at) {
  at = pass_digits(at + (*at == '-'));
  if (at && *at == '.')
    at = pass_digits(at + 1);
  if (at && (*at == 'e' || *at == 'E')) {
    ++at;
    at = pass_digits(at + (*at == '+' || *at == '-'));
  }
  return at;
}

static const char *pass_word(const char *at, const char *word) {
  size_t length = strlen(word);
  return strncmp(at, word, length) == 0 ? at + length : NULL;
}

// A member's name and the colon.
static const char *pass_name(const char *at) {
  at = *at == '"' ? pass_string(at) : NULL;
  if (!at)
    return NULL;
  at = pass_space(at);
  return *at == ':' ? pass_space(at + 1) : NULL;
}

static const char *pass_list(const char *at, int depth) {
  bool is_object = *at == '{';
  char end = is_object ? '}' : ']';
  if (depth == MOST_DEPTH)
    return NULL;
  at = pass_space(at + 1);
  if (*at == end)
    return at + 1;
  for (;;) {
    if (is_object)
      at = pass_name(at);
    at = at ? pass_value(at, depth + 1) : NULL;
    if (!at)
      return NULL;
    at = pass_space(at);
    if (*at == end)
      return at + 1;
    if (*at != ',')
      return NULL;
    at = pass_space(at + 1);
  }
}

static const char *pass_value(const char *at, int depth) {
  switch (*at) {
  case '{':
  case '[':
    return pass_list(at, depth);
  case '"':
    return pass_string(at);
  case 't':
    return pass_word(at, "true");
  case 'f':
    return pass_word(at, "false");
  case 'n':
    return pass_word(at, "null");
  default:
    return pass_number(at);
  }
}

const char *json_check(const char *text) {
  const char *value = pass_space(text);
  const char *end = pass_value(value, 0);
  return end && !*pass_space(end) ? value : NULL;
}

int json_length(const char *value) {
  return (int)(pass_value(value, 0) - value);
}

const char *json_first(const char *list) {
  if (!list || (*list != '{' && *list != '['))
    return NULL;
  const char *item = pass_space(list + 1);
  return *item == '}' || *item == ']' ? NULL : item;
}

const char *json_next(const char *item) {
  const char *at = pass_space(pass_value(item, 0));
  // The item was a member's name.
  if (*at == ':')
    at = pass_space(pass_value(pass_space(at + 1), 0));
  return *at == ',' ? pass_space(at + 1) : NULL;
}

int json_count(const char *list) {
  int count = 0;
  for (const char *item = json_first(list); item; item = json_next(item))
    ++count;
  return count;
}

const char *json_member(const char *object, const char *name) {
  if (!object || *object != '{')
    return NULL;
  for (const char *item = json_first(object); item; item = json_next(item))
    if (json_is(item, name))
      return pass_name(item);
  return NULL;
}

bool json_is(const char *value, const char *text) {
  size_t length = strlen(text);
  return value && *value == '"' && strncmp(value + 1, text, length) == 0 &&
         value[1 + length] == '"';
}

bool json_string(const char *value, char *text, size_t size) {
  if (!value || *value != '"')
    return false;
  size_t length = strcspn(++value, "\"\\");
  if (value[length] == '\\' || length >= size)
    return false;
  memcpy(text, value, length);
  text[length] = '\0';
  return true;
}

static bool is_number(const char *value) {
  return value && (*value == '-' || (*value >= '0' && *value <= '9'));
}

bool json_integer(const char *value, int64_t *number) {
  if (!is_number(value))
    return false;
  char *end;
  errno = 0;
  *number = strtoll(value, &end, 10);
  return errno == 0 && end == pass_number(value);
}

bool json_number(const char *value, double *number) {
  if (!is_number(value))
    return false;
  *number = strtod(value, NULL);
  return true;
}
