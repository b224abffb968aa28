// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the code that this machine runs, of that for several CPUs. CPUID:
// Intel's manual, volume 2A, and AMD's, volume 3, appendix E.
#include "lib/Target/dispatch/dispatch.h"

#include <cpuid.h>
#include <stddef.h>

// A register of an answer of CPUID; 0 where there is no answer.
static uint32_t ask(uint32_t leaf, uint32_t subleaf, uint32_t number) {
  uint32_t values[4] = {0};
  if (!__get_cpuid_count(leaf, subleaf, &values[0], &values[1], &values[2],
                         &values[3]))
    return 0;
  return values[number];
}

// XCR0: the registers that the system saves.
static uint64_t saved_state(void) {
  const uint32_t osxsave = 1u << 27;
  if (!(ask(1, 0, 2) & osxsave))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static int is_there(const struct mixattn_feature *feature) {
  uint32_t answer = ask(feature->leaf, feature->subleaf, feature->number);
  return (answer & feature->mask) >= feature->least &&
         (!feature->state ||
          (saved_state() & feature->state) == feature->state);
}

// The first feature of a version that this machine lacks, or NULL.
static const struct mixattn_feature *
missing(const struct mixattn_version *version) {
  for (int64_t i = 0; i < version->count; ++i)
    if (!is_there(&version->features[i]))
      return &version->features[i];
  return NULL;
}

// Says why the process cannot run a version: the machine does not have it all,
// or the version says itself what the system refuses.
static void explain(const struct mixattn_version *version,
                    const mixattn_call *call) {
  const struct mixattn_feature *lacking = missing(version);
  if (lacking)
    mixattn_dispatch_say(
        call, "made for CPU '%s', but this machine lacks its feature '%s'",
        version->cpu, lacking->name);
  else
    version->code.prepare(-1, call);
}

int32_t mixattn_choose_version(const struct mixattn_targets *entry,
                               const mixattn_call *call) {
  // Of one alone who loads the library knows whether it runs.
  if (entry->version_count == 1)
    return 0;
  int32_t known = __atomic_load_n(entry->chosen, __ATOMIC_RELAXED);
  if (known)
    return known - 1;
  for (int64_t i = 0; i < entry->version_count; ++i) {
    const struct mixattn_version *version = &entry->versions[i];
    if (missing(version) || version->code.prepare(-1, NULL))
      continue;
    __atomic_store_n(entry->chosen, (int32_t)i + 1, __ATOMIC_RELAXED);
    return (int32_t)i;
  }
  explain(&entry->versions[entry->version_count - 1], call);
  return MIXATTN_ERROR_MACHINE;
}

int32_t mixattn_dispatch_version(const struct mixattn_targets *entry,
                                 const mixattn_call *call) {
  int32_t number = mixattn_choose_version(entry, call);
  if (number > 0)
    explain(&entry->versions[0], call);
  return number;
}
