/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* events LIBRARY NAME: calls entry NAME, which takes and gives four f32, on one
 * thread: without room for events, with room for one, and with room for all. */
#include "lib/Runtime/abi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what) {
  printf("failed: %s\n", what);
  return 1;
}

int main(int argc, char **argv) {
  char name[64];
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library)
    return fail("load");
  snprintf(name, sizeof(name), "mixattn_%s", argv[2]);
  mixattn_entry entry = (mixattn_entry)dlsym(library, name);
  snprintf(name, sizeof(name), "mixattn_profile_of_%s", argv[2]);
  mixattn_profile **place = (mixattn_profile **)dlsym(library, name);
  if (!entry || !place || *place)
    return fail("symbols");

  float x[4] = {1, 2, 3, 4}, y[4];
  int64_t shape[1] = {4};
  DLTensor tensors[2];
  memset(tensors, 0, sizeof(tensors));
  for (int i = 0; i < 2; ++i) {
    tensors[i].data = i ? y : x;
    tensors[i].device.device_type = kDLCPU;
    tensors[i].ndim = 1;
    tensors[i].dtype.code = kDLFloat;
    tensors[i].dtype.bits = 32;
    tensors[i].dtype.lanes = 1;
    tensors[i].shape = shape;
  }
  const DLTensor *all[2] = {&tensors[0], &tensors[1]};
  if (entry(all, 2, NULL) != 0)
    return fail("call");

  enum { most = 16 };
  mixattn_event events[most];
  uint64_t all_events = 0;
  for (int i = 0; i < 3; ++i) {
    memset(events, 0xff, sizeof(events));
    uint64_t room = i == 2 ? all_events : (uint64_t)i;
    mixattn_profile profile = {room, 0, room ? events : NULL};
    *place = &profile;
    if (entry(all, 2, NULL) != 0)
      return fail("call with room");
    *place = NULL;
    if (i == 0)
      all_events = profile.count;
    if (all_events < 2 || all_events >= most || profile.count != all_events)
      return fail("count");
    for (uint64_t j = 0; j < most; ++j) {
      int is_written = events[j].begin != UINT64_MAX;
      if (is_written != (j < room))
        return fail("room");
      if (is_written && events[j].end < events[j].begin)
        return fail("clock");
      if (is_written && events[j].thread != 0 &&
          events[j].thread != MIXATTN_NO_THREAD)
        return fail("thread");
      if (is_written && events[j].number >= all_events)
        return fail("number");
    }
  }
  puts("ok");
  return 0;
}
