// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU artifact as mixattn-compile makes them, with a table written by hand.

#include "test/launcher/Entry.h"

#define STEPS(name, ...) static const struct mixattn_step name[] = {__VA_ARGS__}
#define EXPRESSION(steps) {steps, COUNT(steps)}
#define NUMBER(n) {MIXATTN_STEP_NUMBER, n}
#define DIM(n) {MIXATTN_STEP_DIM, n}
#define DO(operation) {MIXATTN_STEP_##operation, 0}

// The dims of `attend`, and in shapes.
enum { B, N, S };
#define NAMED(dim) (-1 - (dim))
static const struct mixattn_dim_row attend_dims[] = {
    {"B", 0, INT32_MAX, {0}, 0, 0, 0},
    {"N", 0, INT32_MAX, {0}, 0, 0, 0},
    {"S", 0, INT32_MAX, {0}, 0, 0, 0}};
static const int64_t queries[] = {NAMED(B), 8, NAMED(N), 64};
static const int64_t keys[] = {NAMED(B), 8, NAMED(S), 64};
static const int64_t batches[] = {NAMED(B)};

static const struct mixattn_tensor_row attend_tensors[] = {
    {"q", "bf16", queries, 16, 4, 0, kDLBfloat, 16},
    {"k", "bf16", keys, 16, 4, 0, kDLBfloat, 16},
    {"lengths", "i64", batches, 0, 1, 0, kDLInt, 64},
    {"o", "f32", queries, 0, 4, 1, kDLFloat, 32}};
enum { Q, K, LENGTHS, O };

STEPS(one, NUMBER(1));
STEPS(eight, NUMBER(8));
STEPS(multiprocessors, DO(MULTIPROCESSORS));
STEPS(sixty_four, NUMBER(64));
STEPS(b, DIM(B));
STEPS(n, DIM(N));
STEPS(s, DIM(S));
STEPS(heads, DIM(B), NUMBER(8), DO(MULTIPLY));
STEPS(tiles, DIM(N), NUMBER(63), DO(ADD), NUMBER(64), DO(DIVIDE));
// 64 bytes for each key.
STEPS(key_bytes, DIM(S), NUMBER(64), DO(MULTIPLY));
// Too large a number of bytes from 2^30 keys and batches on.
STEPS(workspace, DIM(B), DIM(S), DO(MULTIPLY), NUMBER(1024), DO(MULTIPLY));
STEPS(row_bytes, NUMBER(1024));
STEPS(difference, DIM(S), DIM(N), DO(SUBTRACT));

// The parameters of `terms`: the address of keys, the workspace, S.
static const struct mixattn_parameter_row terms_parameters[] = {
    {{0}, NULL, MIXATTN_PARAMETER_POINTER, K, 0, 8},
    {{0}, NULL, MIXATTN_PARAMETER_WORKSPACE, -1, 0, 8},
    {EXPRESSION(s), NULL, MIXATTN_PARAMETER_SCALAR, -1, 0, 4}};

static const struct mixattn_expression query_sizes[] = {
    EXPRESSION(sixty_four), EXPRESSION(n), EXPRESSION(eight), EXPRESSION(b)};
static const struct mixattn_map_stride query_strides[] = {
    {{0}, 2, 2}, {{0}, 1, 2}, {{0}, 0, 2}};
static const uint32_t query_box[] = {64, 128, 1, 1};
static const struct mixattn_map_row query_map = {
    query_sizes, query_strides, query_box, 9, 4, 128, 256};

static const struct mixattn_expression term_sizes[] = {EXPRESSION(s),
                                                       EXPRESSION(b)};
static const struct mixattn_map_stride term_strides[] = {
    {EXPRESSION(row_bytes), -1, 0}};
static const uint32_t term_box[] = {32, 4};
static const struct mixattn_map_row term_map = {
    term_sizes, term_strides, term_box, 7, 2, 0, 0};

