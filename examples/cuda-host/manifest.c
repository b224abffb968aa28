// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a manifest's text to numbers; lib/Runtime/manifest.md says what it
// holds.
#include "manifest.h"

#include "fail.h"
#include "json.h"

#include <string.h>

// The version of manifests that this program knows.
enum { ABI = 2 };

struct reader {
  const char *path;
  struct dims *dims;
  struct entry *entry;
};

// `value` is not what is expected; NULL is not there.
_Noreturn static void reject(const struct reader *reader, const char *expected,
                             const char *value) {
  if (!value)
    fail("expected %s in %s", expected, reader->path);
  int length = json_length(value);
  fail("expected %s in %s, but got %.*s", expected, reader->path,
       length < 200 ? length : 200, value);
}

static void read_name(const struct reader *reader, const char *value,
                      char name[NAME_BYTES]) {
  if (!json_string(value, name, NAME_BYTES))
    reject(reader, "a plain name", value);
}

static int64_t read_dim(const struct reader *reader, const char *value) {
  char name[NAME_BYTES];
  read_name(reader, value, name);
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

// A SIZE: an integer, a dim, or [operation, SIZE, SIZE, …].
static int64_t evaluate(const struct reader *reader, const char *value) {
  int64_t result;
  if (json_integer(value, &result))
    return result;
  if (value && *value == '"')
    return read_dim(reader, value);
  const char *operation = json_first(value);
  if (json_count(value) < 3)
    reject(reader, "a size that this program can evaluate", value);
  const char *operand = json_next(operation);
  result = evaluate(reader, operand);
  while ((operand = json_next(operand)))
    if (!combine(operation, result, evaluate(reader, operand), &result))
      reject(reader, "a size that this program can evaluate", value);
  return result;
}

// A SIZE from `low` to 2^31 - 1.
static int64_t read_size(const struct reader *reader, const char *value,
                         int64_t low) {
  int64_t size = evaluate(reader, value);
  if (size < low || size > INT32_MAX)
    reject(reader, low ? "a size from 1 to 2147483647" : "a size of 31 bits",
           value);
  return size;
}

static void read_sizes(const struct reader *reader, const char *list,
                       int64_t low, unsigned sizes[3]) {
  if (json_count(list) != 3)
    reject(reader, "three sizes of every grid, block and cluster", list);
  const char *item = json_first(list);
  for (int i = 0; i < 3; ++i, item = json_next(item))
    sizes[i] = (unsigned)read_size(reader, item, low);
}

// The number of items of the object's list, which may be `most`.
static int count(const struct reader *reader, const char *list,
                 const char *name, int most) {
  int items = json_count(list);
  if (!list || *list != '[')
    fail("expected a list '%s' in %s", name, reader->path);
  if (items > most)
    fail("expected at most %d items of '%s' in %s, but got %d", most, name,
         reader->path, items);
  return items;
}

static void read_tensor(const struct reader *reader, const char *object,
                        struct tensor *tensor) {
  const char *shape = json_member(object, "shape");
  read_name(reader, json_member(object, "name"), tensor->name);
  read_name(reader, json_member(object, "dtype"), tensor->dtype);
  tensor->rank = count(reader, shape, "shape", MOST_RANK);
  const char *item = json_first(shape);
  for (int i = 0; i < tensor->rank; ++i, item = json_next(item))
    tensor->sizes[i] = read_size(reader, item, 1);
  tensor->elements = 1;
  for (int i = tensor->rank; i-- > 0;) {
    tensor->strides[i] = tensor->elements;
    if (__builtin_mul_overflow(tensor->elements, tensor->sizes[i],
                               &tensor->elements))
      fail("expected a tensor '%s' that memory can hold", tensor->name);
  }
}

// The tensors of "arguments" or "results".
static void read_tensors(const struct reader *reader, const char *object,
                         const char *name) {
  struct entry *entry = reader->entry;
  const char *list = json_member(object, name);
  count(reader, list, name, MOST_TENSORS - entry->tensor_count);
  for (const char *item = json_first(list); item; item = json_next(item))
    read_tensor(reader, item, &entry->tensors[entry->tensor_count++]);
}

static int find_tensor(const struct reader *reader, const char *value) {
  for (int i = 0; i < reader->entry->tensor_count; ++i)
    if (json_is(value, reader->entry->tensors[i].name))
      return i;
  reject(reader, "the name of an argument or a result", value);
}

// Whether `object` is an i32 or i64, and then its value, which is `number`.
static bool set_number(struct parameter *parameter, const char *object,
                       int64_t number) {
  const char *type = json_member(object, "type");
  parameter->tensor = -1;
  if (json_is(type, "i32") && number >= INT32_MIN && number <= INT32_MAX)
    parameter->value.i32 = (int32_t)number;
  else if (json_is(type, "i64"))
    parameter->value.i64 = number;
  else
    return false;
  return true;
}

// False where this program does not know the kind of parameter.
static bool read_parameter(const struct reader *reader, const char *object,
                           struct parameter *parameter) {
  const char *pointer = json_member(object, "pointer");
  const char *stride = json_member(object, "stride");
  const char *scalar = json_member(object, "scalar");
  const char *status = json_member(object, "status");
  int members = json_count(object);
  if (pointer && members == 2) {
    parameter->tensor = find_tensor(reader, pointer);
    parameter->alignment =
        read_size(reader, json_member(object, "alignment"), 1);
    return true;
  }
  if (stride && members == 3) {
    const struct tensor *tensor =
        &reader->entry->tensors[find_tensor(reader, stride)];
    int64_t dim = read_size(reader, json_member(object, "dim"), 0);
    return dim < tensor->rank &&
           set_number(parameter, object, tensor->strides[dim]);
  }
  // The address of a word for faults of an argument's values; 0 is for none.
  if (status && members == 1) {
    find_tensor(reader, status);
    parameter->tensor = -1;
    parameter->value.address = 0;
    return true;
  }
  return scalar && members == 2 &&
         set_number(parameter, object, evaluate(reader, scalar));
}

static void read_launch(const struct reader *reader, const char *object,
                        struct launch *launch) {
  unsigned cluster[3];
  const char *target = json_member(object, "target");
  if (target)
    reject(reader, "code for one GPU", target);
  const char *parameters = json_member(object, "parameters");
  read_name(reader, json_member(object, "kernel"), launch->kernel);
  read_sizes(reader, json_member(object, "grid"), 0, launch->grid);
  read_sizes(reader, json_member(object, "block"), 1, launch->block);
  read_sizes(reader, json_member(object, "cluster"), 1, cluster);
  if (cluster[0] != 1 || cluster[1] != 1 || cluster[2] != 1)
    reject(reader, "clusters of one block", json_member(object, "cluster"));
  launch->shared =
      (unsigned)read_size(reader, json_member(object, "shared"), 0);
  launch->parameter_count =
      count(reader, parameters, "parameters", MOST_PARAMETERS);
  const char *item = json_first(parameters);
  for (int i = 0; i < launch->parameter_count; ++i, item = json_next(item))
    if (!read_parameter(reader, item, &launch->parameters[i]))
      reject(reader, "parameters that this program knows", item);
}

static void read_launches(const struct reader *reader, const char *object) {
  struct entry *entry = reader->entry;
  const char *launches = json_member(object, "launches");
  if (!launches)
    fail("expected code for a GPU, but entry '%s' of %s has no launches",
         entry->name, reader->path);
  count(reader, launches, "launches", MOST_LAUNCHES);
  for (const char *item = json_first(launches); item; item = json_next(item))
    read_launch(reader, item, &entry->launches[entry->launch_count++]);
}

static void read_attention(const struct reader *reader, const char *object) {
  static const char *const known[] = {"query",  "key",   "value",
                                      "result", "scale", "normaliser"};
  enum { KNOWN = sizeof known / sizeof *known };
  struct attention *attention = &reader->entry->attention;
  for (const char *item = json_first(object); item; item = json_next(item)) {
    int i = 0;
    while (i < KNOWN && !json_is(item, known[i]))
      ++i;
    if (i == KNOWN)
      reject(reader, "plain softmax attention", item);
  }
  if (!json_is(json_member(object, "normaliser"), "softmax") ||
      !json_number(json_member(object, "scale"), &attention->scale))
    reject(reader, "plain softmax attention", object);
  attention->query = find_tensor(reader, json_member(object, "query"));
  attention->key = find_tensor(reader, json_member(object, "key"));
  attention->value = find_tensor(reader, json_member(object, "value"));
  attention->result = find_tensor(reader, json_member(object, "result"));
}

void manifest_read(const char *text, const char *path, struct dims *dims,
                   struct entry *entry) {
  struct reader reader = {path, dims, entry};
  const char *manifest = json_check(text);
  int64_t abi;
  if (!manifest || *manifest != '{')
    fail("expected a manifest, but %s holds no JSON object", path);
  if (!json_integer(json_member(manifest, "abi"), &abi) || abi != ABI)
    reject(&reader, "\"abi\":2", json_member(manifest, "abi"));
  const char *entries = json_member(manifest, "entries");
  if (json_count(entries) != 1)
    fail("expected one entry in %s, but got %d", path, json_count(entries));
  const char *object = json_first(entries);
  *entry = (struct entry){.tensor_count = 0};
  read_name(&reader, json_member(object, "name"), entry->name);
  read_tensors(&reader, object, "arguments");
  read_tensors(&reader, object, "results");
  read_launches(&reader, object);
  read_attention(&reader, json_member(object, "attention"));
  for (int i = 0; i < dims->count; ++i)
    if (!dims->list[i].is_used)
      fail("entry '%s' has no dim '%s'", entry->name, dims->list[i].name);
}
