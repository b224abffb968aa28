// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel's parameters and its launch.

#include "lib/Target/launcher/launcher.h"

#include <stdio.h>

// One launch, ready for the driver.
struct launch {
  const struct mixattn_launch_row *row;
  const struct mixattn_kernel_state *kernel;
  // A grid without blocks: there is nothing to do.
  bool is_empty;
  unsigned grid[3];
  unsigned shared;
  // Where the driver finds each parameter: among the other two.
  void *parameters[MIXATTN_MOST_PARAMETERS];
  int64_t values[MIXATTN_MOST_PARAMETERS];
  CUtensorMap maps[MIXATTN_MOST_TENSOR_MAPS];
};

static int32_t fail_to_count(const struct mixattn_request *request,
                             const struct launch *launch) {
  return mixattn_fail(
      request, MIXATTN_ERROR_LAUNCH,
      "the launch of %s would take a number that is out of range",
      launch->row->kernel);
}

// Writes the sizes of the entry's dims: "B = 2, N = 5".
static void list_dims(const struct mixattn_request *request, char *text,
                      size_t size) {
  const struct mixattn_entry_row *entry = request->entry;
  size_t used = 0;
  text[0] = '\0';
  for (int64_t dim = 0; dim < entry->dim_count && used < size; ++dim) {
    int written =
        snprintf(text + used, size - used, "%s%s = %lld", dim ? ", " : "",
                 entry->dims[dim].name, (long long)request->dims[dim]);
    used += written > 0 ? (size_t)written : 0;
  }
}

// Finds the grid, within what every driver takes.
static int32_t find_grid(const struct mixattn_request *request,
                         struct launch *launch) {
  static const int64_t most[3] = {INT32_MAX, 65535, 65535};
  int64_t grid[3];
  bool is_large = false;
  for (int axis = 0; axis < 3; ++axis) {
    if (!mixattn_evaluate(request, launch->row->grid[axis], &grid[axis]) ||
        grid[axis] < 0)
      return fail_to_count(request, launch);
    launch->is_empty |= grid[axis] == 0;
    is_large |= grid[axis] > most[axis];
    launch->grid[axis] = (unsigned)grid[axis];
  }
  if (launch->is_empty || !is_large)
    return 0;
  char dims[256];
  list_dims(request, dims, sizeof dims);
  return mixattn_fail(request, MIXATTN_ERROR_LAUNCH,
                      "the launch of %s would take a grid of %lld x %lld x "
                      "%lld blocks, more than the driver takes (%s)",
                      launch->row->kernel, (long long)grid[0],
                      (long long)grid[1], (long long)grid[2], dims);
}

static int32_t find_shared(const struct mixattn_request *request,
                           struct launch *launch) {
  int64_t bytes;
  if (!mixattn_evaluate(request, launch->row->shared, &bytes) || bytes < 0)
    return fail_to_count(request, launch);
  if (bytes > launch->kernel->shared_limit)
    return mixattn_fail(request, MIXATTN_ERROR_LAUNCH,
                        "the launch of %s would take %lld bytes of shared "
                        "memory, more than the %lld that CUDA device %d has",
                        launch->row->kernel, (long long)bytes,
                        (long long)launch->kernel->shared_limit,
                        request->device);
  launch->shared = (unsigned)bytes;
  return 0;
}

// The address of the parameter's tensor, or of its part of the workspace.
static bool find_address(const struct mixattn_request *request,
                         const struct mixattn_parameter_row *parameter,
                         int64_t *address) {
  uint64_t base = parameter->tensor >= 0
                      ? mixattn_address_of(request, parameter->tensor)
                      : (uint64_t)(uintptr_t)request->call.workspace;
  int64_t offset;
  if (!mixattn_evaluate(request, parameter->value, &offset))
    return false;
  *address = (int64_t)(base + (uint64_t)offset);
  return true;
}

// Finds sizes and strides of a tensor map; `is_empty` where a size is 0.
static bool find_map_dims(const struct mixattn_request *request,
                          const struct mixattn_parameter_row *parameter,
                          uint64_t *dims, uint64_t *strides, bool *is_empty) {
  const struct mixattn_map_row *map = parameter->map;
  *is_empty = false;
  for (int32_t dim = 0; dim < map->rank; ++dim) {
    int64_t size;
    if (!mixattn_evaluate(request, map->dims[dim], &size))
      return false;
    dims[dim] = (uint64_t)size;
    *is_empty |= size == 0;
  }
  for (int32_t dim = 0; dim + 1 < map->rank; ++dim) {
    const struct mixattn_map_stride *row = &map->strides[dim];
    int64_t bytes;
    bool fits =
        row->dim < 0
            ? mixattn_evaluate(request, row->bytes, &bytes)
            : !__builtin_mul_overflow(
                  mixattn_stride_of(request, parameter->tensor, row->dim),
                  (int64_t)row->element_bytes, &bytes);
    if (!fits)
      return false;
    strides[dim] = (uint64_t)bytes;
  }
  return true;
}

// CUtensorMapSwizzle of 0, 32, 64 and 128 bytes, and CUtensorMapL2promotion of
// 0, 64, 128 and 256: numbers from 0 on, each twice the one before.
static int rank_of(int32_t bytes, int32_t first) {
  int rank = 0;
  for (; bytes >= first; bytes /= 2)
    ++rank;
  return rank;
}