static const struct mixattn_parameter_row attend_parameters[] = {
    {{0}, &query_map, MIXATTN_PARAMETER_TENSOR_MAP, Q, 0, 0},
    {{0}, NULL, MIXATTN_PARAMETER_POINTER, K, 0, 8},
    {{0}, NULL, MIXATTN_PARAMETER_STRIDE, K, 0, 8},
    {{0}, NULL, MIXATTN_PARAMETER_STRIDE, K, 2, 4},
    {EXPRESSION(difference), NULL, MIXATTN_PARAMETER_SCALAR, -1, 0, 4},
    {EXPRESSION(workspace), NULL, MIXATTN_PARAMETER_SCALAR, -1, 0, 8},
    {EXPRESSION(key_bytes), NULL, MIXATTN_PARAMETER_WORKSPACE, -1, 0, 8},
    {{0}, NULL, MIXATTN_PARAMETER_STATUS, -1, 0, 8},
    {{0}, NULL, MIXATTN_PARAMETER_POINTER, O, 0, 8},
    {EXPRESSION(key_bytes), &term_map, MIXATTN_PARAMETER_TENSOR_MAP, -1, 0, 0}};

// `copy`: x [N] to y [N], in clusters of two blocks.
static const struct mixattn_dim_row copy_dims[] = {
    {"N", 0, INT32_MAX, {0}, 0, 0, 0}};
static const int64_t copied[] = {NAMED(0)};
static const struct mixattn_tensor_row copy_tensors[] = {
    {"x", "f32", copied, 0, 1, 0, kDLFloat, 32},
    {"y", "f32", copied, 0, 1, 1, kDLFloat, 32}};
STEPS(copy_blocks, DIM(0), NUMBER(2), DO(MULTIPLY));
static const struct mixattn_parameter_row copy_parameters[] = {
    {{0}, NULL, MIXATTN_PARAMETER_POINTER, 0, 0, 8},
    {{0}, NULL, MIXATTN_PARAMETER_POINTER, 1, 0, 8}};

// `shift`: as `copy`, but with N - 6 blocks, and N - 4 bytes of workspace.
STEPS(fewer_bytes, DIM(0), NUMBER(4), DO(SUBTRACT));
STEPS(fewer_blocks, DIM(0), NUMBER(6), DO(SUBTRACT));

// `grow`: x [N], N from 2 to 1000, and y [B N]; z [B]. N is 2 C + 1, and B is 3
// E. It launches nothing.
STEPS(product, DIM(0), DIM(1), DO(MULTIPLY));
static const struct mixattn_dim_row grow_dims[] = {
    {"N", 2, 1000, {0}, 0, 0, 0},
    {"B", 0, INT64_MAX, {0}, 0, 0, 0},
    {"M", 0, INT32_MAX, EXPRESSION(product), 0, 0, 0},
    {"C", 0, 40, {0}, 0, 2, 1},
    {"E", 0, INT64_MAX, {0}, 1, 3, 0}};
static const int64_t grow_x[] = {NAMED(0)}, grow_z[] = {NAMED(1)},
                     grow_y[] = {NAMED(2)};
static const struct mixattn_tensor_row grow_tensors[] = {
    {"x", "f32", grow_x, 0, 1, 0, kDLFloat, 32},
    {"z", "f32", grow_z, 0, 1, 0, kDLFloat, 32},
    {"y", "f32", grow_y, 0, 1, 1, kDLFloat, 32}};

// `fill`: y [K L M N]. It launches nothing.
static const struct mixattn_dim_row fill_dims[] = {
    {"K", 0, INT32_MAX, {0}, 0, 0, 0},
    {"L", 0, INT32_MAX, {0}, 0, 0, 0},
    {"M", 0, INT32_MAX, {0}, 0, 0, 0},
    {"N", 0, INT32_MAX, {0}, 0, 0, 0}};
static const int64_t fill_y[] = {NAMED(0), NAMED(1), NAMED(2), NAMED(3)};
static const struct mixattn_tensor_row fill_tensors[] = {
    {"y", "f32", fill_y, 0, 4, 1, kDLFloat, 32}};

