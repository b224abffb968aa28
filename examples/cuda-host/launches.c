// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launches of an entry and their parameters, the part "launches" of
// lib/Runtime/manifest.md.
#include "fail.h"
#include "json.h"
#include "manifest.h"

#include <stddef.h>

// Bytes of an element: all tensors of this program are of bf16.
enum { ELEMENT_BYTES = 2 };

static void read_sizes(const struct reader *reader, const char *list,
                       int64_t low, unsigned sizes[3]) {
  if (json_count(list) != 3)
    reader_reject(reader, "three sizes of every grid, block and cluster", list);
  const char *item = json_first(list);
  for (int i = 0; i < 3; ++i, item = json_next(item))
    sizes[i] = (unsigned)reader_size(reader, item, low);
}

// The stride that {"stride": TENSOR, "dim": DIM, …} means, in elements.
static bool find_stride(const struct reader *reader, const char *object,
                        const struct entry *entry, int64_t *stride) {
  const struct tensor *tensor = &entry->tensors[manifest_find_tensor(
      reader, json_member(object, "stride"), entry)];
  int64_t dim = reader_size(reader, json_member(object, "dim"), 0);
  if (dim >= tensor->rank)
    return false;
  *stride = tensor->strides[dim];
  return true;
}

// Whether `object` has a type that holds the number. On machines whose numbers
// begin with their low bytes the kernel finds an i32 in an i64.
static bool set_number(struct parameter *parameter, const char *object,
                       int64_t number) {
  const char *type = json_member(object, "type");
  parameter->kind = PARAMETER_NUMBER;
  parameter->number = number;
  return json_is(type, "i64") ||
         (json_is(type, "i32") && number >= INT32_MIN && number <= INT32_MAX);
}

static bool read_tensor_map(const struct reader *reader, const char *object,
                            const struct entry *entry,
                            struct parameter *parameter) {
  struct tensor_map *map = &parameter->map;
  const char *dims = json_member(object, "dims");
  const char *strides = json_member(object, "strides");
  const char *box = json_member(object, "box");
  parameter->kind = PARAMETER_TENSOR_MAP;
  const char *tensor = json_member(object, "tensor_map");
  if (*tensor == '{') {
    parameter->tensor = -1;
    parameter->number =
        reader_size(reader, json_member(tensor, "workspace"), 0);
  } else {
    parameter->tensor = manifest_find_tensor(reader, tensor, entry);
  }
  map->rank = (uint32_t)reader_count(reader, dims, "dims", MOST_MAP_DIMS);
  map->swizzle = (int)reader_size(reader, json_member(object, "swizzle"), 0);
  bool swizzles = map->swizzle == 0 || map->swizzle == 32 ||
                  map->swizzle == 64 || map->swizzle == 128;
  if (!swizzles || !json_is(json_member(object, "type"), "bf16") ||
      map->rank < 2 || json_count(strides) != (int)map->rank - 1 ||
      json_count(box) != (int)map->rank)
    return false;
  const char *dim = json_first(dims), *side = json_first(box);
  for (uint32_t i = 0; i < map->rank; ++i) {
    map->dims[i] = (uint64_t)reader_size(reader, dim, 1);
    map->box[i] = (uint32_t)reader_size(reader, side, 1);
    dim = json_next(dim);
    side = json_next(side);
  }
  const char *item = json_first(strides);
  for (uint32_t i = 0; i + 1 < map->rank; ++i, item = json_next(item)) {
    int64_t stride;
    // A stride of a tensor counts elements, a SIZE is in bytes.
    if (*item != '{')
      map->strides[i] = (uint64_t)reader_size(reader, item, 1);
    else if (find_stride(reader, item, entry, &stride))
      map->strides[i] = (uint64_t)stride * ELEMENT_BYTES;
    else
      return false;
  }
  return true;
}

// False where this program does not know the kind of parameter.
static bool read_parameter(const struct reader *reader, const char *object,
                           const struct entry *entry,
                           struct parameter *parameter) {
  const char *pointer = json_member(object, "pointer");
  const char *scalar = json_member(object, "scalar");
  const char *workspace = json_member(object, "workspace");
  const char *status = json_member(object, "status");
  int members = json_count(object);
  int64_t stride;
  if (pointer && members == 2) {
    parameter->kind = PARAMETER_POINTER;
    parameter->tensor = manifest_find_tensor(reader, pointer, entry);
    parameter->alignment =
        reader_size(reader, json_member(object, "alignment"), 1);
    return true;
  }
  if (workspace && members == 1) {
    parameter->kind = PARAMETER_WORKSPACE;
    parameter->number = reader_evaluate(reader, workspace);
    return true;
  }
  if (json_member(object, "tensor_map") && members == 6)
    return read_tensor_map(reader, object, entry, parameter);
  // The address of a word for faults of an argument's values; 0 is for none.
  if (status && members == 1) {
    manifest_find_tensor(reader, status, entry);
    parameter->kind = PARAMETER_NUMBER;
    parameter->number = 0;
    return true;
  }
  if (json_member(object, "stride") && members == 3)
    return find_stride(reader, object, entry, &stride) &&
           set_number(parameter, object, stride);
  return scalar && members == 2 &&
         set_number(parameter, object, reader_evaluate(reader, scalar));
}

bool launch_is_empty(const struct launch *launch) {
  const unsigned *grid = launch->grid;
  return grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
}

static void read_launch(const struct reader *reader, const char *object,
                        const struct entry *entry, struct launch *launch) {
  unsigned cluster[3];
  const char *target = json_member(object, "target");
  if (target)
    reader_reject(reader, "code for one GPU", target);
  const char *parameters = json_member(object, "parameters");
  reader_name(reader, json_member(object, "kernel"), launch->kernel);
  read_sizes(reader, json_member(object, "grid"), 0, launch->grid);
  read_sizes(reader, json_member(object, "block"), 1, launch->block);
  read_sizes(reader, json_member(object, "cluster"), 1, cluster);
  if (cluster[0] != 1 || cluster[1] != 1 || cluster[2] != 1)
    reader_reject(reader, "clusters of one block",
                  json_member(object, "cluster"));
  launch->shared =
      (unsigned)reader_size(reader, json_member(object, "shared"), 0);
  launch->parameter_count =
      reader_count(reader, parameters, "parameters", MOST_PARAMETERS);
  const char *item = json_first(parameters);
  for (int i = 0; i < launch->parameter_count; ++i, item = json_next(item)) {
    const struct parameter *parameter = &launch->parameters[i];
    if (!read_parameter(reader, item, entry, &launch->parameters[i]))
      reader_reject(reader, "parameters that this program knows", item);
    if (parameter->kind == PARAMETER_WORKSPACE && !launch_is_empty(launch) &&
        (parameter->number < 0 || parameter->number >= entry->workspace_bytes))
      fail("%s wants byte %lld of a workspace, but %s says that it has %lld",
           launch->kernel, (long long)parameter->number, reader->path,
           (long long)entry->workspace_bytes);
  }
}

void manifest_read_launches(const struct reader *reader, const char *object,
                            struct entry *entry) {
  const char *launches = json_member(object, "launches");
  if (!launches)
    fail("expected code for a GPU, but entry '%s' of %s has no launches",
         entry->name, reader->path);
  reader_count(reader, launches, "launches", MOST_LAUNCHES);
  for (const char *item = json_first(launches); item; item = json_next(item))
    read_launch(reader, item, entry, &entry->launches[entry->launch_count++]);
}
