// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads a module and looks its kernels up.
#include "code.h"

// A kernel that takes more dynamic shared memory, in bytes, must be allowed it.
enum { SHARED_WITHOUT_ASKING = 48 << 10 };

void code_load(struct code *code, const struct driver *driver,
               const struct entry *entry, const void *image) {
  driver_check(driver, driver->cuModuleLoadData(&code->module, image),
               "the code");
  for (int i = 0; i < entry->launch_count; ++i) {
    const struct launch *launch = &entry->launches[i];
    CUfunction *function = &code->functions[i];
    driver_check(
        driver,
        driver->cuModuleGetFunction(function, code->module, launch->kernel),
        launch->kernel);
    if (launch->shared > SHARED_WITHOUT_ASKING)
      driver_check(driver,
                   driver->cuFuncSetAttribute(
                       *function,
                       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       (int)launch->shared),
                   "shared memory");
  }
}
