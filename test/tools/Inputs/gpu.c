// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU artifact by hand, with the kernels of cuda.c, for tests of mixattn-run
// that need neither compiler nor GPU. -DMANIFEST='"FILE"' names the manifest's
// text.

#include "test/launcher/Entry.h"

__asm__(".pushsection .mixattn.manifest, \"a\"\n"
        ".incbin "
        "\"" MANIFEST "\"\n"
        ".byte 0\n"
        ".popsection\n");

#define STEPS(...)                                                             \
  {(const struct mixattn_step[]){__VA_ARGS__},                                 \
   COUNT(((const struct mixattn_step[]){__VA_ARGS__}))}
#define ONE STEPS({MIXATTN_STEP_NUMBER, 1})
#define N STEPS({MIXATTN_STEP_DIM, 0})

static const struct mixattn_dim_row dims[] = {
    {"N", 0, INT32_MAX, {0}, 0, 0, 0}};
static const int64_t vector[] = {-1}, rows[] = {1, 1, -1, 4},
                     row[] = {1, 1, 1, 4};
static const struct mixattn_tensor_row vectors[] = {
    {"x", "f32", vector, 0, 1, 0, kDLFloat, 32},
    {"y", "f32", vector, 0, 1, 1, kDLFloat, 32}};
static const struct mixattn_tensor_row attend_tensors[] = {
    {"q", "f32", rows, 0, 4, 0, kDLFloat, 32},
    {"k", "f32", row, 0, 4, 0, kDLFloat, 32},
    {"v", "f32", row, 0, 4, 0, kDLFloat, 32},
    {"o", "f32", rows, 0, 4, 1, kDLFloat, 32}};
static const struct mixattn_tensor_row stray_tensors[] = {
    {"x", "f32", vector, 0, 1, 0, kDLFloat, 32},
    {"lengths", "i64", vector, 0, 1, 0, kDLInt, 64},
    {"y", "f32", vector, 0, 1, 1, kDLFloat, 32}};

#define POINTER(tensor) {{0}, NULL, MIXATTN_PARAMETER_POINTER, tensor, 0, 8}
#define WORKSPACE {{0}, NULL, MIXATTN_PARAMETER_WORKSPACE, -1, 0, 8}
#define STATUS {{0}, NULL, MIXATTN_PARAMETER_STATUS, -1, 0, 8}
#define SIZE {N, NULL, MIXATTN_PARAMETER_SCALAR, -1, 0, 4}
static const struct mixattn_parameter_row stage[] = {POINTER(0), WORKSPACE,
                                                     SIZE};
static const struct mixattn_parameter_row twice[] = {WORKSPACE, POINTER(1),
                                                     SIZE};
static const struct mixattn_parameter_row repeat[] = {POINTER(2), POINTER(3),
                                                      SIZE};
static const struct mixattn_parameter_row stray[] = {POINTER(0), POINTER(2),
                                                     SIZE, STATUS};

#define LAUNCH(kernel)                                                         \
  {#kernel, {ONE, ONE, ONE}, {0}, kernel, COUNT(kernel), {32, 1, 1}, {1, 1, 1}}
static const struct mixattn_launch_row launches[] = {
    LAUNCH(stage), LAUNCH(twice), LAUNCH(repeat), LAUNCH(stray)};

static const struct mixattn_launch_range twice_launches = {0, 2},
                                         attend_launches = {2, 1},
                                         stray_launches = {3, 1};
static const struct mixattn_entry_row entries[] = {
    {"twice", vectors, COUNT(vectors), dims, 1,
     STEPS({MIXATTN_STEP_DIM, 0}, {MIXATTN_STEP_NUMBER, 4},
           {MIXATTN_STEP_MULTIPLY, 0}),
     &twice_launches},
    {"attend",
     attend_tensors,
     COUNT(attend_tensors),
     dims,
     1,
     {0},
     &attend_launches},
    {"stray",
     stray_tensors,
     COUNT(stray_tensors),
     dims,
     1,
     {0},
     &stray_launches}};

static const struct mixattn_target_row target = {
    "sm_80", "", {0, COUNT(launches)}, 80, MIXATTN_REACH_LATER};

static uint64_t contexts[MIXATTN_MOST_CONTEXTS];
static int64_t context_targets[MIXATTN_MOST_CONTEXTS];
static int64_t context_multiprocessors[MIXATTN_MOST_CONTEXTS];
static struct mixattn_kernel_state
    kernels[MIXATTN_MOST_CONTEXTS * COUNT(launches)];
static const struct mixattn_library library = {
    .targets = &target,
    .target_count = 1,
    .least_driver = 12000,
    .entries = entries,
    .launches = launches,
    .launch_count = COUNT(launches),
    .contexts = contexts,
    .context_targets = context_targets,
    .context_multiprocessors = context_multiprocessors,
    .kernels = kernels};

ENTRY(twice, 0)
ENTRY(attend, 1)
ENTRY(stray, 2)
