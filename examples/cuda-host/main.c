// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches compiled attention on a GPU from C11. All it has of mixattn are the
// code and the manifest that says how to launch it.
//
//   sed s/f32/bf16/g examples/variants/softmax.mlir > softmax.mlir
//   mixattn-compile softmax.mlir --target=sm_80 -o softmax.cubin
//   cc -std=c11 examples/cuda-host/*.c -ldl -lm -o cuda-host
//   ./cuda-host softmax.cubin softmax.json B=2 N=150 S=200
#include "attention.h"
#include "driver.h"
#include "fail.h"
#include "manifest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: cuda-host CODE MANIFEST DIM=SIZE ...\n"
    "\n"
    "Runs softmax attention of bf16 on the first GPU and compares its result\n"
    "with the formula's. CODE is a .cubin, .fatbin or .ptx of "
    "mixattn-compile,\n"
    "MANIFEST the .json next to it; every dynamic dim takes a size.\n"
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

static void *allocate(int64_t count, size_t size) {
  void *data = calloc((size_t)count, size);
  if (!data)
    fail("there is no memory for %lld elements", (long long)count);
  return data;
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

// A tensor here, and on the device.
struct memory {
  uint16_t *data;
  CUdeviceptr address;
  size_t bytes;
};

// One of 256 numbers from -1 to below 1, all exact in bf16.
static float random_number(void) {
  static uint32_t state = 1;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return ((float)(state >> 24) - 128) / 128;
}

// Fills what goes in with numbers, and what comes out with NaN.
static void fill(const struct entry *entry, int number, uint16_t *data) {
  // Larger queries make weights that differ more.
  float factor = number == entry->attention.query ? 4 : 1;
  for (int64_t i = 0; i < entry->tensors[number].elements; ++i)
    data[i] = number == entry->attention.result
                  ? UINT16_MAX
                  : to_bf16(factor * random_number());
}

static void upload(const struct driver *driver, const struct entry *entry,
                   int number, struct memory *memory) {
  int64_t elements = entry->tensors[number].elements;
  memory->data = allocate(elements, sizeof *memory->data);
  memory->bytes = (size_t)elements * sizeof *memory->data;
  fill(entry, number, memory->data);
  driver_check(driver, driver->cuMemAlloc_v2(&memory->address, memory->bytes),
               "memory");
  driver_check(
      driver,
      driver->cuMemcpyHtoD_v2(memory->address, memory->data, memory->bytes),
      "a copy to the device");
}

// Whether alignment divides the address and the strides, as the kernel trusts.
static bool is_aligned(const struct tensor *tensor, uint64_t address,
                       int64_t alignment) {
  for (int dim = 0; dim + 1 < tensor->rank; ++dim)
    if (tensor->sizes[dim] > 1 &&
        tensor->strides[dim] * (int64_t)sizeof(uint16_t) % alignment != 0)
      return false;
  return address % (uint64_t)alignment == 0;
}

static void launch(const struct driver *driver, CUmodule module,
                   const struct entry *entry, struct launch *launch,
                   const struct memory memory[]) {
  void *values[MOST_PARAMETERS];
  for (int i = 0; i < launch->parameter_count; ++i) {
    struct parameter *parameter = &launch->parameters[i];
    values[i] = &parameter->value;
    if (parameter->tensor < 0)
      continue;
    const struct tensor *tensor = &entry->tensors[parameter->tensor];
    parameter->value.address = memory[parameter->tensor].address;
    if (!is_aligned(tensor, parameter->value.address, parameter->alignment))
      fail("%s wants rows of '%s' that lie at multiples of %lld bytes",
           launch->kernel, tensor->name, (long long)parameter->alignment);
  }
  const unsigned *grid = launch->grid, *block = launch->block;
  // The driver takes no grid without blocks.
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return;
  CUfunction function;
  driver_check(driver,
               driver->cuModuleGetFunction(&function, module, launch->kernel),
               launch->kernel);
  if (launch->shared > 48 << 10)
    driver_check(driver,
                 driver->cuFuncSetAttribute(
                     function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                     (int)launch->shared),
                 "shared memory");
  driver_check(driver,
               driver->cuLaunchKernel(function, grid[0], grid[1], grid[2],
                                      block[0], block[1], block[2],
                                      launch->shared, NULL, values, NULL),
               launch->kernel);
  printf("launched %s as %u x %u x %u blocks of %u threads\n", launch->kernel,
         grid[0], grid[1], grid[2], block[0] * block[1] * block[2]);
}

// Runs the entry, and leaves its result in `data`.
static void run(struct entry *entry, const char *code, uint16_t *data[]) {
  struct driver driver;
  CUdevice device;
  CUmodule module;
  struct memory memory[MOST_TENSORS];
  driver_open(&driver, &device);
  driver_check(&driver, driver.cuModuleLoadData(&module, code), "the code");
  for (int i = 0; i < entry->tensor_count; ++i)
    upload(&driver, entry, i, &memory[i]);
  for (int i = 0; i < entry->launch_count; ++i)
    launch(&driver, module, entry, &entry->launches[i], memory);
  driver_check(&driver, driver.cuCtxSynchronize(), "to run the kernels");
  const struct memory *result = &memory[entry->attention.result];
  driver_check(
      &driver,
      driver.cuMemcpyDtoH_v2(result->data, result->address, result->bytes),
      "a copy of the result");
  for (int i = 0; i < entry->tensor_count; ++i) {
    data[i] = memory[i].data;
    driver.cuMemFree_v2(memory[i].address);
  }
  driver.cuModuleUnload(module);
  driver.cuDevicePrimaryCtxRelease_v2(device);
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
  char *code = read_file(argv[1]), *text = read_file(argv[2]);
  struct entry *entry = allocate(1, sizeof *entry);
  manifest_read(text, argv[2], &dims, entry);
  attention_check(entry);

  uint16_t *data[MOST_TENSORS];
  run(entry, code, data);

  // Weights and result are rounded to bf16, each by at most 2^-8 of itself, and
  // no value is above 1.
  const double limit = 0x1p-7;
  double error = attention_error(entry, data);
  if (error > limit)
    fail("expected an error of at most %.1e, but got %.1e", limit, error);
  printf("error %.1e of at most %.1e\n", error, limit);

  for (int i = 0; i < entry->tensor_count; ++i)
    free(data[i]);
  free(entry);
  free(text);
  free(code);
  return 0;
}
