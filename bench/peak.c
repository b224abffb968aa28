/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The most that the machine can do: multiply-adds per second, and bytes read per
 * second from a working set.
 *
 * Built by peak.py as a shared library, so that it runs in the process and
 * between the calls that are compared with it. The clock is measured in the
 * same slices, by a chain of additions that takes one cycle each. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FmaZmm, FmaYmm, DotBf16, AmxBf16, FedZmm, Kinds };
enum { MaxThreads = 256, MaxSlices = 4096 };
/* Iterations of a slice: some 50 microseconds. */
enum { SliceOfFlops = 25000, SliceOfSquares = 3000, SliceOfSteps = 400 };
enum { SliceOfCycles = 3000 };
/* Bytes that a reader prefetches ahead. */
enum { Ahead = 2048 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Additions of two registers depend on each other: 64 cycles a turn. */
static void chain(long turns) {
  uint64_t sum = 1;
  __asm__ volatile("1:\n\t.rept 64\n\tadd %2, %0\n\t.endr\n\tdec %1\n\tjnz 1b"
                   : "+r"(sum), "+r"(turns)
                   : "r"(sum)
                   : "cc");
}

/* 16 sums are more than latency times ports; operands are not zero, because
 * zeros take less power and so a higher clock. */
#define SUMS_16 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define SUMS_12 "0,1,2,3,4,5,6,7,8,9,10,11"
#define CLOBBERS                                                               \
  "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",        \
      "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

__attribute__((target("avx512f"))) static void fmaZmm(long turns) {
  const __m512 a = _mm512_set1_ps(0.9f), b = _mm512_set1_ps(1.1f);
  __asm__ volatile(".irp r," SUMS_16 "\n\tvmovaps %1, %%zmm\\r\n\t.endr\n"
                   "1:\n\t.irp r," SUMS_16
                   "\n\tvfmadd231ps %1, %2, %%zmm\\r\n\t.endr\n"
                   "\tdec %0\n\tjnz 1b"
                   : "+r"(turns)
                   : "v"(a), "v"(b)
                   : CLOBBERS);
}

__attribute__((target("avx2,fma"))) static void fmaYmm(long turns) {
  const __m256 a = _mm256_set1_ps(0.9f), b = _mm256_set1_ps(1.1f);
  __asm__ volatile("vmovaps %1, %%ymm12\n\tvmovaps %2, %%ymm13\n\t"
                   ".irp r," SUMS_12 "\n\tvmovaps %%ymm12, %%ymm\\r\n\t.endr\n"
                   "1:\n\t.irp r," SUMS_12
                   "\n\tvfmadd231ps %%ymm12, %%ymm13, %%ymm\\r\n\t.endr\n"
                   "\tdec %0\n\tjnz 1b"
                   : "+r"(turns)
                   : "m"(a), "m"(b)
                   : CLOBBERS);
}

__attribute__((target("avx512f"))) static void dotBf16(long turns) {
  const __m512i a = _mm512_set1_epi32(0x3f663f66);
  const __m512i b = _mm512_set1_epi32(0x3f8d3f8d);
  __asm__ volatile(
      ".irp r," SUMS_16 "\n\tvpxord %%zmm\\r, %%zmm\\r, %%zmm\\r\n\t.endr\n"
      "1:\n\t.irp r," SUMS_16 "\n\tvdpbf16ps %1, %2, %%zmm\\r\n\t.endr\n"
      "\tdec %0\n\tjnz 1b"
      : "+r"(turns)
      : "v"(a), "v"(b)
      : CLOBBERS);
}

/* Products of squares in registers: of 16 rows, 16 lanes and 32 terms. */
__attribute__((target("amx-tile,amx-bf16"))) static void amxBf16(long turns) {
  static const struct {
    uint8_t palette, start, unused[14];
    uint16_t bytesOfRow[16];
    uint8_t rows[16];
  } shapes = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64},
              {16, 16, 16, 16, 16, 16, 16, 16}};
  /* Squares of bf16 that are not zero. */
  static const uint32_t numbers[256] = {[0 ... 255] = 0x3f66bf8d};
  __asm__ volatile(
      "ldtilecfg %1\n\t"
      ".irp r,4,5,6,7\n\ttileloadd (%2,%3), %%tmm\\r\n\t.endr\n\t"
      ".irp r,0,1,2,3\n\ttilezero %%tmm\\r\n\t.endr\n"
      "1:\n\ttdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\t"
      "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"
      "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\t"
      "tdpbf16ps %%tmm7, %%tmm5, %%tmm3\n\t"
      "dec %0\n\tjnz 1b\n\ttilerelease"
      : "+r"(turns)
      : "m"(shapes), "r"(numbers), "r"((uint64_t)64), "m"(numbers)
      : "cc", "memory");
}

