// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declarations that the launcher's files share.
//
//   launcher.c     the functions that an artifact's entries call
//   message.c      one sentence for the caller
//   tensors.c      what a tensor must be like
//   driver.c       libcuda.so.1: its functions, contexts and pointers
//   modules.c      the code in a context
//   expressions.c  sizes that depend on dims
//   launch.c       a kernel's parameters and its launch

#ifndef MIXATTN_LIB_TARGET_LAUNCHER_LAUNCHER_H
#define MIXATTN_LIB_TARGET_LAUNCHER_LAUNCHER_H

#include "lib/Runtime/cuda.h"
#include "lib/Target/launcher/table.h"

#include <stdbool.h>

// The functions of CUDA's driver. Of the later ones a table that needs the
// first two asks for a driver that has them.
struct mixattn_driver {
#define MIXATTN_FIELD(name, parameters) CUresult(*name) parameters;
  MIXATTN_CUDA_DEVICE_FUNCTIONS(MIXATTN_FIELD)
  MIXATTN_CUDA_LAUNCH_FUNCTIONS(MIXATTN_FIELD)
  MIXATTN_CUDA_LATER_FUNCTIONS(MIXATTN_FIELD)
#undef MIXATTN_FIELD
  // 1000 x major + 10 x minor.
  int version;
};

// One call of a function of the ABI. It lives on the stack: a call allocates
// nothing.
struct mixattn_request {
  const struct mixattn_library *library;
  // NULL in a call of prepare.
  const struct mixattn_entry_row *entry;
  const DLTensor *const *tensors;
  // The caller's, with 0 in the fields that it lacks.
  mixattn_call call;
  // Sizes of the entry's dims, -1 until a tensor has told.
  int64_t dims[MIXATTN_MOST_DIMS];
  // Bytes that the entry takes of the caller.
  int64_t workspace_bytes;
  // The number of the CUDA device, and the driver's name of it.
  int32_t device;
  CUdevice handle;
  const struct mixattn_driver *driver;
  // The context that is current in the thread, and the caller's, which comes
  // back.
  CUcontext context, previous;
  // The number of the target whose code the context has.
  int64_t target;
  // Those of the device, once the code is loaded.
  int64_t multiprocessors;
  // The kernels in the context, one for each launch of the library.
  const struct mixattn_kernel_state *kernels;
};

// message.c. Each writes the sentence, which ends nowhere in a full stop, into
// the caller's message and returns `code`, or 1 + the number of the tensor.
#define MIXATTN_PRINTS(text, first)                                            \
  __attribute__((format(printf, text, first))) MIXATTN_HIDDEN

MIXATTN_PRINTS(3, 4)
int32_t mixattn_fail(const struct mixattn_request *request, int32_t code,
                     const char *format, ...);
// The sentence begins with "argument 'NAME': ".
MIXATTN_PRINTS(3, 4)
int32_t mixattn_fail_tensor(const struct mixattn_request *request,
                            int64_t tensor, const char *format, ...);
// The sentence ends with the name and the text of the driver's `error`.
MIXATTN_PRINTS(4, 5)
int32_t mixattn_fail_driver(const struct mixattn_request *request, int32_t code,
                            CUresult error, const char *format, ...);
// "argument" or "result", which goes before the tensor's name.
MIXATTN_HIDDEN const char *
mixattn_kind_of(const struct mixattn_tensor_row *row);

// tensors.c. Both read the sizes of the dims; the first looks at nothing but
// shapes, the second finds the device, too.
MIXATTN_HIDDEN int32_t mixattn_check_shapes(struct mixattn_request *request);
MIXATTN_HIDDEN int32_t mixattn_check_tensors(struct mixattn_request *request);
MIXATTN_HIDDEN bool mixattn_is_empty(const struct mixattn_request *request,
                                     int64_t tensor);
// The address of the first element.
MIXATTN_HIDDEN uint64_t
mixattn_address_of(const struct mixattn_request *request, int64_t tensor);
// In elements.
MIXATTN_HIDDEN int64_t mixattn_stride_of(const struct mixattn_request *request,
                                         int64_t tensor, int32_t dim);

// driver.c. The driver's functions, loaded once a process.
MIXATTN_HIDDEN int32_t mixattn_open_driver(struct mixattn_request *request);
// Makes a context of the device current: the one that is so already, else its
// primary context; and gives the caller's back.
MIXATTN_HIDDEN int32_t mixattn_enter(struct mixattn_request *request);
MIXATTN_HIDDEN void mixattn_leave(const struct mixattn_request *request);
// Checks the addresses of tensors, workspace and status word.
MIXATTN_HIDDEN int32_t
mixattn_check_pointers(const struct mixattn_request *request);

// modules.c. Loads the code of the target that suits the device into the
// context at its first use.
MIXATTN_HIDDEN int32_t mixattn_load(struct mixattn_request *request);

// expressions.c. False where the value, or one on the way, needs more bits.
MIXATTN_HIDDEN bool mixattn_evaluate(const struct mixattn_request *request,
                                     struct mixattn_expression expression,
                                     int64_t *value);

// launch.c. The launches of the entry, in order, or none.
MIXATTN_HIDDEN int32_t mixattn_launch(const struct mixattn_request *request);

#endif // MIXATTN_LIB_TARGET_LAUNCHER_LAUNCHER_H
