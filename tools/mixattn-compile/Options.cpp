// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of mixattn-compile.
#include "tools/mixattn-compile/Options.h"

#include "dialect/attn/AttnOps.h"
#include "passes/plan/Planner.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

using namespace mixattn;
using llvm::StringRef;

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
                        decides
                        NAME+emulated-amx, for tests: code as for a CPU with AMX
                        that any CPU with AVX-512 runs, slowly
  --target-file=FILE    numbers of predictions in place of those that are known
                        of the target, as scripts/calibrate.sh measures them
  --stop-after=LEVEL    write the MLIR that leaves a level: graph, normal,
                        planned, bufferized, tiled or llvm
  --name-dim=X.0=B      a name for dim 0 of a model's input X and all dims that
                        equal it; default: the symbol that PyTorch gave it
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

namespace {
/// A word of --emit, which is also a suffix.
struct KindName {
  StringRef name;
  std::optional<ArtifactKind> kind;
};

/// The options of the command line that depend on each other.
struct Choices {
  std::optional<StringRef> output, emit, stopAfter, cost, explain;
};
} // namespace

static constexpr KindName kindNames[] = {{"mlir", std::nullopt},
                                         {"ll", ArtifactKind::LlvmIr},
                                         {"s", ArtifactKind::Assembly},
                                         {"o", ArtifactKind::Object},
                                         {"so", ArtifactKind::SharedLibrary},
                                         {"ptx", ArtifactKind::Ptx},
                                         {"cubin", ArtifactKind::Cubin},
                                         {"fatbin", ArtifactKind::Fatbin},
                                         {"runner", ArtifactKind::Runner}};

/// The kind that the suffix of `output` stands for.
static Result<KindName> kindOfSuffix(StringRef output) {
  StringRef suffix = llvm::sys::path::extension(output);
  if (suffix.empty())
    return KindName{"runner", ArtifactKind::Runner};
  for (const KindName &each : kindNames)
    if (suffix.drop_front() == each.name && each.name != "runner")
      return each;
  return makeError("expected an output with suffix .mlir, .ll, .s, .o, .so, "
                   ".ptx, .cubin or .fatbin, or with none, but got '{}'",
                   output.str());
}

/// Settles what is written: MLIR of a level.
static Status chooseLevel(const Choices &choices, Options &options) {
  std::optional<Level> level = parseLevel(*choices.stopAfter);
  if (!level)
    return makeError("expected graph, normal, planned, bufferized, tiled or "
                     "llvm after '--stop-after=', but got '{}'",
                     choices.stopAfter->str());
  options.level = *level;
  auto suffixed = kindOfSuffix(options.output);
  bool isOther = choices.emit ? *choices.emit != "mlir"
                              : suffixed && suffixed->name != "runner" &&
                                    suffixed->kind.has_value();
  if (isOther)
    return makeError("expected MLIR as output of '--stop-after', but got '{}'",
                     choices.emit ? choices.emit->str() : options.output);
  return Success{};
}

/// Settles what is written: code, or MLIR of the last level.
static Status chooseKind(const Choices &choices, Options &options) {
  if (!choices.output && !choices.emit)
    return makeError("expected '-o OUT', '--emit', '--stop-after', '--cost' or "
                     "'--explain'");
  if (!choices.emit) {
    if (options.output == "-")
      return makeError("expected '--emit' with '-o -'");
    auto suffixed = kindOfSuffix(options.output);
    if (!suffixed)
      return suffixed.error();
    options.kind = suffixed->kind;
    return Success{};
  }
  const KindName *found = nullptr;
  for (const KindName &each : kindNames)
    if (each.name == *choices.emit)
      found = &each;
  if (!found)
    return makeError("expected mlir, ll, s, o, so, runner, ptx, cubin or "
                     "fatbin after '--emit=', but got '{}'",
                     choices.emit->str());
  options.kind = found->kind;
  StringRef suffix = llvm::sys::path::extension(options.output);
  if (suffix == ".json" || suffix == ".h")
    return makeError("expected an output that is not named as its manifest or "
                     "header, but got '{}'",
                     options.output);
  return Success{};
}

/// Settles that a report is written.
static Status chooseReport(const Choices &choices, Options &options) {
  const char *name = choices.cost ? "cost" : "explain";
  StringRef form = choices.cost ? *choices.cost : *choices.explain;
  if (form != "" && form != "json")
    return makeError("expected '--{}' or '--{}=json', but got '--{}={}'", name,
                     name, name, form.str());
  if (choices.emit || choices.stopAfter)
    return makeError(choices.emit
                         ? "expected '--{}' or '--emit', but got both"
                         : "expected '--{}' or '--stop-after', but got both",
                     name);
  if (choices.cost && choices.explain)
    return makeError("expected '--cost' or '--explain', but got both");
  (choices.cost ? options.cost : options.explanation) =
      form.empty() ? Options::Report::Text : Options::Report::Json;
  return Success{};
}

/// Reads NAME=SIZE.
static Status parseDim(StringRef text, Options &options) {
  auto [name, digits] = text.split('=');
  int64_t size;
  if (name.empty() || digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
      digits.getAsInteger(10, size) ||
      !options.sizes.emplace(name.str(), size).second)
    return makeError("expected '--dim=NAME=SIZE' with a size from 0 to "
                     "2^63 - 1, once for each name, but got '--dim={}'",
                     text.str());
  return Success{};
}