/* As products of 4 rows and 4 vectors are fed from the first cache: 64 steps,
 * each of which loads the vectors of a row on the right and broadcasts a number
 * of each row on the left. */
__attribute__((target("avx512f"))) static void fedZmm(long turns) {
  static const float left[4][64] = {[0 ... 3] = {[0 ... 63] = 1.1f}};
  static const float right[64][64] __attribute__((aligned(64))) = {
      [0 ... 63] = {[0 ... 63] = 0.9f}};
#define ROW(at, a, b, c, d)                                                    \
  "\tvbroadcastss " at "+4*step(%1), %%zmm20\n"                                \
  "\tvfmadd231ps %%zmm16, %%zmm20, %%zmm" a "\n"                               \
  "\tvfmadd231ps %%zmm17, %%zmm20, %%zmm" b "\n"                               \
  "\tvfmadd231ps %%zmm18, %%zmm20, %%zmm" c "\n"                               \
  "\tvfmadd231ps %%zmm19, %%zmm20, %%zmm" d "\n"
  __asm__ volatile(
      ".irp r," SUMS_16 "\n\tvpxord %%zmm\\r, %%zmm\\r, %%zmm\\r\n\t.endr\n"
      "1:\n\t.set step, 0\n\t.rept 64\n"
      "\tvmovups 256*step(%2), %%zmm16\n\tvmovups 256*step+64(%2), %%zmm17\n"
      "\tvmovups 256*step+128(%2), %%zmm18\n"
      "\tvmovups 256*step+192(%2), %%zmm19\n"
      ROW("0", "0", "1", "2", "3") ROW("256", "4", "5", "6", "7")
      ROW("512", "8", "9", "10", "11") ROW("768", "12", "13", "14", "15")
      "\t.set step, step+1\n\t.endr\n\tdec %0\n\tjnz 1b"
      : "+r"(turns)
      : "r"(left), "r"(right), "m"(left), "m"(right)
      : CLOBBERS, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20");
#undef ROW
}

/* Floating-point operations of a turn; of a cycle with two ports, or with the
 * one unit of AMX, which takes 16 cycles for a product; turns of a slice. */
static const struct {
  void (*run)(long);
  double perTurn, perCycle;
  long turns;
} kernels[Kinds] = {{fmaZmm, 16 * 32, 64, SliceOfFlops},
                    {fmaYmm, 12 * 16, 32, SliceOfFlops},
                    {dotBf16, 16 * 64, 128, SliceOfFlops},
                    {amxBf16, 4 * 16384, 1024, SliceOfSquares},
                    {fedZmm, 64 * 16 * 32, 64, SliceOfSteps}};

__attribute__((target("avx512f"))) static float readZmm(const char *data,
                                                        uint64_t bytes) {
  __m512 s[8];
  for (int i = 0; i < 8; ++i)
    s[i] = _mm512_setzero_ps();
  for (uint64_t at = 0; at + 512 <= bytes; at += 512)
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      _mm_prefetch(data + at + 64 * i + Ahead, _MM_HINT_T0);
      s[i] = _mm512_max_ps(s[i], _mm512_loadu_ps(data + at + 64 * i));
    }
  for (int i = 1; i < 8; ++i)
    s[0] = _mm512_max_ps(s[0], s[i]);
  return _mm512_reduce_max_ps(s[0]);
}

__attribute__((target("avx2"))) static float readYmm(const char *data,
                                                     uint64_t bytes) {
  __m256 s[8];
  for (int i = 0; i < 8; ++i)
    s[i] = _mm256_setzero_ps();
  for (uint64_t at = 0; at + 256 <= bytes; at += 256)
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      if (i % 2 == 0)
        _mm_prefetch(data + at + 32 * i + Ahead, _MM_HINT_T0);
      s[i] = _mm256_max_ps(
          s[i], _mm256_loadu_ps((const float *)(data + at + 32 * i)));
    }
  for (int i = 1; i < 8; ++i)
    s[0] = _mm256_max_ps(s[0], s[i]);
  float lanes[8];
  _mm256_storeu_ps(lanes, s[0]);
  return lanes[0];
}

