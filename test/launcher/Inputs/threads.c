/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Eight threads use an artifact for the first time: half of them call an entry,
 * the others prepare it before they do. The driver is FakeCuda.c, compiled. */
#include "test/launcher/FakeCuda.h"

#include "lib/Runtime/abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 8, ROUNDS = 20 };

int32_t mixattn_attend(const DLTensor *const *tensors, int32_t count,
                       const mixattn_call *call);
int32_t mixattn_prepare_attend(int32_t device, const mixattn_call *call);

/* FakeCuda.c is told that this is memory of device 0. */
enum { MEMORY = 0x100000, EACH = 0x100000 };
static int64_t queries[] = {2, 8, 100, 64}, keys[] = {2, 8, 30, 64};
static int64_t batches[] = {2};
static const DLTensor tensors[] = {
    {(void *)MEMORY, {kDLCUDA, 0}, 4, {kDLBfloat, 16, 1}, queries, NULL, 0},
    {(void *)(MEMORY + EACH),
     {kDLCUDA, 0},
     4,
     {kDLBfloat, 16, 1},
     keys,
     NULL,
     0},
    {(void *)(MEMORY + 2 * EACH),
     {kDLCUDA, 0},
     1,
     {kDLInt, 64, 1},
     batches,
     NULL,
     0},
    {(void *)(MEMORY + 3 * EACH),
     {kDLCUDA, 0},
     4,
     {kDLFloat, 32, 1},
     queries,
     NULL,
     0}};

static pthread_barrier_t barrier;

static void *work(void *argument) {
  const DLTensor *pointers[] = {&tensors[0], &tensors[1], &tensors[2],
                                &tensors[3]};
  char message[512] = "";
  mixattn_call call = {.size = sizeof call,
                       .workspace = (void *)(MEMORY + 4 * EACH),
                       .workspace_bytes = EACH,
                       .message = message,
                       .message_size = sizeof message};
  pthread_barrier_wait(&barrier);
  /* Two come when all is loaded, and take no lock. */
  if ((intptr_t)argument >= THREADS - 2)
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
  int32_t code = 0;
  if ((intptr_t)argument % 2)
    code = mixattn_prepare_attend(0, &call);
  for (int round = 0; !code && round < ROUNDS; ++round)
    code = mixattn_attend(pointers, 4, &call);
  if (code)
    printf("%d %s\n", (int)code, message);
  return NULL;
}

int main(void) {
  void *library = dlopen(getenv("MIXATTN_LIBCUDA"), RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    return 1;
  }
  fake_cuda_reset_function *reset =
      (fake_cuda_reset_function *)dlsym(library, "fake_cuda_reset");
  struct fake_cuda *fake = reset();
  fake->memories[0] = (struct fake_memory){MEMORY, 6 * EACH, 2, 0, 0};
  fake->is_slow = 1;
  pthread_t threads[THREADS];
  pthread_barrier_init(&barrier, NULL, THREADS);
  for (intptr_t i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  printf("%d starts, %d loads, %d contexts, %d launches\n", fake->inits,
         fake->loads, fake->retains, fake->launch_count);
  return 0;
}
