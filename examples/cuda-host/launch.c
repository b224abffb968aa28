// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches kernels with the parameters that the manifest says.
#include "call.h"
#include "fail.h"

#include <stdio.h>

// A parameter as the kernel reads it.
union value {
  int64_t number;
  CUtensorMap map;
};

// Whether alignment divides the address and the strides, as the kernel trusts.
static bool is_aligned(const struct tensor *tensor, uint64_t address,
                       int64_t alignment) {
  for (int dim = 0; dim + 1 < tensor->rank; ++dim)
    if (tensor->sizes[dim] > 1 &&
        tensor->strides[dim] * (int64_t)sizeof(uint16_t) % alignment != 0)
      return false;
  return address % (uint64_t)alignment == 0;
}

// A CUtensorMapSwizzle: 0 to 3 for 0, 32, 64 and 128 bytes.
static int swizzle_of(int bytes) {
  int number = 0;
  for (; bytes >= 32; bytes /= 2)
    ++number;
  return number;
}

static void encode_map(const struct call *call,
                       const struct parameter *parameter, CUtensorMap *map) {
  static const uint32_t ones[MOST_MAP_DIMS] = {1, 1, 1, 1, 1};
  const struct tensor_map *given = &parameter->map;
  bool is_of_workspace = parameter->tensor < 0;
  uint64_t address =
      is_of_workspace ? (uint64_t)call->workspace + (uint64_t)parameter->number
                      : call->addresses[parameter->tensor];
  char what[NAME_BYTES + 32];
  snprintf(what, sizeof what, "a tensor map of '%s'",
           is_of_workspace ? "the workspace"
                           : call->entry->tensors[parameter->tensor].name);
  driver_check(call->driver,
               call->driver->cuTensorMapEncodeTiled(
                   map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, given->rank,
                   (void *)(uintptr_t)address, given->dims, given->strides,
                   given->box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE,
                   swizzle_of(given->swizzle),
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
               what);
}

static void set_value(const struct call *call, const struct launch *launch,
                      const struct parameter *parameter, union value *value) {
  int number = parameter->tensor < 0 ? 0 : parameter->tensor;
  const struct tensor *tensor = &call->entry->tensors[number];
  uint64_t address = call->addresses[number];
  switch (parameter->kind) {
  case PARAMETER_NUMBER:
    value->number = parameter->number;
    break;
  case PARAMETER_POINTER:
    if (!is_aligned(tensor, address, parameter->alignment))
      fail("%s wants rows of '%s' that lie at multiples of %lld bytes",
           launch->kernel, tensor->name, (long long)parameter->alignment);
    value->number = (int64_t)address;
    break;
  case PARAMETER_WORKSPACE:
    value->number = (int64_t)call->workspace + parameter->number;
    break;
  case PARAMETER_TENSOR_MAP:
    encode_map(call, parameter, &value->map);
    break;
  }
}

static void start(const struct call *call, int number) {
  const struct launch *launch = &call->entry->launches[number];
  const unsigned *grid = launch->grid, *block = launch->block;
  if (launch_is_empty(launch))
    return;
  // The driver copies what the addresses lead to before it returns.
  union value values[MOST_PARAMETERS];
  void *addresses[MOST_PARAMETERS];
  for (int i = 0; i < launch->parameter_count; ++i) {
    set_value(call, launch, &launch->parameters[i], &values[i]);
    addresses[i] = &values[i];
  }
  driver_check(call->driver,
               call->driver->cuLaunchKernel(call->code->functions[number],
                                            grid[0], grid[1], grid[2], block[0],
                                            block[1], block[2], launch->shared,
                                            call->stream, addresses, NULL),
               launch->kernel);
}

void call_launch(const struct call *call) {
  for (int i = 0; i < call->entry->launch_count; ++i)
    start(call, i);
}
