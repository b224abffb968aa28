// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table that tells the launcher of a GPU artifact what its entries launch.
//
// mixattn-compile writes it as constants of LLVM IR next to the code for GPUs,
// and the launcher's objects read it: C11 and C++17. A struct has no padding
// and no fields but pointers, 64-bit and 32-bit integers, in this order.

#ifndef MIXATTN_LIB_TARGET_LAUNCHER_TABLE_H
#define MIXATTN_LIB_TARGET_LAUNCHER_TABLE_H

#include "lib/Runtime/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limits of a table; who writes it refuses more.
enum {
  // Names of dims of an entry.
  MIXATTN_MOST_DIMS = 64,
  // Values on the stack of an expression at a time: a SIZE of a manifest, which
  // is 64 operations deep at most, takes half of it.
  MIXATTN_MOST_OPERANDS = 128,
  // Parameters of a kernel, and tensor maps among them: 4 KiB is what every
  // kernel may take.
  MIXATTN_MOST_PARAMETERS = 256,
  MIXATTN_MOST_TENSOR_MAPS = 16,
  // Dims of a tensor map: the hardware's limit.
  MIXATTN_MOST_MAP_DIMS = 5,
  // CUDA contexts of a process that the code is loaded in.
  MIXATTN_MOST_CONTEXTS = 64
};

// Operations of steps. All but the first three take the two values on top of
// the stack, the right one above the left one, and leave one.
enum {
  MIXATTN_STEP_NUMBER,
  // The size of the dim of that number.
  MIXATTN_STEP_DIM,
  // How many multiprocessors the device has.
  MIXATTN_STEP_MULTIPROCESSORS,
  MIXATTN_STEP_ADD,
  MIXATTN_STEP_SUBTRACT,
  MIXATTN_STEP_MULTIPLY,
  // Without the rest. It and the rest are of a left value from 0 on and a
  // right one from 1 on.
  MIXATTN_STEP_DIVIDE,
  MIXATTN_STEP_REMAINDER,
  MIXATTN_STEP_MINIMUM,
  MIXATTN_STEP_MAXIMUM,
  // 1 where the left value is larger, else 0; and the other way round.
  MIXATTN_STEP_ABOVE,
  MIXATTN_STEP_AT_MOST
};

struct mixattn_step {
  int64_t operation;
  // A number, or the number of a dim; else 0.
  int64_t value;
};

// A SIZE of the manifest in postfix order. Values are signed 64-bit integers;
// one that needs more bits is an error of the call, as is what is
// negative but a scalar. Without steps it is 0.
struct mixattn_expression {
  const struct mixattn_step *steps;
  int64_t count;
};

struct mixattn_tensor_row {
  const char *name;
  // As the manifest says it, for messages: "bf16".
  const char *dtype;
  // For each dim its size, or -1 - the number of the entry's dim.
  const int64_t *shape;
  // Bytes that divide the address of the first element, and the stride of each
  // dim but the innermost that has a size above 1; 0 where any will do.
  int64_t row_alignment;
  int32_t rank;
  int32_t is_result;
  // DLPack's type code, and bits of an element: 8 or more.
  int32_t code;
  int32_t bits;
};

enum {
  // 8 bytes: the address of the tensor's first element.
  MIXATTN_PARAMETER_POINTER,
  // The stride of `dim` of the tensor, in elements. Where the dim has a size of
  // at most 1, or the tensor no elements, it is what row_alignment allows.
  MIXATTN_PARAMETER_STRIDE,
  // `value`.
  MIXATTN_PARAMETER_SCALAR,
  // 8 bytes: the address of the workspace and `value` bytes more.
  MIXATTN_PARAMETER_WORKSPACE,
  // 8 bytes: the address of the status word, or 0 where the caller wants none.
  MIXATTN_PARAMETER_STATUS,
  // 128 bytes: `map` of the tensor, or with a tensor of -1 of the workspace
  // from `value` bytes on. All 0 where a dim of it has no elements.
  MIXATTN_PARAMETER_TENSOR_MAP
};

// The stride of a dim of a tensor map.
struct mixattn_map_stride {
  // In bytes, where `dim` is -1.
  struct mixattn_expression bytes;
  // Else: that of this dim of the parameter's tensor, which has elements as
  // many bytes wide as `element_bytes`.
  int32_t dim;
  int32_t element_bytes;
};

struct mixattn_map_row {
  // Of each dim, the innermost first.
  const struct mixattn_expression *dims;
  // Of each dim but the innermost.
  const struct mixattn_map_stride *strides;
  // Elements that a copy takes of each dim.
  const uint32_t *box;
  // CUtensorMapDataType.
  int32_t data_type;
  int32_t rank;
  // Bytes of a row in shared memory that are swizzled: 0, 32, 64 or 128.
  int32_t swizzle;
  // Bytes that a miss brings into the L2 cache: 0, 64, 128 or 256.
  int32_t promotion;
};

