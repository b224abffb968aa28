// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a model graph to LLVM, level by level.

#ifndef MIXATTN_PASSES_PIPELINES_PIPELINES_H
#define MIXATTN_PASSES_PIPELINES_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace mixattn {

/// The borders of the pipeline, in order. What holds at each of them:
///
/// - Graph: func, tensor, linalg, arith, math and named attention ops.
/// - Normal: one op is one attention; entries have names and a manifest.
/// - Planned: the same ops, each attention with a plan.
/// - Bufferized: memrefs, the caller's for arguments and results; allocations
///   are freed. Kernels still say on tensors what they compute.
/// - Tiled: kernels are tiles in loops that threads share.
/// - Llvm: the LLVM dialect only; entries wrapped in the C ABI.
enum class Level { Graph, Normal, Planned, Bufferized, Tiled, Llvm };

/// The level called `name` (graph, normal, planned, bufferized, tiled, llvm).
std::optional<Level> parseLevel(llvm::StringRef name);

/// The inputs of the pipeline in addition to the module, whose target the
/// passes read (attn-set-target).
struct PipelineOptions {
  /// The only public function to compile; all where empty.
  std::string entry;
  /// The sanitizer of the code: none, address or thread.
  std::string sanitizer = "none";
  /// Whether attentions become fused kernels where a schedule takes them.
  bool fuse = true;
  /// Whether to rewrite attentions where a simpler form is equal.
  bool simplify = true;
  /// The plan of every attention, `algorithm[,lanes=L][,block=K][,split=K]`;
  /// the model's choice where empty.
  std::string plan;
};

/// Adds the passes that lead from level `from` to level `to`, each level
/// ending in the check of its contract.
void buildPipeline(mlir::OpPassManager &pm, Level from, Level to,
                   const PipelineOptions &options);

/// Adds the passes from a graph to PTX for `chip` (sm_80 and up): attentions
/// become kernels, each a gpu.binary that holds the text, and launches of them.
void buildPtx(mlir::OpPassManager &pm, const PipelineOptions &options,
              llvm::StringRef chip);

/// Adds the passes with which level normal begins: they leave the entries
/// asked for, with names and without calls, and their ops as they were written.
void buildEntries(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Registers every pass of passes/Passes.td.
void registerPasses();

/// Registers the pipelines `attn-to-LEVEL`, from a graph to each level, and
/// `attn-to-ptx`.
void registerPipelines();

/// Registers the dialects that a graph may use and those on the way to LLVM,
/// with what bufferization needs to know of them.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace mixattn

#endif // MIXATTN_PASSES_PIPELINES_PIPELINES_H
