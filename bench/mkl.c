/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded, this makes Intel's MKL choose its kernels by what the CPU can do:
 * on a CPU that is not Intel's it takes AVX2 ones where AVX-512 is there. The
 * peers are measured with and without it, and keep what is faster. */
int mkl_serv_intel_cpu(void) { return 1; }
int mkl_serv_intel_cpu_true(void) { return 1; }
