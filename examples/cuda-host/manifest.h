// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of a manifest that a launch needs, for known dims and a known GPU:
// sizes are numbers here. Parts that this program does not use are passed over.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_MANIFEST_H
#define MIXATTN_EXAMPLES_CUDA_HOST_MANIFEST_H

#include "attention.h"
#include "reader.h"

#include <stdint.h>

enum {
  MOST_RANK = 8,
  MOST_TENSORS = 8,
  MOST_LAUNCHES = 16,
  MOST_PARAMETERS = 64,
  // Of a tensor map; the driver takes no more.
  MOST_MAP_DIMS = 5
};

// An argument or a result, packed: the last dim is the innermost. Strides
// count elements.
struct tensor {
  char name[NAME_BYTES], dtype[NAME_BYTES];
  int rank;
  int64_t sizes[MOST_RANK], strides[MOST_RANK], elements;
};

enum parameter_kind {
  // `number` itself.
  PARAMETER_NUMBER,
  // The address of the first element of `tensor`.
  PARAMETER_POINTER,
  // The address of the byte `number` of the workspace, counted from 0.
  PARAMETER_WORKSPACE,
  // 128 bytes that the driver makes: how to copy boxes of `tensor`.
  PARAMETER_TENSOR_MAP
};

// The shape of a tensor map, the innermost dim first. `strides`, in bytes, are
// those of all dims but the first. `box` are the elements of each dim that a
// copy takes, `swizzle` the bytes of a row that are swizzled.
struct tensor_map {
  uint32_t rank, box[MOST_MAP_DIMS];
  uint64_t dims[MOST_MAP_DIMS], strides[MOST_MAP_DIMS];
  int swizzle;
};

// An argument of a kernel.
struct parameter {
  enum parameter_kind kind;
  int64_t number;
  // Which tensor it is, counted from 0. A tensor map of -1 is of what lies
  // `number` bytes from the start of the workspace on.
  int tensor;
  // What a pointer and the tensor's strides are multiples of, in bytes.
  int64_t alignment;
  struct tensor_map map;
};

struct launch {
  char kernel[NAME_BYTES];
  // `grid` counts blocks, `block` threads; `shared` are bytes.
  unsigned grid[3], block[3], shared;
  int parameter_count;
  struct parameter parameters[MOST_PARAMETERS];
};

struct entry {
  char name[NAME_BYTES];
  int tensor_count, launch_count;
  struct tensor tensors[MOST_TENSORS];
  // To be launched in this order.
  struct launch launches[MOST_LAUNCHES];
  // Bytes of memory that launches hand their intermediate values on in.
  int64_t workspace_bytes;
  // What the entry computes.
  struct attention attention;
};

// Reads the one entry of the manifest `text`. Ends the program where it cannot.
void manifest_read(const struct reader *reader, const char *text,
                   struct entry *entry);

// Whether the grid has no blocks: the driver takes no such launch, and the call
// has none. So are those of a case of the plan that the sizes do not take.
bool launch_is_empty(const struct launch *launch);

// Reads the list "launches" of `object`, after the tensors and the workspace.
void manifest_read_launches(const struct reader *reader, const char *object,
                            struct entry *entry);

// The number of the entry's tensor of that name.
int manifest_find_tensor(const struct reader *reader, const char *name,
                         const struct entry *entry);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_MANIFEST_H