static int32_t encode_map(const struct mixattn_request *request,
                          const struct launch *launch,
                          const struct mixattn_parameter_row *parameter,
                          CUtensorMap *encoded) {
  const struct mixattn_map_row *map = parameter->map;
  uint64_t dims[MIXATTN_MOST_MAP_DIMS], strides[MIXATTN_MOST_MAP_DIMS];
  static const uint32_t ones[MIXATTN_MOST_MAP_DIMS] = {1, 1, 1, 1, 1};
  int64_t address;
  bool is_empty;
  *encoded = (CUtensorMap){{0}};
  if (!find_address(request, parameter, &address) ||
      !find_map_dims(request, parameter, dims, strides, &is_empty))
    return fail_to_count(request, launch);
  // The driver takes no size of 0, and a kernel copies nothing of it.
  if (is_empty)
    return 0;
  // Elements outside are read as zeros: interleave and fill are 0.
  CUresult result = request->driver->cuTensorMapEncodeTiled(
      encoded, map->data_type, (uint32_t)map->rank, (void *)(uintptr_t)address,
      dims, strides, map->box, ones, 0, rank_of(map->swizzle, 32),
      rank_of(map->promotion, 64), 0);
  if (result == CUDA_SUCCESS)
    return 0;
  const char *kernel = launch->row->kernel;
  if (parameter->tensor < 0)
    return mixattn_fail_driver(request, MIXATTN_ERROR_LAUNCH, result,
                               "the driver refused %s a tensor map of the "
                               "workspace",
                               kernel);
  const struct mixattn_tensor_row *tensor =
      &request->entry->tensors[parameter->tensor];
  return mixattn_fail_driver(request, MIXATTN_ERROR_LAUNCH, result,
                             "the driver refused %s a tensor map of %s '%s'",
                             kernel, mixattn_kind_of(tensor), tensor->name);
}

// The value of a parameter that is no tensor map.
static int32_t find_value(const struct mixattn_request *request,
                          const struct launch *launch,
                          const struct mixattn_parameter_row *parameter,
                          int64_t *value) {
  bool fits = true;
  int64_t bytes = 8;
  switch (parameter->kind) {
  case MIXATTN_PARAMETER_POINTER:
  case MIXATTN_PARAMETER_WORKSPACE:
    fits = find_address(request, parameter, value);
    break;
  case MIXATTN_PARAMETER_STATUS:
    *value = (int64_t)(uintptr_t)request->call.status;
    break;
  case MIXATTN_PARAMETER_STRIDE:
    *value = mixattn_stride_of(request, parameter->tensor, parameter->dim);
    bytes = parameter->bytes;
    break;
  default:
    fits = mixattn_evaluate(request, parameter->value, value);
    bytes = parameter->bytes;
    break;
  }
  if (!fits || (bytes == 4 && (*value < INT32_MIN || *value > INT32_MAX)))
    return fail_to_count(request, launch);
  return 0;
}

static int32_t find_parameters(const struct mixattn_request *request,
                               struct launch *launch) {
  int64_t maps = 0;
  for (int64_t i = 0; i < launch->row->parameter_count; ++i) {
    const struct mixattn_parameter_row *row = &launch->row->parameters[i];
    int32_t code;
    if (row->kind == MIXATTN_PARAMETER_TENSOR_MAP) {
      CUtensorMap *map = &launch->maps[maps++];
      launch->parameters[i] = map;
      code = encode_map(request, launch, row, map);
    } else {
      // The first bytes of a number are its low ones.
      launch->parameters[i] = &launch->values[i];
      code = find_value(request, launch, row, &launch->values[i]);
    }
    if (code)
      return code;
  }
  return 0;
}

// Finds all that the driver is to be told of launch `number` of the library.
static int32_t find_launch(const struct mixattn_request *request,
                           int64_t number, struct launch *launch) {
  launch->row = &request->library->launches[number];
  launch->kernel = &request->kernels[number];
  launch->is_empty = false;
  int32_t code = find_grid(request, launch);
  if (code || launch->is_empty)
    return code;
  code = find_shared(request, launch);
  return code ? code : find_parameters(request, launch);
}

static CUresult start(const struct mixattn_request *request,
                      struct launch *launch) {
  const struct mixattn_driver *driver = request->driver;
  const uint32_t *block = launch->row->block, *cluster = launch->row->cluster;
  CUfunction function = launch->kernel->function;
  CUstream stream = request->call.stream;
  if (cluster[0] == 1 && cluster[1] == 1 && cluster[2] == 1)
    return driver->cuLaunchKernel(
        function, launch->grid[0], launch->grid[1], launch->grid[2], block[0],
        block[1], block[2], launch->shared, stream, launch->parameters, NULL);
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
  attribute.value.clusterDim.x = cluster[0];
  attribute.value.clusterDim.y = cluster[1];
  attribute.value.clusterDim.z = cluster[2];
  CUlaunchConfig config = {
      launch->grid[0], launch->grid[1], launch->grid[2], block[0],   block[1],
      block[2],        launch->shared,  stream,          &attribute, 1};
  return driver->cuLaunchKernelEx(&config, function, launch->parameters, NULL);
}

int32_t mixattn_launch(const struct mixattn_request *request) {
  struct launch launch;
  struct mixattn_launch_range range = request->entry->launches[request->target];
  int64_t first = range.first, end = first + range.count;
  // Nothing is launched before all are known to be good: those after the first
  // are found twice.
  for (int64_t i = first + 1; i < end; ++i) {
    int32_t code = find_launch(request, i, &launch);
    if (code)
      return code;
  }
  for (int64_t i = first; i < end; ++i) {
    int32_t code = find_launch(request, i, &launch);
    if (code)
      return code;
    if (launch.is_empty)
      continue;
    CUresult result = start(request, &launch);
    if (result != CUDA_SUCCESS)
      return mixattn_fail_driver(request, MIXATTN_ERROR_LAUNCH, result,
                                 "the driver refused %s", launch.row->kernel);
  }
  return 0;
}
