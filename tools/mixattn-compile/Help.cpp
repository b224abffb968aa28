// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of --help.
#include "tools/mixattn-compile/Options.h"

const char *const mixattn::helpText =
    R"(usage: mixattn-compile FILE.mlir -o OUT [options]

Compiles the attention layers of FILE.mlir for x86-64 or for NVIDIA's GPUs. The
suffix of OUT says what to make; "-" is the standard input or output.

  .so    a shared library, with OUT.json, its manifest, and OUT.h, one typed
         C function per entry
  .o     an object, with the same two files
  none   a runner: mixattn-run with the library inside, one executable with
         the options of mixattn-run (`strip` destroys it: the library lies
         after the end of the program)
  .s     assembly        .ll   LLVM IR        .mlir   MLIR of the LLVM dialect
  .ptx   PTX for a GPU, with OUT.json, its manifest, which says how kernels
         are launched
  .cubin, .fatbin
         the same, assembled by NVIDIA's ptxas; a fatbin holds the PTX as well

  -o OUT                the file to write
  --emit=KIND           mlir, ll, s, o, so, runner, ptx, cubin or fatbin,
                        whatever OUT's suffix
  --target=NAME         LLVM's name of a 64-bit x86 CPU, for instance x86-64-v3
                        or znver4, or native, this machine's; or a GPU, for
                        instance sm_80, which makes .mlir, .ptx, .cubin,
                        .fatbin, .so and runners; default native. The last
                        three may hold code for several GPUs, each named once:
                        sm_80,sm_90a; a call takes what suits its device. The
                        last two may hold code for a CPU as well:
                        x86-64-v3,sm_80,sm_90a; the device of a call's tensors
                        decides. And for several CPUs: graniterapids,x86-64-v3;
                        a process takes the first that its machine runs, those
                        with AMX or AVX-512 before others
                        NAME+emulated-amx, for tests: code as for a CPU with AMX
                        that any CPU with AVX-512 runs, slowly
  --target-file=FILE    numbers of predictions in place of those that are known
                        of the target, as scripts/calibrate.sh measures them
  --stop-after=LEVEL    write the MLIR that leaves a level: graph, normal,
                        planned, bufferized, tiled or llvm
  --name-dim=X.0=B      a name for dim 0 of a model's input X and all dims that
                        equal it; default: the symbol that PyTorch gave it.
                        X.0=4*B where the model takes multiples of 4 alone
  --embed, --embed=FILE.safetensors
                        a .so or a runner that holds the parameters of a model,
                        or of MLIR (arguments with attn.parameter) those of
                        FILE, as kernels read them: they are no arguments then
  --entry=NAME          compile this function only; default: every public one
  -O0, -O3              LLVM's optimisation; default -O3
  --sanitize=NAME       address: code that reports accesses outside of memory,
                        each tile of a kernel taken by itself; thread: code that
                        reports races; default none. Both are slow, and run in a
                        program that holds the sanitizer's runtime only
  --cost, --cost=json   instead of code, what each op of an entry costs, as a
                        table or as JSON: parameters (arguments with
                        attn.parameter), multiply-adds, other operations of
                        floats, exps, bytes, and flops/byte; then as papers
                        count: operations, that is multiplications and
                        additions, and macs
  --explain, --explain=json
                        instead of code, every way to compute each attention:
                        predicted time, share of the peak, memory that a thread
                        takes, and by how much it loses or why there is no
                        schedule; then the plan, with the sizes at which it
                        changes
  --dim=NAME=SIZE       in these reports, the size of a dynamic dim; one that is
                        not given stays a letter of a formula, or is set to what
                        plans are compared at
  --threads=T           threads that calls are planned for; default: as many as
                        the target has cores
  --plan=ALGORITHM[,NUMBER=N]...
                        the plan of every attention: one of the algorithms
                        below, with numbers of its own; default: what the model
                        predicts to be fastest
  --no-raise            leave linalg that computes an attention as it is, not
                        one op
  --profile             code that reads the clock where a kernel begins and
                        ends; mixattn-run prints where time goes. Without it
                        nothing of that is in the code
  --cuda-path=FOLDER    where ptxas and fatbinary are, or bin/ with them;
                        default: CUDA_HOME, then PATH
  --remarks             say what every pass did, and what it did not and why;
                        that an attention takes the plain path is always said
  --version             the versions of mixattn, its ABI and LLVM
  --help                this text

FILE.mlir may also be what --stop-after=llvm wrote, or FILE.pt2, a model that
PyTorch's torch.export.save wrote: an entry named as the file, whose parameters
are arguments and go to OUT.safetensors. The exit code is 0 when all
is done, 1 after a bad input or a failure, 2 after a wrong command line. After
an internal failure OUT.reproducer.mlir holds what repeats it.

examples:
  mixattn-compile layer.mlir -o layer.so
  mixattn-compile layer.mlir -o layer && ./layer --random=1 --dim=B=2 --check
  mixattn-compile layer.mlir --target=x86-64-v4 -o layer.o
  mixattn-compile layer.mlir --target=sm_80 -o layer.ptx
  mixattn-compile layer.mlir --target=sm_80 -o layer.cubin
  mixattn-compile layer.mlir --target=sm_80,sm_90a -o layer.so
  mixattn-compile layer.mlir --target=x86-64-v3,sm_80,sm_90a -o layer.so
  mixattn-compile layer.mlir --stop-after=normal
  mixattn-compile model.pt2 --name-dim=x.0=B --name-dim=x.1=N -o model.so
  mixattn-compile model.onnx --embed -o model.so
  mixattn-compile layer.mlir --cost --dim=B=1 --dim=N=256
  mixattn-compile layer.mlir --explain --dim=N=197 --target=znver5 --threads=2
  mixattn-compile layer.mlir --target-file=this-machine.json -o layer.so
  mixattn-compile layer.mlir --plan=online,width=32,block=128 -o layer.so
  mixattn-compile - --emit=s -o - < layer.mlir | less

  mixattn-compile layer.mlir --profile -o layer.so
  mixattn-run layer.so --random=1 --dim=B=2 --repeat=20 --trace=layer.trace.json

  mixattn-compile layer.mlir --sanitize=address -o layer.so
  LD_PRELOAD=$(clang-22 -print-file-name=libclang_rt.asan-x86_64.so) \
    mixattn-run layer.so --random=1 --dim=B=2

  mixattn-compile layer.mlir --sanitize=thread -o layer.so
  LD_PRELOAD=$(clang-22 -print-file-name=libclang_rt.tsan-x86_64.so) \
    OMP_TOOL_LIBRARIES=$(clang-22 -print-file-name=libarcher.so) \
    TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
    mixattn-run layer.so --random=1 --dim=B=2

Archer tells the thread sanitizer what OpenMP's threads wait for.
)";
