/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*===- abi.h - How a compiled attention is called --------------------------===
 *
 * One header for C11 and C++17. An artifact made by mixattn-compile exports
 * one function of type `mixattn_entry` per entry, named `mixattn_NAME`, and
 * one manifest: a JSON text that lists entries, arguments and results. It is
 * the content of the ELF section `.mixattn.manifest`, and of the symbol
 * `mixattn_manifest_of_NAME`, NAME being the artifact's first entry.
 *
 * A host artifact runs on the CPU that calls it. A GPU artifact launches
 * kernels on the CUDA device that its tensors lie on. Both have two functions
 * more per entry: `mixattn_workspace_NAME` and `mixattn_prepare_NAME`. A shared
 * library has each entry once more as `__tvm_ffi_NAME`, under TVM FFI's C
 * calling convention (tvm/ffi/c_api.h, TVMFFISafeCallType): all tensors as
 * values, those of arguments first; nothing as the result.
 *
 * A shared library may hold host code for several CPUs. A process takes the
 * first of the manifest's `versions` that its machine and system let it run, in
 * all calls of an entry. `mixattn_version_NAME` says which.
 *
 * A shared library may be a host artifact and a GPU artifact in one: then the
 * tensors' DLDevice says which of the two a call is of. kDLCPU is the host,
 * kDLCUDA and kDLCUDAManaged are GPUs; a tensor that lies elsewhere, or not
 * where those before it lie, is at fault. All that is said of either holds
 * then, its workspace included: mixattn_workspace_NAME looks at devices, too.
 *
 *===----------------------------------------------------------------------===*/
#ifndef MIXATTN_ABI_H
#define MIXATTN_ABI_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

/* Raised whenever the structs below, the entry's signature or the meaning of
 * its return value change. The manifest holds the artifact's value. */
#define MIXATTN_ABI_VERSION 2

/* DLPack 1.0 gives booleans the type code 6 (8 bits, 0 or 1); older headers
 * lack the name. */
#define MIXATTN_DL_BOOL 6U

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs of a call in addition to its tensors. May be NULL. */
typedef struct mixattn_call {
  /* sizeof(mixattn_call) as the caller sees it: later versions append. Fields
   * that it does not have are 0. */
  uint32_t size;
  /* CUstream that a GPU artifact launches on, NULL for the default stream; not
   * looked at by a host artifact. */
  void *stream;
  /* Memory of the caller's for intermediate values, and its size in bytes; may
   * be NULL, 0. The manifest's `workspace` says how many bytes a call takes,
   * from an address that 64 divides on. An entry that is given fewer allocates
   * its own. Calls at the same time need memory of their own each.
   *
   * That of a GPU artifact is memory of the device, at an address that 256
   * divides, and may be used again when the stream is through with the call. An
   * entry never allocates: it fails where it is given fewer bytes. */
  void *workspace;
  uint64_t workspace_bytes;
  /* Receives one sentence, NUL-terminated, when the entry fails; may be
   * NULL. message_size counts the NUL. */
  char *message;
  size_t message_size;
  /* Memory of the caller's that lasts from call to call, for parameters in the
   * order in which kernels read them, and its size in bytes; may be NULL, 0.
   * The manifest's `packed` says how many bytes an entry takes, from an address
   * that 64 divides on. An entry that is given fewer packs parameters in each
   * call. One that is given as many packs them in the first call, and leaves a
   * mark in the first 8 bytes, which are to be 0 before it. The mark tells the
   * addresses and strides of the parameters: other ones are packed anew. Who
   * changes a parameter where it lies sets these 8 bytes to 0. Once a call has
   * packed them, calls at the same time may share the memory. */
  void *packed;
  uint64_t packed_bytes;
  /* A word in memory of the device, 0 before the call, or NULL; not looked at
   * by a host artifact. Only kernels see the values of a GPU's tensors: one
   * that meets a length or an index out of its range takes the nearest that is
   * not, and leaves 1 + the index of that tensor here, the largest of these
   * where several are so. */
  uint32_t *status;
} mixattn_call;

