/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A libcuda.so.1 for tests of the launcher: it runs nothing, but records what
 * it is asked for, and fails where a test wants it to. */
#ifndef MIXATTN_TEST_LAUNCHER_FAKE_CUDA_H
#define MIXATTN_TEST_LAUNCHER_FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  FAKE_DEVICES = 2,
  FAKE_CONTEXTS = 80,
  FAKE_FUNCTIONS = 512,
  FAKE_LAUNCHES = 8,
  FAKE_MAPS = 8,
  FAKE_MEMORIES = 16,
  FAKE_PARAMETERS = 16
};

/* A context; `id` is what cuCtxGetId says. */
struct fake_context {
  int device;
  unsigned long long id;
};

/* The answer of cuPointerGetAttributes for the bytes from `begin` on. */
struct fake_memory {
  uint64_t begin, bytes;
  int type, device, is_managed;
};

struct fake_launch {
  char kernel[32];
  unsigned grid[3], block[3], cluster[3], shared;
  void *stream, *context;
  /* As many bytes of each as the image says. */
  unsigned char parameters[FAKE_PARAMETERS][128];
};

/* A call of cuTensorMapEncodeTiled. Byte 0 of the map that it gives is 0xA0
 * and its number. */
struct fake_map {
  int type, rank, interleave, swizzle, promotion, fill;
  uint64_t address, dims[5], strides[4];
  uint32_t box[5], element_strides[5];
};

struct fake_cuda {
  /* The function of this name fails with `error`; NULL for none. */
  const char *failing;
  int error;
  /* Maps of this rank are refused; 0 for none. */
  int refused_rank;
  int version;
  /* 10 x major + minor of every device's compute capability. */
  int capability;
  /* Of every device. */
  int multiprocessors;
  /* Bytes of shared memory that a block may have. */
  int shared;
  /* Loading and initialising take a while. */
  int is_slow;
  /* Every stream is captured: what may not be done then fails. */
  int is_capturing;
  struct fake_memory memories[FAKE_MEMORIES];
  /* The primary context of each device, then others. */
  struct fake_context contexts[FAKE_CONTEXTS];

  /* Calls so far: of cuInit, of cuModuleLoadData and cuModuleUnload, of what
   * allocates or waits, of cuDevicePrimaryCtxRetain, cuCtxSetCurrent,
   * cuFuncLoad. */
  int inits, loads, unloads, forbidden, retains, switches, function_loads;
  /* The image that was loaded last. */
  const char *image;
  /* The limit of dynamic shared memory that was set last. */
  int dynamic_shared;
  int launch_count, map_count;
  struct fake_launch launches[FAKE_LAUNCHES];
  struct fake_map maps[FAKE_MAPS];
};

/* The library's functions for tests, which look them up by these names: the
 * state as at first, the thread without a context. */
typedef struct fake_cuda *fake_cuda_reset_function(void);
/* Makes `context`, or NULL, the thread's current one; and the one that is. */
typedef void fake_cuda_use_function(struct fake_context *context);
typedef struct fake_context *fake_cuda_used_function(void);

#ifdef __cplusplus
}
#endif

#endif /* MIXATTN_TEST_LAUNCHER_FAKE_CUDA_H */
