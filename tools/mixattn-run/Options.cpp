// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing of the command line: one table, one function per kind of value.
#include "tools/mixattn-run/Options.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdlib>

using namespace mixattn;

namespace {
struct OptionKind {
  /// With the `=` if the option takes a value.
  std::string_view prefix;
  /// How it must look, for errors.
  std::string_view form;
  /// Takes the value over; false where it is malformed.
  bool (*take)(Options &options, const std::string &value);
};
} // namespace

static bool takeText(std::string &text, const std::string &value) {
  text = value;
  return !value.empty();
}

static bool takeNamedFile(std::vector<NamedFile> &files,
                          const std::string &value) {
  size_t equals = value.find('=');
  if (equals == 0 || equals == value.npos || equals + 1 == value.size())
    return false;
  files.push_back({value.substr(0, equals), value.substr(equals + 1)});
  return true;
}

static bool takeFile(std::vector<std::string> &files,
                     const std::string &value) {
  files.push_back(value);
  return !value.empty();
}

/// Reads a whole decimal number of at most 63 bits.
static bool takeNumber(int64_t &number, const std::string &value) {
  char *end;
  errno = 0;
  number = std::strtoll(value.c_str(), &end, 10);
  return !value.empty() && value[0] >= '0' && value[0] <= '9' && !*end &&
         errno == 0;
}

/// Reads a whole decimal number of at most 64 bits.
static bool takeSeed(Options &options, const std::string &value) {
  char *end;
  errno = 0;
  options.seed = std::strtoull(value.c_str(), &end, 10);
  return !value.empty() && value[0] >= '0' && value[0] <= '9' && !*end &&
         errno == 0;
}

static bool takeDim(Options &options, const std::string &value) {
  size_t equals = std::min(value.find('='), value.size());
  int64_t size;
  if (equals == 0 || equals == value.size() ||
      !takeNumber(size, value.substr(equals + 1)))
    return false;
  return options.dims.insert({value.substr(0, equals), size}).second;
}

static bool takeDevice(Options &options, const std::string &value) {
  options.device = DLDevice{kDLCPU, 0};
  if (value == "cpu")
    return true;
  const std::string prefix = "cuda:";
  bool hasPrefix = value.compare(0, prefix.size(), prefix) == 0;
  int64_t number;
  if (!takeNumber(number, value.substr(hasPrefix ? prefix.size() : 0)) ||
      number > INT_MAX)
    return false;
  options.device = DLDevice{kDLCUDA, static_cast<int>(number)};
  return true;
}

static bool takeTolerance(Options &options, const std::string &value) {
  char *end;
  options.tolerance = std::strtod(value.c_str(), &end);
  return !value.empty() && !*end && *options.tolerance >= 0;
}

static bool takeOutputs(Options &options, const std::string &value) {
  size_t dot = std::min(value.rfind('.'), value.size());
  std::string suffix = value.substr(dot);
  return (value == "-" || suffix == ".npz" || suffix == ".safetensors") &&
         takeFile(options.outputArchives, value);
}

