// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of `mixattn-run --help`.
#include "tools/mixattn-run/Options.h"

const char *const mixattn::helpText =
    R"(Runs an attention compiled by mixattn-compile on real data.

usage: mixattn-run ARTIFACT [options]
       RUNNER [options]             a compiled runner carries its artifact

what to run
  --entry=NAME                      which entry; not needed if there is one
  --describe                        prints the manifest and stops; with --dim,
                                    the bytes that a call takes
  --device=cpu|cuda:N               where it runs; N, or cuda:N, is the GPU of
                                    that number. Without it the CPU, and GPU 0
                                    if there is no code for a CPU

arguments, bound by name
  --input=NAME=FILE.npy             one argument
  --inputs=FILE.npz                 several; a surplus name is an error
  --weights=FILE.safetensors        several; a surplus name is a warning
  --random=SEED                     draws what is not bound: floats standard
                                    normal, integers within their range (0 to 9
                                    without one), booleans even, and what must
                                    hold of values, such as priors, as it must
  --dim=NAME=SIZE                   size of a dynamic dim

results
  --output=NAME=FILE.npy            one result
  --outputs=FILE.npz|.safetensors   all results; '-' is an .npz
  --json=FILE                       figures of the run, one JSON object

checks
  --check                           compares with the built-in reference; limit
                                    2^-22 (8 + s) of the largest result, s the
                                    largest score whose weight f32 can hold,
                                    plus 2^-10 for f16 and 2^-7 for bf16, and
                                    2^-133, 2^-24 for f16, 2^-110 for bf16 as
                                    such; a limit of 1 or more fails
  --expect=NAME=FILE.npy            compares a result with given values
  --tolerance=X                     limit of --expect; default as above, s = 0
  --guard                           runs with every tensor flush against an
                                    inaccessible page at its end, then at its
                                    start; both runs must agree bit by bit; on
                                    a GPU between 256 bytes that must stay
  --repeat=R                        times R calls: median, minimum, GFLOP/s
  --pack-each-call                  gives no memory for packed parameters, which
                                    else are packed in the first call

where time goes, if mixattn-compile --profile made the artifact
  --repeat=R                        prints for each kernel its share and mean
                                    time, operations and bytes a second, runs,
                                    threads, the share of its time in which they
                                    work, and the place of its op; R is 1 at
                                    least
  --trace=FILE.json                 the last call as a timeline, threads as
                                    rows, for chrome://tracing and
                                    ui.perfetto.dev

  --version, --help

The file '-' is standard input or output. bf16 in .npy is a two-byte void (V2).
Results are written when everything has been computed, or not at all. strip
destroys a compiled runner. OMP_NUM_THREADS sets the number of threads. Code
for a GPU runs by libcuda.so.1, or the library that MIXATTN_LIBCUDA names.
Exit code: 0 done, 1 bad input, failed run or failed check, 2 command line.

examples
  mixattn-run layer.so --describe
  mixattn-run layer.so --random=1 --dim=B=2 --dim=N=197 --dim=S=197 --check
  mixattn-run layer.so --input=q=q.npy --input=k=k.npy --input=v=v.npy \
      --output=o=o.npy
  mixattn-run model.so --entry=layer3 --weights=model.safetensors \
      --inputs=batch.npz --outputs=results.npz
  mixattn-run layer.so --random=1 --dim=B=1 --dim=N=4096 --dim=S=4096 \
      --repeat=20 --json=-
  mixattn-compile layer.mlir --profile -o layer.so && mixattn-run layer.so \
      --random=1 --dim=B=1 --dim=N=4096 --dim=S=4096 --repeat=20 \
      --trace=layer.trace.json
)";
