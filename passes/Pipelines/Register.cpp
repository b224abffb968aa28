// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers passes, pipelines and dialects.

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/schedule/mma/Dense.h"
#include "passes/schedule/mma/Linear.h"
#include "passes/schedule/mma/Schedules.h"
#include "passes/schedule/wgmma/Dense.h"
#include "passes/schedule/wgmma/Schedules.h"
#include "passes/schedule/x86/Schedules.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace mixattn {
#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// PipelineOptions as text on a command line.
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<std::string> entry{
      *this, "entry",
      llvm::cl::desc("The only public function to compile; all where empty")};
  Option<bool> raise{
      *this, "raise",
      llvm::cl::desc("Make one op of linalg that computes an attention"),
      llvm::cl::init(true)};
  Option<bool> simplify{
      *this, "simplify",
      llvm::cl::desc("Rewrite attentions where a simpler form is equal"),
      llvm::cl::init(true)};
  Option<std::string> sanitizer{
      *this, "sanitizer",
      llvm::cl::desc("What instruments the code: none, address or thread"),
      llvm::cl::init("none")};
  Option<TargetFamily> family{
      *this, "family", llvm::cl::desc("The family of the module's target"),
      llvm::cl::init(TargetFamily::X86),
      llvm::cl::values(
          clEnumValN(TargetFamily::X86, "x86", "64-bit x86"),
          clEnumValN(TargetFamily::Mma, "mma", "NVIDIA's GPUs from sm_80 on"),
          clEnumValN(TargetFamily::Wgmma, "wgmma", "sm_90a"))};
  Option<bool> profile{
      *this, "profile",
      llvm::cl::desc("Tell the host when kernels begin and end"),
      llvm::cl::init(false)};
  Option<std::string> plan{
      *this, "plan",
      llvm::cl::desc("The plan of every attention; the model's where empty")};
};

} // namespace

void mixattn::registerPasses() { registerMixattnPasses(); }

void mixattn::registerPipelines() {
  auto add = [](StringRef name, StringRef text, Level level) {
    PassPipelineRegistration<TextOptions>(
        name, text, [level](OpPassManager &pm, const TextOptions &text) {
          PipelineOptions options;
          options.entry = text.entry;
          options.raise = text.raise;
          options.simplify = text.simplify;
          options.sanitizer = text.sanitizer;
          options.plan = text.plan;
          options.profile = text.profile;
          options.family = text.family;
          buildPipeline(pm, Level::Graph, level, options);
        });
  };
  add("attn-to-normal", "From a graph to the normal form", Level::Normal);
  add("attn-to-planned", "From a graph to the normal form with plans",
      Level::Planned);
  add("attn-to-bufferized", "From a graph to buffers", Level::Bufferized);
  add("attn-to-tiled", "From a graph to loops over tiles", Level::Tiled);
  add("attn-to-llvm", "From a graph to the LLVM dialect", Level::Llvm);
}

void mixattn::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllGPUToLLVMIRTranslations(registry);
  registry.insert<AttnDialect, tile::TileDialect>();
  registry.addExtension(+[](MLIRContext *context, AttnDialect *dialect) {
    // Plans ask schedules what tiles take and count arithmetic, before any pass
    // that makes these.
    context->loadDialect<arith::ArithDialect, math::MathDialect,
                         tile::TileDialect>();
    ScheduleTable &table = ScheduleTable::of(dialect);
    x86::addSchedules(table);
    mma::addSchedules(table);
    mma::addSchedulesBelow(table, TargetFamily::Wgmma, wgmma::makeOnline,
                           wgmma::makeDense);
  });
}