static const OptionKind kinds[] = {
    {"--entry=", "--entry=NAME",
     [](Options &o, const std::string &v) { return takeText(o.entry, v); }},
    {"--input=", "--input=NAME=FILE.npy",
     [](Options &o, const std::string &v) {
       return takeNamedFile(o.inputs, v);
     }},
    {"--output=", "--output=NAME=FILE.npy",
     [](Options &o, const std::string &v) {
       return takeNamedFile(o.outputs, v);
     }},
    {"--expect=", "--expect=NAME=FILE.npy",
     [](Options &o, const std::string &v) {
       return takeNamedFile(o.expected, v);
     }},
    {"--inputs=", "--inputs=FILE.npz",
     [](Options &o, const std::string &v) {
       return takeFile(o.inputArchives, v);
     }},
    {"--outputs=",
     "--outputs=FILE.npz, --outputs=FILE.safetensors or --outputs=-",
     takeOutputs},
    {"--weights=", "--weights=FILE.safetensors",
     [](Options &o, const std::string &v) { return takeFile(o.weights, v); }},
    {"--random=", "--random=SEED with a number from 0 to 2^64 - 1", takeSeed},
    {"--dim=",
     "--dim=NAME=SIZE with a size from 0 to 2^63 - 1, once for each name",
     takeDim},
    {"--device=",
     "--device=cpu or --device=cuda:N with a number from 0 to 2^31 - 1",
     takeDevice},
    {"--tolerance=", "--tolerance=X with a number from 0 on", takeTolerance},
    {"--repeat=", "--repeat=R with a number from 1 to 2^63 - 1",
     [](Options &o, const std::string &v) {
       return takeNumber(o.repeat, v) && o.repeat > 0;
     }},
    {"--json=", "--json=FILE",
     [](Options &o, const std::string &v) { return takeText(o.json, v); }},
    {"--trace=", "--trace=FILE.json",
     [](Options &o, const std::string &v) { return takeText(o.trace, v); }},
    {"--check", "--check",
     [](Options &o, const std::string &) { return o.check = true; }},
    {"--guard", "--guard",
     [](Options &o, const std::string &) { return o.guard = true; }},
    {"--pack-each-call", "--pack-each-call",
     [](Options &o, const std::string &) { return o.packsEachCall = true; }},
    {"--describe", "--describe",
     [](Options &o, const std::string &) { return o.describe = true; }},
    {"--help", "--help",
     [](Options &o, const std::string &) { return o.help = true; }},
    {"--version", "--version",
     [](Options &o, const std::string &) { return o.version = true; }},
};

static Status takeOption(Options &options, const std::string &argument) {
  for (const OptionKind &kind : kinds) {
    bool hasValue = kind.prefix.back() == '=';
    std::string_view name = kind.prefix;
    if (hasValue)
      name.remove_suffix(1);
    bool matches = argument.compare(0, kind.prefix.size(), kind.prefix) == 0 &&
                   (hasValue || argument == name);
    if (!matches && argument != name)
      continue;
    if (matches && kind.take(options, argument.substr(kind.prefix.size())))
      return Success();
    return makeError("expected {}, but got '{}'", kind.form, argument);
  }
  return makeError("expected an option that --help lists, but got '{}'",
                   argument);
}

/// Checks that options fit together.
static Status checkTogether(const Options &options, bool carriesArtifact) {
  if (options.help || options.version)
    return Success();
  if (options.artifact.empty() && !carriesArtifact)
    return makeError("expected an artifact, as --help shows, but got none; a "
                     "compiled runner whose end was cut off, as strip does, "
                     "has lost its own");
  if (options.tolerance && options.expected.empty())
    return makeError("expected --expect with --tolerance, but got none");
  auto isStandard = [](const NamedFile &file) { return file.path == "-"; };
  auto count = [&](const std::vector<NamedFile> &files) {
    return std::count_if(files.begin(), files.end(), isStandard);
  };
  auto countPaths = [](const std::vector<std::string> &paths) {
    return std::count(paths.begin(), paths.end(), "-");
  };
  if ((options.artifact == "-") + count(options.inputs) +
          count(options.expected) + countPaths(options.inputArchives) +
          countPaths(options.weights) >
      1)
    return makeError("expected standard input for one file, but got several");
  if (count(options.outputs) + countPaths(options.outputArchives) +
          (options.json == "-") + (options.trace == "-") >
      1)
    return makeError("expected standard output for one file, but got several");
  return Success();
}

Result<Options> mixattn::parseOptions(int argc, const char *const *argv,
                                      bool carriesArtifact) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.empty() || (argument[0] == '-' && argument != "-")) {
      if (Status taken = takeOption(options, argument); !taken)
        return taken.error();
      continue;
    }
    if (carriesArtifact)
      return makeError("expected no artifact in addition to the one inside, "
                       "but got '{}'",
                       argument);
    if (!options.artifact.empty())
      return makeError("expected one artifact, but got '{}' and '{}'",
                       options.artifact, argument);
    options.artifact = argument;
  }
  if (Status check = checkTogether(options, carriesArtifact); !check)
    return check.error();
  return options;
}

bool Options::writesToStandardOutput() const {
  return json == "-" || trace == "-" ||
         std::any_of(outputs.begin(), outputs.end(),
                     [](const NamedFile &file) { return file.path == "-"; });
}
