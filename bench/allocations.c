/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded, this counts the bytes that malloc and its kin have given out, and
 * the most that they were since allocationsReset. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* glibc's own, which need no look-up. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static _Atomic int64_t live, most;

static void *added(void *block) {
  if (!block)
    return NULL;
  int64_t now = atomic_fetch_add(&live, (int64_t)malloc_usable_size(block)) +
                (int64_t)malloc_usable_size(block);
  int64_t before = atomic_load(&most);
  while (now > before && !atomic_compare_exchange_weak(&most, &before, now))
    ;
  return block;
}

static void removed(void *block) {
  if (block)
    atomic_fetch_sub(&live, (int64_t)malloc_usable_size(block));
}

void *malloc(size_t size) { return added(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) {
  return added(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size) {
  int64_t before = block ? (int64_t)malloc_usable_size(block) : 0;
  void *moved = __libc_realloc(block, size);
  if (moved || size == 0)
    atomic_fetch_sub(&live, before);
  return added(moved);
}

void *memalign(size_t alignment, size_t size) {
  return added(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = memalign(alignment, size);
  return *block || size == 0 ? 0 : ENOMEM;
}

void free(void *block) {
  removed(block);
  __libc_free(block);
}

/* Counts anew: from here on, allocationsMost is what was added at most. */
void allocationsReset(void) {
  atomic_store(&live, 0);
  atomic_store(&most, 0);
}

int64_t allocationsMost(void) { return atomic_load(&most); }
