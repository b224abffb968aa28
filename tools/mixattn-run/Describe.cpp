// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes out manifests.
#include "tools/mixattn-run/Describe.h"
#include <algorithm>
#include <cstdio>
#include <set>
#include <thread>

using namespace mixattn;

/// The text, filled up with blanks to `width` and two more.
static std::string cell(std::string text, size_t width) {
  text.resize(std::max(text.size(), width) + 2, ' ');
  return text;
}

static std::string toString(const std::vector<Dim> &shape) {
  std::string text;
  for (const Dim &dim : shape)
    text += (text.empty() ? "" : ", ") + dim.toString();
  return "[" + text + "]";
}

static std::string toString(const Holds &holds) {
  switch (holds.kind) {
  case Holds::Kind::Prior:
    return "at least 0, some above in each head";
  case Holds::Kind::LogPrior:
    return "some above -inf in each head";
  case Holds::Kind::Coordinates:
    return "increasing rows below " + toString(holds.extents);
  case Holds::Kind::Windows:
    return "disjoint windows within " + holds.extents.front().toString();
  case Holds::Kind::NonEmpty:
    return "not empty";
  }
  return "";
}

static std::string toString(const Polynomial &polynomial) {
  std::string text;
  for (const Polynomial::Term &term : polynomial.terms) {
    char coefficient[32];
    snprintf(coefficient, sizeof(coefficient), "%.17g", term.coefficient);
    text += text.empty() ? coefficient : std::string(" + ") + coefficient;
    for (const std::string &dim : term.dims)
      text += " " + dim;
  }
  return text.empty() ? "0" : text;
}

/// The conditions on the values, whether they are a weight, and whether calls
/// change them.
static std::string notesOn(const Parameter &parameter) {
  std::vector<std::string> notes;
  if (parameter.range)
    notes.push_back(parameter.range->low.toString() + " to " +
                    parameter.range->high.toString());
  if (parameter.holds)
    notes.push_back(toString(*parameter.holds));
  if (parameter.isWeight)
    notes.push_back("weight");
  if (parameter.isUpdated)
    notes.push_back("updated in place");
  std::string text;
  for (const std::string &note : notes)
    text += (text.empty() ? "" : ", ") + note;
  return text;
}

