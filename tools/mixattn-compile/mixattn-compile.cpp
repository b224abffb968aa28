// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-compile: from MLIR with attention ops to code of a target.
#include "mixattn/Version.h"
#include "passes/plan/Explain.h"
#include "tools/mixattn-compile/Compilation.h"
#include "tools/mixattn-compile/ImportSource.h"
#include "tools/mixattn-compile/JoinedArtifact.h"
#include "tools/mixattn-compile/Targets.h"

using namespace mixattn;

/// Reads the weights that there are, and makes MLIR of a model.
static ExitCode takeWeights(Options &options,
                            std::unique_ptr<llvm::MemoryBuffer> &source,
                            Weights &weights, OutputFiles &files) {
  if (isModel(options, *source))
    return importSource(options, source, weights, files);
  if (!options.embeds)
    return done;
  if (options.embedded.empty())
    return report(makeError("expected '--embed=FILE.safetensors' for '{}', "
                            "which holds no weights",
                            options.input),
                  wrongCommandLine);
  files.keep(options.embedded);
  Status read = readWeights(options.embedded, weights);
  return read ? done : report(read.error());
}

static ExitCode compile(Options options) {
  auto machines = findTargets(options.target, options.targetFile);
  if (!machines)
    return report(machines.error(), wrongCommandLine);
  if (Status fits = checkOptions(options, *machines); !fits)
    return report(fits.error(), wrongCommandLine);
  const Machine &machine = machines->front();
  if (options.hasRemarks && !machine.doubt.empty())
    llvm::errs() << "mixattn-compile: remark: " << machine.doubt << "\n";
  auto source = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
  if (!source)
    return report(makeError("cannot read '{}': {}", options.input,
                            source.getError().message()));
  // Files are written from weights, which go after them.
  Weights weights;
  OutputFiles files;
  files.keep(options.input);
  if (ExitCode taken = takeWeights(options, *source, weights, files))
    return taken;
  bool isJoined = (machines->back().isGpu || machines->size() > 1) &&
                  options.kind && !options.isReport();
  ExitCode code = isJoined ? compileJoined(options, *machines, **source, files)
                           : Compilation(options, machine, std::move(*source))
                                 .run(weights, files);
  if (code != done)
    return code;
  Status written = files.commit();
  return written ? done : report(written.error());
}

static std::string listAlgorithms() {
  mlir::MLIRContext context(makeRegistry());
  return mixattn::listAlgorithms(&context);
}

int main(int argc, char **argv) {
  auto options = parseOptions(llvm::ArrayRef(argv, argc).drop_front());
  if (!options) {
    report(options.error(), wrongCommandLine);
    return wrongCommandLine;
  }
  switch (options->action) {
  case Options::Action::Help:
    llvm::outs() << helpText << "\n" << listAlgorithms();
    return done;
  case Options::Action::Version:
    llvm::outs() << MIXATTN_VERSION_TEXT "\n";
    return done;
  case Options::Action::Compile:
    return compile(*options);
  }
}
