// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes out the figures of a run.
#include "tools/mixattn-run/Report.h"
#include "lib/Runtime/Json.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace mixattn;
using OrderedJson = nlohmann::ordered_json;

double Report::median() const {
  size_t half = milliseconds.size() / 2;
  return milliseconds.size() % 2
             ? milliseconds[half]
             : (milliseconds[half - 1] + milliseconds[half]) / 2;
}

std::optional<double> Report::flops() const {
  if (!entry.flops)
    return std::nullopt;
  return entry.flops->in(arguments.dims);
}

/// Threads that a call may use.
static int64_t threadCount(const Artifact &artifact) {
  if (!artifact.usesOpenMP())
    return 1;
  const char *chosen = std::getenv("OMP_NUM_THREADS");
  int64_t count = chosen ? std::strtoll(chosen, nullptr, 10) : 0;
  return count > 0 ? count : std::thread::hardware_concurrency();
}

/// An integer where 64 bits hold it.
static OrderedJson wholeNumber(double number) {
  if (std::fabs(number) < 0x1p63)
    return static_cast<int64_t>(number);
  return number;
}

/// The most memory that this process has held, or null.
static OrderedJson peakMemoryBytes() {
  FILE *status = fopen("/proc/self/status", "r");
  OrderedJson bytes;
  char line[256];
  while (status && fgets(line, sizeof(line), status))
    if (std::strncmp(line, "VmHWM:", 6) == 0)
      bytes = 1024 * std::strtoll(line + 6, nullptr, 10);
  if (status)
    fclose(status);
  return bytes;
}

static OrderedJson describe(const std::vector<Parameter> &parameters,
                            const std::vector<Tensor> &tensors) {
  OrderedJson list = OrderedJson::array();
  for (size_t i = 0; i < tensors.size(); ++i)
    list.push_back({{"name", parameters[i].name},
                    {"dtype", nameOf(tensors[i].dtype())},
                    {"shape", tensors[i].shape()}});
  return list;
}

/// The comparison that came nearest to its limit, or went furthest beyond.
static const Comparison *worst(const std::vector<Comparison> &comparisons) {
  const Comparison *found = nullptr;
  for (const Comparison &next : comparisons)
    if (!found || (found->isOk() && !next.isOk()) ||
        (found->isOk() == next.isOk() &&
         next.error * found->limit > found->error * next.limit))
      found = &next;
  return found;
}

const Target &Report::target() const {
  const Manifest &manifest = artifact.manifest();
  bool isKnown = version && version->number < manifest.versions.size();
  return isKnown ? manifest.versions[version->number] : manifest.target;
}

std::string mixattn::versionLine(const Report &report) {
  const std::string &why = report.version->whyNotFirst;
  return "code for " + report.target().cpu + (why.empty() ? "" : ": " + why);
}

std::string mixattn::timingLine(const Report &report) {
  char text[160];
  snprintf(text, sizeof(text), "median %.4g ms, minimum %.4g ms",
           report.median(), report.milliseconds.front());
  std::string line = text;
  if (std::optional<double> flops = report.flops()) {
    snprintf(text, sizeof(text), ", %.4g GFLOP/s",
             *flops / report.median() / 1e6);
    line += text;
  }
  return line + " (" + std::to_string(report.milliseconds.size()) + " calls)";
}

static OrderedJson describe(const KernelTime &time) {
  OrderedJson flops, bytes, stages = OrderedJson::array();
  if (time.flops)
    flops = *time.flops / 1e9;
  if (time.bytes)
    bytes = *time.bytes / 1e9;
  for (const auto &[name, seconds] : time.stages)
    stages.push_back({{"name", name}, {"ms", 1000 * seconds}});
  return {{"name", time.name},
          {"op", time.kernel->op},
          {"place", time.kernel->place},
          {"called_at", time.kernel->calledAt},
          {"share", time.share},
          {"ms", 1000 * time.seconds},
          {"gflops", flops},
          {"gb_per_second", bytes},
          {"runs", time.runs},
          {"threads", time.threads},
          {"busy", time.busy},
          {"stages", stages}};
}

/// Adds where the time went.
static void describe(const CallTime &times, OrderedJson &json) {
  json["mean_ms"] = 1000 * times.seconds;
  json["outside_ms"] = 1000 * times.outside;
  json["outside_share"] = times.outsideShare;
  json["lost_events"] = times.lost;
  json["kernels"] = OrderedJson::array();
  for (const KernelTime &time : times.kernels)
    json["kernels"].push_back(describe(time));
}

std::string mixattn::reportAsJson(const Report &report) {
  const Target &target = report.target();
  OrderedJson json = {{"entry", report.entry.name},
                      {"target", target.arch + " " + target.cpu},
                      {"threads", threadCount(report.artifact)},
                      {"plan", nullptr}};
  OrderedJson median, minimum, flops, gflops, maxError, errorLimit;
  if (std::optional<double> known = report.flops())
    flops = wholeNumber(*known);
  if (!report.milliseconds.empty()) {
    median = report.median();
    minimum = report.milliseconds.front();
    if (report.flops())
      gflops = *report.flops() / report.median() / 1e6;
  }
  if (const Comparison *comparison = worst(report.comparisons)) {
    maxError = comparison->error;
    errorLimit = comparison->limit;
  }
  json["repeat"] = report.milliseconds.size();
  json["median_ms"] = median;
  json["minimum_ms"] = minimum;
  json["flops"] = flops;
  json["gflops"] = gflops;
  json["peak_gflops"] = nullptr;
  json["peak_fraction"] = nullptr;
  json["peak_memory_bytes"] = peakMemoryBytes();
  json["max_error"] = maxError;
  json["error_limit"] = errorLimit;
  json["inputs"] = describe(report.entry.arguments, report.arguments.tensors);
  json["outputs"] = describe(report.entry.outputs(), report.results);
  if (report.profile)
    describe(report.times(), json);
  return json.dump() + "\n";
}
