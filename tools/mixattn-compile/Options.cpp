// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of mixattn-compile.
#include "tools/mixattn-compile/Options.h"

#include "passes/entry/SizePolynomial.h"
#include "passes/plan/Planner.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"

using namespace mixattn;
using llvm::StringRef;

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

/// Reads INPUT.DIM=NAME, or INPUT.DIM=4*NAME.
static Status parseDimName(StringRef text, Options &options) {
  auto [place, name] = text.split('=');
  auto [input, digits] = place.rsplit('.');
  int64_t dim;
  std::optional<SizePolynomial> size = SizePolynomial::parse(name);
  if (input.empty() || digits.empty() || !llvm::all_of(digits, llvm::isDigit) ||
      digits.getAsInteger(10, dim) || !size || !size->asAffine() ||
      !options.dimNames.emplace(std::pair(input.str(), dim), name.str()).second)
    return makeError("expected '--name-dim=INPUT.DIM=NAME' with the number of "
                     "a dim, once for each, and an identifier, or what it is "
                     "times and plus numbers, 4*NAME + 1, but got "
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