/// Rows of arguments and results in columns: kind, name, dtype, shape, notes.
static std::string table(const Entry &entry) {
  size_t nameWidth = 0, shapeWidth = 0;
  auto measure = [&](const Parameter &parameter) {
    nameWidth = std::max(nameWidth, parameter.name.size());
    shapeWidth = std::max(shapeWidth, toString(parameter.shape).size());
  };
  std::for_each(entry.arguments.begin(), entry.arguments.end(), measure);
  std::for_each(entry.results.begin(), entry.results.end(), measure);
  auto row = [&](const char *kind, const Parameter &parameter) {
    std::string line =
        std::string("  ") + cell(kind, 8) + cell(parameter.name, nameWidth) +
        cell(std::string(nameOf(parameter.dtype)), 4) +
        cell(toString(parameter.shape), shapeWidth) + notesOn(parameter);
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text;
  for (const Parameter &argument : entry.arguments)
    text += row("argument", argument);
  for (const Parameter &result : entry.results)
    text += row("result", result);
  return text;
}

/// The kernels of a call in their order: "f_kernel_0, f_kernel_1"; of several
/// targets those of each: "sm_80: f_kernel_0; sm_90a: f_kernel_0".
static std::string toString(const std::vector<Launch> &launches) {
  std::string text, target;
  for (const Launch &launch : launches) {
    bool isFirst = launch.target != target;
    target = launch.target;
    if (!text.empty())
      text += isFirst ? "; " : ", ";
    text += (isFirst ? target + ": " : "") + launch.kernel;
  }
  return text.empty() ? "none" : text;
}

/// "S from 4 to 1024, T = (N + 1)".
static std::string toString(const std::map<std::string, SizeRule> &sizes) {
  std::string text;
  for (const auto &[dim, rule] : sizes) {
    text += (text.empty() ? "" : ", ") + dim;
    if (rule.definition) {
      text += " = " + rule.definition->toString();
      continue;
    }
    text += " from " + std::to_string(rule.least);
    text += rule.most ? " to " + std::to_string(*rule.most) : " on";
  }
  return text;
}

/// The dims and numbers of the machine in `size`.
static void collectNames(const SizeExpression &size,
                         std::set<std::string> &names) {
  if (size.kind == SizeExpression::Kind::Dim)
    names.insert(size.dim);
  else if (size.kind == SizeExpression::Kind::Threads)
    names.insert("threads");
  else if (size.kind == SizeExpression::Kind::Multiprocessors)
    names.insert("multiprocessors");
  for (const SizeExpression &each : size.operands)
    collectNames(each, names);
}

/// The bytes of a call of these dims on all threads of this machine; where dims
/// are not known the expression, or what it depends on if it is long.
static std::string describeBytes(const SizeExpression &size,
                                 const DimSizes &dims) {
  std::set<std::string> names;
  collectNames(size, names);
  unsigned threads = std::max(std::thread::hardware_concurrency(), 1u);
  if (size.hasDimsOf(dims))
    if (std::optional<int64_t> bytes = size.in(dims, threads))
      return std::to_string(*bytes) + " bytes" +
             (names.count("threads")
                  ? " by " + std::to_string(threads) + " threads"
                  : "");
  std::string text = size.toString();
  constexpr size_t mostCharacters = 120;
  if (text.size() <= mostCharacters)
    return text;
  text.clear();
  for (const std::string &name : names)
    text += (text.empty() ? "depends on " : ", ") + name;
  return text + ": --dim of each gives the bytes";
}

static std::string describe(const Entry &entry, const DimSizes &dims) {
  std::string text = "\nentry " + entry.name + "\n" + table(entry);
  auto row = [&](const char *kind, const std::string &value) {
    text += std::string("  ") + cell(kind, 8) + value + "\n";
  };
  if (!entry.sizes.empty())
    row("sizes", toString(entry.sizes));
  row("symbol", entry.symbol);
  row("flops", entry.flops ? toString(*entry.flops) : "unknown");
  row("bytes", entry.bytes ? toString(*entry.bytes) : "unknown");
  // A call on a GPU takes no memory but its workspace.
  const char *noWorkspace = entry.launches ? "0" : "unknown";
  row("memory",
      entry.workspace ? describeBytes(*entry.workspace, dims) : noWorkspace);
  const std::vector<Launch> *launches =
      entry.launches ? &*entry.launches : nullptr;
  if (entry.gpu) {
    row("on GPUs", "memory " + (entry.gpu->workspace
                                    ? describeBytes(*entry.gpu->workspace, dims)
                                    : "0"));
    launches = &entry.gpu->launches;
  }
  if (launches)
    row("launches", toString(*launches));
  if (entry.packed)
    row("packed", std::to_string(entry.packed) + " bytes of parameters");
  if (entry.kernels)
    row("profile",
        "tells of " + std::to_string(entry.kernels->size()) + " kernels");
  row("check", entry.op ? "with the built-in reference"
                        : "with --expect only: " + entry.attentionReason);
  return text;
}

std::string mixattn::describe(const Manifest &manifest, std::string_view entry,
                              const DimSizes &dims) {
  std::string features;
  for (const std::string &feature : manifest.target.features)
    features += " " + feature;
  std::string text = "producer  " + manifest.producer + "\nabi       " +
                     std::to_string(manifest.abi) + "\ntarget    " +
                     manifest.target.arch + " " + manifest.target.cpu + "\n";
  for (const Target &version : manifest.versions)
    text += "code for  " + version.cpu + "\n";
  if (manifest.gpu)
    text += "GPUs      " + manifest.gpu->arch + " " + manifest.gpu->cpu + "\n";
  if (manifest.target.machine)
    text += "machine   " + toSentence(*manifest.target.machine) + "\n";
  text += "features " + features + "\n";
  if (manifest.sanitizer != Sanitizer::None)
    text += "sanitizer " + std::string(nameOf(manifest.sanitizer)) + "\n";
  for (const Entry &candidate : manifest.entries)
    if (entry.empty() || candidate.name == entry)
      text += ::describe(candidate, dims);
  return text;
}