/* One thread of a measurement, on a CPU of its own. */
typedef struct {
  int cpu, kind;
  double seconds;
  const char *data;
  uint64_t bytes;
  pthread_barrier_t *start;
  /* Medians over the slices: work per second and cycles per second. */
  double rate, hertz;
} Worker;

static int less(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, less);
  return values[count / 2];
}

static double timeOf(void (*run)(long), long turns) {
  double start = now();
  run(turns);
  return now() - start;
}

static void countFlops(Worker *w) {
  static _Thread_local double rates[MaxSlices], clocks[MaxSlices];
  int count = 0;
  for (double end = now() + w->seconds; count < MaxSlices && now() < end;
       ++count) {
    clocks[count] = 64.0 * SliceOfCycles / timeOf(chain, SliceOfCycles);
    long turns = kernels[w->kind].turns;
    rates[count] = kernels[w->kind].perTurn * (double)turns /
                   timeOf(kernels[w->kind].run, turns);
  }
  w->rate = median(rates, count);
  w->hertz = median(clocks, count);
}

static void countBytes(Worker *w) {
  static _Thread_local double rates[MaxSlices];
  volatile float sink = 0;
  int wide = __builtin_cpu_supports("avx512f");
  int count = 0;
  for (double end = now() + w->seconds;
       count < MaxSlices && (count < 3 || now() < end); ++count) {
    double start = now();
    sink = wide ? readZmm(w->data, w->bytes) : readYmm(w->data, w->bytes);
    rates[count] = (double)w->bytes / (now() - start);
  }
  (void)sink;
  w->rate = median(rates, count);
}

static void *work(void *argument) {
  Worker *w = argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(w->cpu, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  pthread_barrier_wait(w->start);
  if (w->data)
    countBytes(w);
  else
    countFlops(w);
  return NULL;
}

/* Runs `threads` workers at once, each on one of the CPUs that this process may
 * use, and adds up what they do. Returns 0, or -1 where there are not so many
 * CPUs or threads. */
static int runAll(Worker model, int threads, double *rate, double *hertz) {
  static Worker workers[MaxThreads];
  pthread_t ids[MaxThreads];
  pthread_barrier_t start;
  cpu_set_t allowed;
  if (threads < 1 || threads > MaxThreads ||
      sched_getaffinity(0, sizeof allowed, &allowed) ||
      CPU_COUNT(&allowed) < threads)
    return -1;
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  uint64_t share = model.bytes / (uint64_t)threads / 512 * 512;
  for (int i = 0, cpu = 0; i < threads; ++i, ++cpu) {
    while (!CPU_ISSET(cpu, &allowed))
      ++cpu;
    workers[i] = model;
    workers[i].cpu = cpu;
    workers[i].start = &start;
    workers[i].bytes = share;
    if (model.data)
      workers[i].data = model.data + share * (uint64_t)i;
    if (pthread_create(&ids[i], NULL, work, &workers[i]))
      abort();
  }
  *rate = *hertz = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    *rate += workers[i].rate;
    *hertz += workers[i].hertz / threads;
  }
  pthread_barrier_destroy(&start);
  return 0;
}

/* Whether the CPU has AMX, and Linux lets this process use it
 * (ARCH_REQ_XCOMP_PERM for the data of tiles). */
static int mayUseAmx(void) {
  return syscall(SYS_arch_prctl, 0x1023, 18) == 0;
}

/* Whether this CPU has the instructions of a kind. */
int peakHas(int kind) {
  switch (kind) {
  case FmaZmm:
  case FedZmm:
    return __builtin_cpu_supports("avx512f");
  case FmaYmm:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case DotBf16:
    return __builtin_cpu_supports("avx512bf16");
  case AmxBf16:
    return mayUseAmx();
  }
  return 0;
}

/* Operations per second of a kind on `threads` CPUs, and the share of clock,
 * lanes and two ports that this is. */
int peakFlops(int kind, int threads, double seconds, double *rate,
              double *share, double *hertz) {
  if (!peakHas(kind))
    return -1;
  Worker model = {.kind = kind, .seconds = seconds};
  int failed = runAll(model, threads, rate, hertz);
  if (!failed)
    *share = *rate / (*hertz * kernels[kind].perCycle * threads);
  return failed;
}

/* Bytes per second that `threads` CPUs read, each its part of `data` again and
 * again. */
int peakRead(const void *data, uint64_t bytes, int threads, double seconds,
             double *rate) {
  double hertz;
  Worker model = {.seconds = seconds, .data = data, .bytes = bytes};
  return runAll(model, threads, rate, &hertz);
}