/// Reads INPUT.DIM=NAME.
static Status parseDimName(StringRef text, Options &options) {
  auto [place, name] = text.split('=');
  auto [input, digits] = place.rsplit('.');
  int64_t dim;
  if (input.empty() || digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
      digits.getAsInteger(10, dim) || !isIdentifier(name) ||
      !options.dimNames.emplace(std::pair(input.str(), dim), name.str()).second)
    return makeError("expected '--name-dim=INPUT.DIM=NAME' with the number of "
                     "a dim, once for each, and an identifier, but got "
                     "'--name-dim={}'",
                     text.str());
  return Success{};
}

static Status parseSanitizer(StringRef name, Options &options) {
  std::optional<Sanitizer> known = sanitizerNamed(name);
  if (!known)
    return makeError("expected none, address or thread after '--sanitize=', "
                     "but got '{}'",
                     name.str());
  options.sanitizer = *known;
  return Success{};
}

static Status parseThreads(StringRef text, Options &options) {
  constexpr int64_t most = 4096;
  if (text.getAsInteger(10, options.threads) || options.threads < 1 ||
      options.threads > most)
    return makeError(
        "expected '--threads=T' with a number from 1 to {}, but got "
        "'--threads={}'",
        most, text.str());
  return Success{};
}

static Status parsePlan(StringRef text, Options &options) {
  std::string error;
  if (!parseForcedPlan(text, error))
    return makeError("{}", error);
  options.plan = text.str();
  return Success{};
}

/// Reads an option that has no value, or may have none.
static bool parseFlag(StringRef argument, Choices &choices, Options &options) {
  if (argument == "-O0" || argument == "-O3")
    options.isOptimized = argument == "-O3";
  else if (argument == "--help")
    options.action = Options::Action::Help;
  else if (argument == "--version")
    options.action = Options::Action::Version;
  else if (argument == "--remarks")
    options.hasRemarks = true;
  else if (argument == "--no-raise")
    options.isRaised = false;
  else if (argument == "--profile")
    options.isProfiled = true;
  else if (argument == "--embed")
    options.embeds = true;
  else if (argument == "--cost")
    choices.cost = "";
  else if (argument == "--explain")
    choices.explain = "";
  else
    return false;
  return true;
}

/// Reads one option that is not `-o`.
static Status parseOption(StringRef argument, Choices &choices,
                          Options &options) {
  auto [name, value] = argument.split('=');
  if (parseFlag(argument, choices, options))
    return Success{};
  if (name != "--emit" && name != "--target" && name != "--stop-after" &&
      name != "--entry" && name != "--cost" && name != "--explain" &&
      name != "--dim" && name != "--threads" && name != "--plan" &&
      name != "--sanitize" && name != "--cuda-path" &&
      name != "--target-file" && name != "--name-dim" && name != "--embed")
    return makeError("unknown option '{}'", argument.str());
  if (value.empty())
    return makeError("expected '{}=' and a value", name.str());
  if (name == "--dim")
    return parseDim(value, options);
  if (name == "--name-dim")
    return parseDimName(value, options);
  if (name == "--sanitize")
    return parseSanitizer(value, options);
  if (name == "--threads")
    return parseThreads(value, options);
  if (name == "--plan")
    return parsePlan(value, options);
  if (name == "--embed") {
    options.embeds = true;
    options.embedded = value.str();
  } else if (name == "--emit")
    choices.emit = value;
  else if (name == "--cost")
    choices.cost = value;
  else if (name == "--explain")
    choices.explain = value;
  else if (name == "--stop-after")
    choices.stopAfter = value;
  else if (name == "--target")
    options.target = value.str();
  else if (name == "--target-file")
    options.targetFile = value.str();
  else if (name == "--cuda-path")
    options.cudaPath = value.str();
  else
    options.entry = value.str();
  return Success{};
}

Result<Options> mixattn::parseOptions(llvm::ArrayRef<const char *> arguments) {
  Options options;
  Choices choices;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "-o") {
      if (++i == arguments.size() || !*arguments[i])
        return makeError("expected a file name after '-o'");
      choices.output = arguments[i];
      options.output = arguments[i];
    } else if (argument.size() > 1 && argument.starts_with("-")) {
      if (Status read = parseOption(argument, choices, options); !read)
        return read.error();
      if (options.action != Options::Action::Compile)
        return options;
    } else if (options.input.empty() && !argument.empty()) {
      options.input = argument.str();
    } else {
      return makeError("expected one input file, but got '{}' and '{}'",
                       options.input, argument.str());
    }
  }
  if (options.input.empty())
    return makeError("expected an input file");
  bool isReport = choices.cost || choices.explain;
  if (!isReport && !options.sizes.empty())
    return makeError("expected '--cost' or '--explain' with '--dim'");
  Status chosen = isReport            ? chooseReport(choices, options)
                  : choices.stopAfter ? chooseLevel(choices, options)
                                      : chooseKind(choices, options);
  if (!chosen)
    return chosen.error();
  return options;
}
