/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of libtvm_ffi that an artifact asks for: errors are kept,
 * memory comes from the test, and everything is told. */
#include <dlpack/dlpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {
  uint64_t references;
  int32_t type;
  uint32_t padding;
  void *deleter;
  DLTensor tensor;
  int64_t size;
};

static char raised[1024];
static void *stream, *(*allocate)(int64_t);
static int64_t given, released;
/* What the allocator says when it has no memory, or NULL. */
static const char *lack;

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  snprintf(raised, sizeof(raised), "%s: %s", kind, message);
}

/* The error leaves the thread; an object of one byte stands for it. */
static char moved[sizeof(raised)];
void TVMFFIErrorMoveFromRaised(void **out) {
  *out = NULL;
  if (!raised[0])
    return;
  struct object *made = calloc(1, sizeof(*made));
  made->references = 1;
  made->size = 1;
  given += made->size;
  memcpy(moved, raised, sizeof(moved));
  raised[0] = 0;
  *out = made;
}

void TVMFFIErrorSetRaised(void *error) {
  (void)error;
  memcpy(raised, moved, sizeof(raised));
}

void *TVMFFIEnvGetStream(int32_t type, int32_t number) {
  return type == kDLCUDA && number == 0 ? stream : NULL;
}

void *TVMFFIEnvGetDLPackManagedTensorAllocator(void) {
  return (void *)allocate;
}

int TVMFFIEnvTensorAlloc(DLTensor *prototype, void **out) {
  /* Allocators know the types of devices that streams are kept of. */
  int32_t type = prototype->device.device_type;
  if ((type != kDLCPU && type != kDLCUDA) || prototype->ndim != 1 ||
      prototype->dtype.code != kDLUInt || prototype->dtype.bits != 8 ||
      prototype->dtype.lanes != 1)
    return -1;
  struct object *made = calloc(1, sizeof(*made));
  made->references = 1;
  made->type = 70;
  made->size = prototype->shape[0];
  made->tensor = *prototype;
  made->tensor.data = allocate(made->size);
  if (!made->tensor.data) {
    free(made);
    if (lack)
      TVMFFIErrorSetRaisedFromCStr("MemoryError", lack);
    return -1;
  }
  given += made->size;
  *out = made;
  return 0;
}

int TVMFFIObjectDecRef(void *object) {
  released += ((struct object *)object)->size;
  free(object);
  return 0;
}

/* For the test. */
const char *testRaised(void) {
  static char last[sizeof(raised)];
  memcpy(last, raised, sizeof(last));
  raised[0] = 0;
  return last;
}
void testLack(const char *text) { lack = text; }
void testSet(void *newStream, void *(*newAllocate)(int64_t)) {
  stream = newStream;
  allocate = newAllocate;
}
int64_t testGiven(void) { return given; }
int64_t testReleased(void) { return released; }
