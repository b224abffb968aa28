// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, lists and sizes; the part "SIZE" of lib/Runtime/manifest.md.
#include "reader.h"

#include "fail.h"
#include "json.h"

#include <string.h>

void reader_reject(const struct reader *reader, const char *expected,
                   const char *value) {
  if (!value)
    fail("expected %s in %s", expected, reader->path);
  int length = json_length(value);
  fail("expected %s in %s, but got %.*s", expected, reader->path,
       length < 200 ? length : 200, value);
}

void reader_name(const struct reader *reader, const char *value,
                 char name[NAME_BYTES]) {
  if (!json_string(value, name, NAME_BYTES))
    reader_reject(reader, "a plain name", value);
}

int reader_count(const struct reader *reader, const char *list,
                 const char *name, int most) {
  int items = json_count(list);
  if (!list || *list != '[')
    fail("expected a list '%s' in %s", name, reader->path);
  if (items > most)
    fail("expected at most %d items of '%s' in %s, but got %d", most, name,
         reader->path, items);
  return items;
}

static int64_t read_dim(const struct reader *reader, const char *value) {
  char name[NAME_BYTES];
  reader_name(reader, value, name);
  for (int i = 0; i < reader->dims->count; ++i) {
    struct dim *dim = &reader->dims->list[i];
    if (strcmp(dim->name, name) == 0) {
      dim->is_used = true;
      return dim->size;
    }
  }
  fail("expected a size of dim '%s', such as %s=64", name, name);
}

// Two operands of a size's operation; false where there is no result.
static bool combine(const char *operation, int64_t left, int64_t right,
                    int64_t *result) {
  bool divides = left >= 0 && right > 0;
  if (json_is(operation, "add"))
    return !__builtin_add_overflow(left, right, result);
  if (json_is(operation, "subtract"))
    return !__builtin_sub_overflow(left, right, result);
  if (json_is(operation, "multiply"))
    return !__builtin_mul_overflow(left, right, result);
  if (json_is(operation, "divide") && divides)
    *result = left / right;
  else if (json_is(operation, "remainder") && divides)
    *result = left % right;
  else if (json_is(operation, "minimum"))
    *result = left < right ? left : right;
  else if (json_is(operation, "maximum"))
    *result = left > right ? left : right;
  else if (json_is(operation, "above"))
    *result = left > right;
  else if (json_is(operation, "at_most"))
    *result = left <= right;
  else
    return false;
  return true;
}

// A SIZE is an integer, a dim, ["multiprocessors"], or
// [operation, SIZE, SIZE, …].
int64_t reader_evaluate(const struct reader *reader, const char *value) {
  int64_t result;
  if (json_integer(value, &result))
    return result;
  if (value && *value == '"')
    return read_dim(reader, value);
  const char *operation = json_first(value);
  if (json_count(value) == 1 && json_is(operation, "multiprocessors"))
    return reader->multiprocessors;
  if (json_count(value) < 3)
    reader_reject(reader, "a size that this program can evaluate", value);
  const char *operand = json_next(operation);
  result = reader_evaluate(reader, operand);
  while ((operand = json_next(operand)))
    if (!combine(operation, result, reader_evaluate(reader, operand), &result))
      reader_reject(reader, "a size that this program can evaluate", value);
  return result;
}

int64_t reader_size(const struct reader *reader, const char *value,
                    int64_t low) {
  int64_t size = reader_evaluate(reader, value);
  if (size < low || size > INT32_MAX)
    reader_reject(reader,
                  low ? "a size from 1 to 2147483647" : "a size of 31 bits",
                  value);
  return size;
}
