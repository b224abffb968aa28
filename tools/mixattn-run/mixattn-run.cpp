// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-run: runs, checks and times a compiled attention.
#include "lib/Runtime/Artifact.h"
#include "lib/Runtime/Files.h"
#include "lib/Runtime/Npy.h"
#include "lib/Runtime/Npz.h"
#include "mixattn/Version.h"
#include "tools/mixattn-run/Console.h"
#include "tools/mixattn-run/Describe.h"
#include "tools/mixattn-run/Execute.h"
#include "tools/mixattn-run/Report.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <set>

using namespace mixattn;

namespace {
enum ExitCode { Done = 0, Failed = 1, CommandLine = 2 };
} // namespace

/// Checks the names that --output and --expect give.
static Status requireResults(const Entry &entry, const Options &options) {
  std::set<std::string> outputs;
  for (const NamedFile &file : options.outputs)
    if (!outputs.insert(file.name).second)
      return makeError("result '{}': expected one --output, but got several",
                       file.name);
  for (const std::vector<NamedFile> *files :
       {&options.outputs, &options.expected})
    for (const NamedFile &file : *files)
      if (!entry.isOutput(file.name))
        return makeError("expected a result of entry '{}', but got '{}'",
                         entry.name, file.name);
  return Success();
}

/// The bytes of a file with all results; its suffix says the format.
static Result<std::string> writeArchive(const std::string &path,
                                        const std::vector<NamedTensor> &all) {
  if (path == "-" || path.compare(path.size() - 4, 4, ".npz") == 0)
    return writeNpz(all);
  return writeSafetensors(all);
}

/// Lets no output take the place of a file that was read.
static void keepInputs(OutputFiles &files, const Options &options) {
  files.keep(options.artifact);
  for (const std::vector<NamedFile> *named :
       {&options.inputs, &options.expected})
    for (const NamedFile &file : *named)
      files.keep(file.path);
  for (const std::vector<std::string> *paths :
       {&options.inputArchives, &options.weights})
    for (const std::string &path : *paths)
      files.keep(path);
}

/// Writes results and report, all or nothing.
static Status writeOutputs(const Report &report, const Options &options) {
  OutputFiles files;
  keepInputs(files, options);
  std::vector<NamedTensor> all;
  std::vector<Parameter> outputs = report.entry.outputs();
  for (size_t i = 0; i < outputs.size(); ++i)
    all.emplace_back(outputs[i].name, &report.results[i]);
  for (const NamedFile &output : options.outputs)
    for (auto &[name, tensor] : all)
      if (name == output.name)
        if (Status added = files.add(output.path, writeNpy(*tensor)); !added)
          return added;
  for (const std::string &path : options.outputArchives) {
    Result<std::string> content = writeArchive(path, all);
    if (!content)
      return inPlace(path, content.error());
    if (Status added = files.add(path, std::move(*content)); !added)
      return added;
  }
  if (!options.json.empty())
    if (Status added = files.add(options.json, reportAsJson(report)); !added)
      return added;
  if (!options.trace.empty())
    if (Status added = files.add(options.trace,
                                 traceAsJson(*report.profile, report.entry));
        !added)
      return added;
  return files.commit();
}

/// Compares results as the options ask.
static Result<std::vector<Comparison>> compare(const Report &report,
                                               const Options &options) {
  auto all = compareWithFiles(report.entry, report.results, options);
  if (!all || !options.check)
    return all;
  auto more =
      compareWithReference(report.entry, report.arguments, report.results);
  if (!more)
    return more;
  all->insert(all->end(), more->begin(), more->end());
  return all;
}

/// Runs, compares and times an entry as the options ask.
static Status execute(const Executable &executable, const Options &options,
                      Report &report) {
  if (options.guard)
    if (Status guarded = runGuarded(executable, report.arguments); !guarded)
      return guarded;
  auto results = runOnce(executable, report.arguments);
  if (!results)
    return results.error();
  report.results = std::move(*results);
  auto comparisons = compare(report, options);
  if (!comparisons)
    return comparisons.error();
  report.comparisons = std::move(*comparisons);
  auto timing =
      runTimed(executable, report.arguments, report.results, options.repeat);
  if (!timing)
    return timing.error();
  report.milliseconds = std::move(timing->milliseconds);
  report.profile = std::move(timing->profile);
  return Success();
}