struct mixattn_parameter_row {
  struct mixattn_expression value;
  // Of a tensor map only, else NULL.
  const struct mixattn_map_row *map;
  int32_t kind;
  // The number of a tensor of the entry, or -1.
  int32_t tensor;
  int32_t dim;
  // Bytes of a stride or a scalar: 4 or 8.
  int32_t bytes;
};

struct mixattn_launch_row {
  const char *kernel;
  // Blocks; where one is 0 nothing is launched.
  struct mixattn_expression grid[3];
  // Bytes of dynamic shared memory; no steps where the kernel has none.
  struct mixattn_expression shared;
  const struct mixattn_parameter_row *parameters;
  int64_t parameter_count;
  // Threads of a block, and blocks of a cluster, which is all 1 for none.
  uint32_t block[3];
  uint32_t cluster[3];
};

// Launches of the library, in order: `count` from number `first` on.
struct mixattn_launch_range {
  int64_t first;
  int64_t count;
};

// A dim that has a name.
struct mixattn_dim_row {
  const char *name;
  // The ends of its size, both included.
  int64_t least;
  int64_t most;
  // Its size; no steps where that does not follow from others.
  struct mixattn_expression definition;
  // Where no argument has it: the number of a dim of one that is `factor` times
  // as large, and `offset` more. A factor of 0 elsewhere.
  int64_t told_by;
  int64_t factor;
  int64_t offset;
};

struct mixattn_entry_row {
  const char *name;
  // Arguments, then results.
  const struct mixattn_tensor_row *tensors;
  int64_t tensor_count;
  const struct mixattn_dim_row *dims;
  int64_t dim_count;
  // Bytes that a call takes of its caller.
  struct mixattn_expression workspace;
  // For each target the launches of a call.
  const struct mixattn_launch_range *launches;
};

// Devices that the code of a target runs on.
enum {
  // Those of its compute capability.
  MIXATTN_REACH_ITS_OWN,
  // Later ones of the same major number, too.
  MIXATTN_REACH_ITS_MAJOR,
  // All later ones: drivers compile its PTX.
  MIXATTN_REACH_LATER
};

// Code for one kind of GPU.
struct mixattn_target_row {
  // For messages: "sm_90a".
  const char *name;
  // A fatbin, a cubin, or PTX text that ends with a zero. Each target has one
  // of its own: kernels of the same name differ in what they take, so that it
  // is the launcher, and not the driver, that picks.
  const void *image;
  // All that there are for it.
  struct mixattn_launch_range launches;
  // Its compute capability, 10 x major + minor: that of no other target.
  int32_t capability;
  int32_t reach;
};

// A kernel in one context.
struct mixattn_kernel_state {
  // CUfunction.
  void *function;
  // Bytes of dynamic shared memory that a block may have.
  int64_t shared_limit;
};

struct mixattn_library {
  const struct mixattn_target_row *targets;
  int64_t target_count;
  // The least driver: 1000 x major + 10 x minor, as cuDriverGetVersion says.
  int64_t least_driver;
  const struct mixattn_entry_row *entries;
  const struct mixattn_launch_row *launches;
  int64_t launch_count;
  // Memory that the launcher writes, all 0 at first: which contexts have been
  // loaded, MIXATTN_MOST_CONTEXTS of them, and for each of these contexts the
  // number of the target whose code it has, the multiprocessors of its device,
  // and a kernel for each launch; those of other targets stay 0.
  uint64_t *contexts;
  int64_t *context_targets;
  int64_t *context_multiprocessors;
  struct mixattn_kernel_state *kernels;
};

// The launcher's side of the functions of the ABI: `mixattn_NAME`,
// `mixattn_workspace_NAME` of entry number `entry`, and `mixattn_prepare_NAME`,
// which is the same for all entries. The symbols are hidden.
#define MIXATTN_HIDDEN __attribute__((visibility("hidden")))

MIXATTN_HIDDEN
int32_t mixattn_launcher_call(const struct mixattn_library *library,
                              int64_t entry, const DLTensor *const *tensors,
                              int32_t count, const mixattn_call *call);
MIXATTN_HIDDEN int32_t
mixattn_launcher_workspace(const struct mixattn_library *library, int64_t entry,
                           const DLTensor *const *tensors, int32_t count,
                           uint64_t *bytes, const mixattn_call *call);
MIXATTN_HIDDEN int32_t
mixattn_launcher_prepare(const struct mixattn_library *library, int32_t device,
                         const mixattn_call *call);

#ifdef __cplusplus
}
#endif

#endif // MIXATTN_LIB_TARGET_LAUNCHER_TABLE_H
