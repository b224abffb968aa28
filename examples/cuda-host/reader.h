// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the names, lists and sizes of a manifest. A SIZE of it becomes a number
// here, because the dims and the GPU are known. Each function ends the program
// where it cannot do its work.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_READER_H
#define MIXATTN_EXAMPLES_CUDA_HOST_READER_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_DIMS = 8, NAME_BYTES = 256 };

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

// The manifest's file, the sizes of its dims, and how many multiprocessors the
// GPU has.
struct reader {
  const char *path;
  struct dims *dims;
  int multiprocessors;
};

// `value` is not what is expected; NULL is not there.
_Noreturn void reader_reject(const struct reader *reader, const char *expected,
                             const char *value);

void reader_name(const struct reader *reader, const char *value,
                 char name[NAME_BYTES]);

// The number of items of the list that has this name, which may be `most`.
int reader_count(const struct reader *reader, const char *list,
                 const char *name, int most);

// The number that a SIZE is.
int64_t reader_evaluate(const struct reader *reader, const char *value);

// The same from `low`, which is 0 or 1, to 2^31 - 1.
int64_t reader_size(const struct reader *reader, const char *value,
                    int64_t low);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_READER_H
