// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a program that cannot go on.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_FAIL_H
#define MIXATTN_EXAMPLES_CUDA_HOST_FAIL_H

// Prints one sentence, as printf has it, and ends the program with status 1.
_Noreturn void fail(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

#endif // MIXATTN_EXAMPLES_CUDA_HOST_FAIL_H