static const struct mixattn_launch_row launches[] = {
    {"terms",
     {EXPRESSION(b), EXPRESSION(one), EXPRESSION(one)},
     {0},
     terms_parameters,
     COUNT(terms_parameters),
     {128, 1, 1},
     {1, 1, 1}},
    {"attend",
     {EXPRESSION(tiles), EXPRESSION(heads), EXPRESSION(one)},
     EXPRESSION(key_bytes),
     attend_parameters,
     COUNT(attend_parameters),
     {384, 1, 1},
     {1, 1, 1}},
    {"copy",
     {EXPRESSION(copy_blocks), EXPRESSION(one), EXPRESSION(one)},
     {0},
     copy_parameters,
     COUNT(copy_parameters),
     {32, 2, 1},
     {2, 1, 1}},
    {"copy",
     {EXPRESSION(fewer_blocks), EXPRESSION(one), EXPRESSION(one)},
     {0},
     copy_parameters,
     COUNT(copy_parameters),
     {32, 1, 1},
     {1, 1, 1}},
    {"first_half",
     {EXPRESSION(multiprocessors), EXPRESSION(one), EXPRESSION(one)},
     {0},
     copy_parameters,
     COUNT(copy_parameters),
     {64, 1, 1},
     {1, 1, 1}},
    {"second_half",
     {EXPRESSION(one), EXPRESSION(one), EXPRESSION(one)},
     {0},
     copy_parameters,
     COUNT(copy_parameters),
     {64, 1, 1},
     {1, 1, 1}}};

// sm_90a copies by two launches. All else is as on the others.
enum { LAUNCHES = COUNT(launches), ALL = LAUNCHES - 2 };
static const struct mixattn_launch_range attend_launches[] = {
    {0, 2}, {0, 2}, {0, 2}};
static const struct mixattn_launch_range copy_launches[] = {
    {2, 1}, {2, 1}, {4, 2}};
static const struct mixattn_launch_range shift_launches[] = {
    {3, 1}, {3, 1}, {3, 1}};
static const struct mixattn_launch_range no_launches[] = {
    {0, 0}, {0, 0}, {0, 0}};

static const struct mixattn_entry_row entries[] = {
    {"attend", attend_tensors, COUNT(attend_tensors), attend_dims,
     COUNT(attend_dims), EXPRESSION(workspace), attend_launches},
    {"copy",
     copy_tensors,
     COUNT(copy_tensors),
     copy_dims,
     COUNT(copy_dims),
     {0},
     copy_launches},
    {"shift", copy_tensors, COUNT(copy_tensors), copy_dims, COUNT(copy_dims),
     EXPRESSION(fewer_bytes), shift_launches},
    {"grow",
     grow_tensors,
     COUNT(grow_tensors),
     grow_dims,
     COUNT(grow_dims),
     {0},
     no_launches},
    {"fill",
     fill_tensors,
     COUNT(fill_tensors),
     fill_dims,
     COUNT(fill_dims),
     {0},
     no_launches}};

// The texts that FakeCuda.c takes for code. The first line says for which GPU.
#define KERNELS                                                                \
  "terms 0 8 8 4\n"                                                            \
  "attend 1024 128 8 8 4 4 8 8 8 8 128\n"                                      \
  "copy 0 8 8\n"
static const char image_80[] = "sm_80 0\n" KERNELS;
static const char image_86[] = "sm_86 0\n" KERNELS;
static const char image_90a[] = "sm_90a 0\n" KERNELS "first_half 0 8 8\n"
                                "second_half 0 8 8\n";
static const struct mixattn_target_row targets[] = {
    {"sm_80", image_80, {0, ALL}, 80, MIXATTN_REACH_LATER},
    {"sm_86", image_86, {0, ALL}, 86, MIXATTN_REACH_ITS_MAJOR},
    {"sm_90a", image_90a, {0, LAUNCHES}, 90, MIXATTN_REACH_ITS_OWN}};

static uint64_t contexts[MIXATTN_MOST_CONTEXTS];
static int64_t context_targets[MIXATTN_MOST_CONTEXTS];
static int64_t context_multiprocessors[MIXATTN_MOST_CONTEXTS];
static struct mixattn_kernel_state kernels[MIXATTN_MOST_CONTEXTS * LAUNCHES];
static const struct mixattn_library library = {
    .targets = targets,
    .target_count = COUNT(targets),
    .least_driver = 12000,
    .entries = entries,
    .launches = launches,
    .launch_count = LAUNCHES,
    .contexts = contexts,
    .context_targets = context_targets,
    .context_multiprocessors = context_multiprocessors,
    .kernels = kernels};

ENTRY(attend, 0)
ENTRY(copy, 1)
ENTRY(shift, 2)
ENTRY(grow, 3)
ENTRY(fill, 4)