static void print(const Report &report, FILE *file) {
  if (report.version)
    fprintf(file, "%s\n", versionLine(report).c_str());
  for (const Comparison &comparison : report.comparisons)
    fprintf(file, "%s\n", comparison.toString().c_str());
  if (!report.milliseconds.empty())
    fprintf(file, "%s\n", timingLine(report).c_str());
  if (report.profile)
    fprintf(file, "\n%s", toTable(report.times()).c_str());
}

/// Loads an entry on the device that it is for.
static Result<Executable> load(const Artifact &artifact, const Entry &entry,
                               const Options &options) {
  Result<LoadedEntry> loaded = artifact.load(entry);
  if (!loaded)
    return loaded.error();
  auto device = openDevice(artifact.manifest().target, options.device);
  if (!device)
    return inPlace(artifact.path(), device.error());
  if (Status ready = (*device)->prepare(entry, *loaded); !ready)
    return ready.error();
  return Executable{entry, *loaded, std::move(*device)};
}

/// Runs an entry; whether all comparisons held.
static Result<bool> run(const Artifact &artifact, const Options &options) {
  Result<const Entry *> entry = artifact.find(options.entry);
  if (!entry)
    return entry.error();
  if (Status known = requireResults(**entry, options); !known)
    return known.error();
  if (!options.trace.empty() && !(*entry)->kernels)
    return makeError("{}: expected code that tells when its kernels begin and "
                     "end with '--trace', as 'mixattn-compile --profile' makes "
                     "it",
                     artifact.path());
  Result<Arguments> arguments = gatherArguments(**entry, options);
  if (!arguments)
    return arguments.error();
  Result<Executable> executable = load(artifact, **entry, options);
  if (!executable)
    return executable.error();
  auto version = executable->loaded.version();
  if (!version)
    return inPlace(artifact.path(), version.error());
  Report report{artifact, **entry, std::move(*arguments), {}, {}, {},
                {},       *version};
  if (Status done = execute(*executable, options, report); !done)
    return done.error();
  print(report, options.writesToStandardOutput() ? stderr : stdout);
  if (Status written = writeOutputs(report, options); !written)
    return written.error();
  return std::all_of(report.comparisons.begin(), report.comparisons.end(),
                     [](const Comparison &c) { return c.isOk(); });
}

/// Looks at the artifact as the options ask; whether all went well.
static Result<bool> useArtifact(Artifact &artifact, const Options &options) {
  if (!options.describe) {
    artifact.narrowTo(options.device && options.device->device_type == kDLCUDA);
    return run(artifact, options);
  }
  if (!options.entry.empty())
    if (Result<const Entry *> entry = artifact.find(options.entry); !entry)
      return entry.error();
  printf("%s",
         describe(artifact.manifest(), options.entry, options.dims).c_str());
  return true;
}

static ExitCode fail(const Error &error, ExitCode code) {
  printError(error);
  return code;
}

static ExitCode runTool(int argc, char **argv) {
  Result<std::optional<Artifact>> embedded = Artifact::openEmbedded(argv[0]);
  if (!embedded)
    return fail(embedded.error(), Failed);
  Result<Options> options =
      parseOptions(argc, argv, /*carriesArtifact=*/embedded->has_value());
  if (!options)
    return fail(options.error(), CommandLine);
  if (options->help) {
    printf("%s", helpText);
    return Done;
  }
  if (options->version) {
    printf("%s\n", MIXATTN_VERSION_TEXT);
    return Done;
  }
  Result<Artifact> artifact = embedded->has_value()
                                  ? Result<Artifact>(std::move(**embedded))
                                  : Artifact::open(options->artifact);
  if (!artifact)
    return fail(artifact.error(), Failed);
  Result<bool> good = useArtifact(*artifact, *options);
  if (!good)
    return fail(good.error(), Failed);
  return *good ? Done : Failed;
}

int main(int argc, char **argv) {
  // A file that grows beyond the limit is an error of the write.
  std::signal(SIGXFSZ, SIG_IGN);
  ExitCode code = runTool(argc, argv);
  // Printed text may still have to reach a full device.
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    return fail(makeError("cannot write the standard output"), Failed);
  return code;
}
