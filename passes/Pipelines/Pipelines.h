// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a model graph to LLVM, level by level.

#ifndef MIXATTN_PASSES_PIPELINES_PIPELINES_H
#define MIXATTN_PASSES_PIPELINES_PIPELINES_H

#include "dialect/attn/AttnOps.h"
#include "passes/Level.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace mixattn {

/// The inputs of the pipeline in addition to the module, whose target the
/// passes read (attn-set-target).
struct PipelineOptions {
  /// The only public function to compile; all where empty.
  std::string entry;
  /// The sanitizer of the code: none, address or thread.
  std::string sanitizer = "none";
  /// Whether linalg that computes an attention becomes one op.
  bool raise = true;
  /// The mark of the file of weights that belongs to the code; empty where there
  /// is none.
  std::string weights;
  /// Whether to rewrite attentions where a simpler form is equal.
  bool simplify = true;
  /// The family of the module's target. From level bufferized on passes differ
  /// by it.
  TargetFamily family = TargetFamily::X86;
  /// The plan of every attention, `algorithm[,number=N]...`; the model's choice
  /// where empty.
  std::string plan;
  /// Whether the code tells when its kernels begin and end; on x86 only.
  bool profile = false;
  /// Whether the artifact holds the entries' parameters; on x86 only.
  bool embed = false;
};

/// Adds the passes that lead from level `from` to level `to`, each level
/// ending in the check of its contract.
void buildPipeline(mlir::OpPassManager &pm, Level from, Level to,
                   const PipelineOptions &options);

/// Adds the passes that lead from level planned to where the manifest says how
/// much memory calls take: into level llvm, on x86.
void buildWorkspace(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Adds the passes with which level normal begins: they leave the entries
/// asked for, with names and without calls, and their ops as they were written.
void buildEntries(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Registers every pass of passes/Passes.td.
void registerPasses();

/// Registers the pipelines `attn-to-LEVEL`, from a graph to each level.
void registerPipelines();

/// Registers the dialects that a graph may use and those on the way to LLVM,
/// with what bufferization needs to know of them.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace mixattn

#endif // MIXATTN_PASSES_PIPELINES_PIPELINES_H
