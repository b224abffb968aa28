// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches compiled attention on a GPU from C11. All it has of mixattn are the
// code and the manifest that says how to launch it.
//
//   sed s/f32/bf16/g examples/variants/softmax.mlir > softmax.mlir
//   mixattn-compile softmax.mlir --target=sm_80 -o softmax.cubin
//   cc -std=c11 examples/cuda-host/*.c -ldl -lm -o cuda-host
//   ./cuda-host softmax.cubin softmax.json B=2 N=150 S=200
#include "call.h"
#include "code.h"
#include "driver.h"
#include "fail.h"
#include "manifest.h"
#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: cuda-host CODE MANIFEST DIM=SIZE ...\n"
    "\n"
    "Runs attention of bf16 on the first GPU: one call, a graph, two streams.\n"
    "Compares each result with the formula's. CODE is a .cubin, .fatbin or\n"
    ".ptx of mixattn-compile, MANIFEST the .json next to it. Every dynamic\n"
    "dim takes a size.\n"
    "\n"
    "  sed s/f32/bf16/g examples/variants/softmax.mlir > softmax.mlir\n"
    "  mixattn-compile softmax.mlir --target=sm_80 -o softmax.cubin\n"
    "  cuda-host softmax.cubin softmax.json B=2 N=150 S=200\n";

void fail(const char *format, ...) {
  va_list arguments;
  fflush(stdout);
  fprintf(stderr, "cuda-host: error: ");
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

// The file's bytes, followed by a zero.
static char *read_file(const char *path) {
  enum { MOST_BYTES = 1 << 28 };
  FILE *file = fopen(path, "rb");
  if (!file)
    fail("%s cannot be read: %s", path, strerror(errno));
  size_t size = 0, room = 1 << 16;
  char *bytes = NULL;
  do {
    room *= 2;
    char *more = room <= MOST_BYTES ? realloc(bytes, room + 1) : NULL;
    if (!more)
      fail("%s cannot be read: it is too large", path);
    bytes = more;
    size += fread(bytes + size, 1, room - size, file);
  } while (size == room);
  if (ferror(file) || size == 0)
    fail("%s cannot be read: %s", path,
         ferror(file) ? strerror(errno) : "it is empty");
  fclose(file);
  bytes[size] = '\0';
  return bytes;
}

static void add_dim(struct dims *dims, const char *argument) {
  const char *sign = strchr(argument, '=');
  size_t length = sign ? (size_t)(sign - argument) : 0;
  if (length == 0 || length >= NAME_BYTES)
    fail("expected DIM=SIZE, but got '%s'", argument);
  if (dims->count == MOST_DIMS)
    fail("expected at most %d dims", MOST_DIMS);
  struct dim *dim = &dims->list[dims->count];
  memcpy(dim->name, argument, length);
  dim->name[length] = '\0';
  char *end;
  errno = 0;
  dim->size = strtoll(sign + 1, &end, 10);
  if (errno || *end || dim->size < 1 || dim->size > INT32_MAX)
    fail("expected a size from 1 to %d, but got '%s'", INT32_MAX, argument);
  for (int i = 0; i < dims->count; ++i)
    if (strcmp(dims->list[i].name, dim->name) == 0)
      fail("dim '%s' has two sizes", dim->name);
  ++dims->count;
}

static void describe(const struct entry *entry) {
  printf("a workspace of %lld bytes\n", (long long)entry->workspace_bytes);
  for (int i = 0; i < entry->launch_count; ++i) {
    const struct launch *launch = &entry->launches[i];
    const unsigned *grid = launch->grid, *block = launch->block;
    printf("launch %s as %u x %u x %u blocks of %u threads\n", launch->kernel,
           grid[0], grid[1], grid[2], block[0] * block[1] * block[2]);
  }
}

static void run(const struct driver *driver, const struct entry *entry,
                const char *image) {
  struct code code;
  struct call first, second;
  code_load(&code, driver, entry, image);
  call_open(&first, driver, &code, entry);
  call_open(&second, driver, &code, entry);

  run_once(&first);
  run_graph(&first);
  run_together(&first, &second);

  call_close(&second);
  call_close(&first);
  driver->cuModuleUnload(code.module);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    bool is_asked = argc == 2 && strcmp(argv[1], "--help") == 0;
    fputs(usage, is_asked ? stdout : stderr);
    return is_asked ? 0 : 1;
  }
  struct dims dims = {.count = 0};
  for (int i = 3; i < argc; ++i)
    add_dim(&dims, argv[i]);
  char *image = read_file(argv[1]), *text = read_file(argv[2]);
  struct entry *entry = malloc(sizeof *entry);
  if (!entry)
    fail("there is no memory for an entry");

  struct driver driver;
  CUdevice device;
  struct reader reader = {.path = argv[2], .dims = &dims};
  driver_open(&driver, &device);
  driver_check(&driver,
               driver.cuDeviceGetAttribute(
                   &reader.multiprocessors,
                   CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
               "the number of multiprocessors");
  manifest_read(&reader, text, entry);
  describe(entry);
  run(&driver, entry, image);
  driver.cuDevicePrimaryCtxRelease_v2(device);

  free(entry);
  free(text);
  free(image);
  return 0;
}
