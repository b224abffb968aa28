// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compilation for one target.
#ifndef MIXATTN_TOOLS_COMPILE_COMPILATION_H
#define MIXATTN_TOOLS_COMPILE_COMPILATION_H

#include "lib/Runtime/Manifest.h"
#include "lib/Target/GpuImages.h"
#include "lib/Target/Machine.h"
#include "tools/mixattn-compile/Options.h"
#include "tools/mixattn-compile/Reproducer.h"
#include "tools/mixattn-compile/Weights.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace mixattn {

/// The exit codes of all tools.
enum ExitCode { done = 0, failed = 1, wrongCommandLine = 2 };

/// Says what went wrong, and gives `code`.
ExitCode report(const Error &error, ExitCode code = failed);

/// All that the compiler knows.
mlir::DialectRegistry makeRegistry();

/// One compilation, from the source's text to the files in memory. One lives
/// at a time.
class Compilation {
public:
  Compilation(const Options &options, const Machine &machine,
              std::unique_ptr<llvm::MemoryBuffer> source);

  /// Runs the passes and adds the output's files, which hold no code for a GPU.
  /// Says what went wrong.
  /// `weights` are those of the module, and last until files are written.
  ExitCode run(Weights &weights, OutputFiles &files);

  /// Runs the passes and adds the kernels and the manifest's text. Says what
  /// went wrong. Remarks name the target where it is one of several, because
  /// each target makes its own.
  ExitCode run(std::vector<GpuKernels> &kernels,
               std::vector<std::string> &manifests, bool isOneOfSeveral);

  /// Runs the passes and adds the objects and the manifest's text of code for a
  /// CPU that goes into a library with code for other targets: the number of
  /// the CPU is that of manifests before it. Says what went wrong; remarks name
  /// the target.
  ExitCode run(std::vector<std::string> &objects,
               std::vector<std::string> &manifests);

private:
  ExitCode checkPlan();
  ExitCode parse();
  void addTarget(mlir::OpPassManager &passes);
  ExitCode runPasses();
  ExitCode runAll();
  ExitCode readManifest(Manifest &manifest, std::string &text);
  ExitCode emit(std::vector<std::string> &code, const std::string &prefix);
  ExitCode makeCode(Weights &weights, OutputFiles &files);
  ExitCode runAllNamed(bool isOneOfSeveral);
  ExitCode makeReport(OutputFiles &files);
  PipelineOptions passOptions() const;
  std::string explainPlans();
  std::string print();

  const Options &options;
  const Machine &machine;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  Reproducer reproducer;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_COMPILATION_H