/* Negative values that an entry returns. */
enum {
  /* `tensors` is NULL, or `count` is not arguments + results. */
  MIXATTN_ERROR_COUNT = -1,
  /* `call->size` is smaller than itself; or `status` is no word of the device;
   * or `bytes` is NULL. */
  MIXATTN_ERROR_CALL = -2,
  /* Memory for intermediate values cannot be had; or a GPU artifact was used in
   * 64 CUDA contexts of the process before. */
  MIXATTN_ERROR_MEMORY = -3,
  /* The workspace of a GPU artifact is too small, or not at an address that 256
   * divides, or no memory of the device; or the bytes that one would take are
   * out of range. */
  MIXATTN_ERROR_WORKSPACE = -4,
  /* There is no CUDA driver, or one that is too old. */
  MIXATTN_ERROR_DRIVER = -5,
  /* The CPU or the system does not let the process run this code: AMX is asked
   * for once a process. Or an artifact has no code for this CPU, where it has
   * some for several, or for the device. */
  MIXATTN_ERROR_MACHINE = -6,
  /* The CUDA driver refused something, the message has its name and text; or a
   * launch is beyond what a device takes. */
  MIXATTN_ERROR_LAUNCH = -7
};

/* An entry. `tensors` lists the arguments, then the results, in the order of
 * the manifest; every tensor, results included, is the caller's. Strides are
 * honoured in all dims but the innermost, which is contiguous; those of dims
 * of size <= 1, and of tensors without elements, are not looked at; NULL
 * strides mean row-major. Results overlap neither arguments nor each other.
 *
 * Returns 0, or 1 + the index of the tensor at fault, or a negative code
 * above. Nothing is written before all checks have passed. Re-entrant.
 *
 * A GPU artifact takes tensors of one CUDA device. It launches in the thread's
 * current context if that is of this device, else in the device's primary one,
 * and does not wait: 0 says that the driver took the launches. Strides are 0 or
 * more there, and sizes at most 2^31 - 1; those that make a grid of more than
 * 65535 blocks in y or z, as the manifest counts them, an attention of more
 * batch rows for instance, are MIXATTN_ERROR_LAUNCH. Rows that the manifest
 * wants aligned are so in every dim. */
typedef int32_t (*mixattn_entry)(const DLTensor *const *tensors, int32_t count,
                                 const mixattn_call *call);

/* `mixattn_workspace_NAME`: writes to `bytes` what a call of the entry takes as
 * `call->workspace`, of tensors of these shapes; 0 of a host artifact whose
 * manifest does not say. It looks at nothing but ranks and shapes, and at the
 * devices where there is code for both: data may be NULL. Needs no driver. Of
 * code for several CPUs it is that of the one which calls take: no more than
 * the manifest says. */
typedef int32_t (*mixattn_workspace_query)(const DLTensor *const *tensors,
                                           int32_t count, uint64_t *bytes,
                                           const mixattn_call *call);

/* `mixattn_prepare_NAME`: what goes before the first call. A GPU artifact loads
 * all of its code into the context that an entry called next by this thread
 * would launch in on CUDA device `device`. Once it has returned 0, an entry
 * neither allocates nor loads nor synchronises, and may be called while its
 * stream is captured. Without it the first entry that is called in a context
 * loads. A host artifact asks the system for what its code uses, as its first
 * call would, and does not look at `device`. Where there is code for both, a
 * negative `device` is the host. */
typedef int32_t (*mixattn_preparation)(int32_t device,
                                       const mixattn_call *call);

/* `mixattn_version_NAME`, of a library with code for several CPUs alone: the
 * number, from 0 on, of the manifest's `versions` whose code calls on the host
 * take: `call->message` receives why the first is not, where that is another.
 * Or MIXATTN_ERROR_MACHINE, where this machine runs none, and why not the last.
 */
typedef int32_t (*mixattn_version_query)(const mixattn_call *call);

/* One stretch of time in which a thread was at work on a kernel, or in which
 * a kernel ran. Times are readings of the time stamp counter. */
typedef struct mixattn_event {
  uint64_t begin, end;
  /* What ran: a stage of one of the manifest's `kernels` has this number. */
  uint32_t number;
  /* The thread, from 0 on, or MIXATTN_NO_THREAD: from before its threads began
   * until all were done. */
  uint32_t thread;
} mixattn_event;

#define MIXATTN_NO_THREAD UINT32_MAX

/* Room for events. An artifact that mixattn-compile --profile made has a symbol
 * `mixattn_profile_of_NAME`, NAME being its first entry: a `mixattn_profile *`
 * that is NULL at first. What it points to must not change while a call runs.
 */
typedef struct mixattn_profile {
  /* How many events there is room for. */
  uint64_t capacity;
  /* How many there were, also those that there was no room for. */
  uint64_t count;
  mixattn_event *events;
} mixattn_profile;

#ifdef __cplusplus
}
#endif

#endif /* MIXATTN_ABI_H */
