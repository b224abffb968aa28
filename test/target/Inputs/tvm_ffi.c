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

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  snprintf(raised, sizeof(raised), "%s: %s", kind, message);
}

void *TVMFFIEnvGetStream(int32_t type, int32_t number) {
  return type == kDLCUDA && number == 0 ? stream : NULL;
}

void *TVMFFIEnvGetDLPackManagedTensorAllocator(void) {
  return (void *)allocate;
}

int TVMFFIEnvTensorAlloc(DLTensor *prototype, void **out) {
  if (prototype->ndim != 1 || prototype->dtype.code != kDLUInt ||
      prototype->dtype.bits != 8 || prototype->dtype.lanes != 1)
    return -1;
  struct object *made = calloc(1, sizeof(*made));
  made->references = 1;
  made->type = 70;
  made->size = prototype->shape[0];
  made->tensor = *prototype;
  made->tensor.data = allocate(made->size);
  if (!made->tensor.data) {
    free(made);
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
void testSet(void *newStream, void *(*newAllocate)(int64_t)) {
  stream = newStream;
  allocate = newAllocate;
}
int64_t testGiven(void) { return given; }
int64_t testReleased(void) { return released; }
