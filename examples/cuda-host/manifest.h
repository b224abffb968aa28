// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A manifest's launches for known dims: sizes are numbers here.
// Parts of it that this program does not use are passed over.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_MANIFEST_H
#define MIXATTN_EXAMPLES_CUDA_HOST_MANIFEST_H

#include <stdbool.h>
#include <stdint.h>

enum {
  MOST_DIMS = 8,
  MOST_RANK = 8,
  MOST_TENSORS = 8,
  MOST_LAUNCHES = 8,
  MOST_PARAMETERS = 64,
  NAME_BYTES = 256
};

// A dim that the caller has given a size.
struct dim {
  char name[NAME_BYTES];
  int64_t size;
  // Whether the entry has it.
  bool is_used;
};

struct dims {
  int count;
  struct dim list[MOST_DIMS];
};

// An argument or a result, packed: the last dim is the innermost. Strides
// count elements.
struct tensor {
  char name[NAME_BYTES], dtype[NAME_BYTES];
  int rank;
  int64_t sizes[MOST_RANK], strides[MOST_RANK], elements;
};

// An argument of a kernel. The driver takes the address of `value`, and knows
// how many bytes the kernel reads there.
struct parameter {
  // The number of the tensor whose address it is, -1 if it is a number.
  int tensor;
  int64_t alignment;
  union {
    uint64_t address;
    int64_t i64;
    int32_t i32;
  } value;
};

struct launch {
  char kernel[NAME_BYTES];
  unsigned grid[3], block[3], shared;
  int parameter_count;
  struct parameter parameters[MOST_PARAMETERS];
};

// softmax(scale * query * key^T) * value: the numbers of the tensors.
struct attention {
  int query, key, value, result;
  double scale;
};

struct entry {
  char name[NAME_BYTES];
  int tensor_count, launch_count;
  struct tensor tensors[MOST_TENSORS];
  struct launch launches[MOST_LAUNCHES];
  struct attention attention;
};

// Reads the one entry of the manifest `text`, which came from `path`. Ends the
// program where it cannot.
void manifest_read(const char *text, const char *path, struct dims *dims,
                   struct entry *entry);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_MANIFEST_H
