// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes between two levels, with the reason for each order.

#include "passes/Pipelines/Pipelines.h"

#include "passes/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mixattn;

static void addVerifyLevel(OpPassManager &pm, Level level) {
  VerifyLevelPassOptions options;
  options.level = level;
  pm.addPass(createVerifyLevelPass(options));
}

void mixattn::buildEntries(OpPassManager &pm, const PipelineOptions &options) {
  SelectEntryPassOptions select;
  select.entry = options.entry;
  pm.addPass(createSelectEntryPass(select));
  // Entries are told apart before inlining: functions that only they call
  // vanish. Names follow sizes through ops, not through calls.
  pm.addPass(createInlinerPass());
  pm.addPass(createSymbolDCEPass());
  pm.addPass(createBindNamesPass());
  pm.addPass(createBindUpdatesPass());
}

static void buildNormal(OpPassManager &pm, const PipelineOptions &options) {
  buildEntries(pm, options);
  if (options.raise) {
    // The pass knows squares and differences by their being one value.
    pm.addPass(createCSEPass());
    // Masks that follow from positions are read as such.
    pm.addPass(createFoldPositionsPass());
    pm.addPass(createRaiseAttentionPass());
    pm.addPass(createNarrowAttentionPass());
  }
  // Canonicalise named ops before they generalise: their folds are simpler.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createGeneralizePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // The manifest tells what each entry computes: the last moment at which one
  // op is one attention.
  WriteManifestPassOptions manifest;
  manifest.sanitizer = options.sanitizer;
  manifest.weights = options.weights;
  pm.addPass(createWriteManifestPass(manifest));
  if (options.simplify) {
    // Schedules multiply queries as they pack them, mix features of keys as
    // they make them, outputs before they store them, and norms as they read
    // rows: no copy is made of any.
    SimplifyPassOptions simplify;
    simplify.makeTerms = false;
    simplify.foldScale = false;
    simplify.mixFeatures = false;
    simplify.mixOutputs = false;
    pm.addPass(createSimplifyPass(simplify));
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  }
  pm.addPass(createExpandNamedPass());
  pm.addPass(createSplitWindowsPass());
  // Kernels take pointwise ops as linalg has them. What is added to a product's
  // sums is one like others that they go through.
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  pm.addPass(createSeparateInitsPass());
  // A GPU's kernels have one loop of columns: heads would be blocks.
  if (options.family == TargetFamily::X86)
    pm.addPass(createFoldTransposesPass());
  pm.addPass(createCanonicalizerPass());
  addVerifyLevel(pm, Level::Normal);
}

static void buildPlanned(OpPassManager &pm, const PipelineOptions &options) {
  if (options.family != TargetFamily::X86) {
    pm.addPass(createBoundBandsPass());
    pm.addPass(createSplitProjectionsPass());
  }
  // Their products are planned as others are.
  pm.addPass(createExpandTrainingPass());
  pm.addPass(createCanonicalizerPass());
  PlanPassOptions plan;
  plan.force = options.plan;
  pm.addPass(createPlanPass(plan));
  addVerifyLevel(pm, Level::Planned);
}

static void buildBufferized(OpPassManager &pm, const PipelineOptions &options) {
  // While entries hold tensors, whose sizes follow from names, and each op is
  // one that was written.
  if (options.profile)
    pm.addPass(createNumberKernelsPass());
  pm.addPass(createTakeBuffersPass());
  // Attentions that no schedule takes take the plain path.
  pm.addNestedPass<func::FuncOp>(createFormKernelsPass());
  // Now kernels hold all that they will, and loops are those of the graph.
  pm.addPass(createRemarkPlainPass());
  pm.addNestedPass<func::FuncOp>(createDecomposePass());
  // Names of sizes are followed no more, and kernels hold all that they will.
  if (options.family != TargetFamily::X86)
    pm.addNestedPass<func::FuncOp>(createExpandPadsPass());
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  // Fewer tensors: bufferization compares all that read one of them.
  pm.addNestedPass<func::FuncOp>(createFusePointwisePass());
  // Before CSE, which makes one of all empty tensors of a size: they would be
  // nobody's own.
  pm.addNestedPass<func::FuncOp>(createComputeInResultsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After CSE, which makes one value of equal sizes.
  pm.addNestedPass<func::FuncOp>(createComputeInPlacePass());
  // After CSE, which makes one tensor of all that are empty.
  pm.addNestedPass<func::FuncOp>(createLimitSharingPass());
  pm.addPass(createBufferizePass());
  bufferization::BufferDeallocationPipelineOptions deallocate;
  bufferization::buildBufferDeallocationPipeline(pm, deallocate);
  // Where a buffer is no longer needed, another one may take its place.
  pm.addNestedPass<func::FuncOp>(
      bufferization::createOptimizeAllocationLivenessPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  addVerifyLevel(pm, Level::Bufferized);
}

static void buildTiled(OpPassManager &pm, const PipelineOptions &options) {
  if (options.embed) {
    pm.addPass(createEmbedParametersPass());
    // Views of parameters say where their elements lie.
    pm.addPass(createCanonicalizerPass());
  }
  // Before schedules: a kernel is one op, and will be hundreds.
  // A GPU's entry calls nothing: it launches.
  if (options.family == TargetFamily::X86) {
    // While kernels are in the entries, whose arguments are parameters.
    pm.addPass(createPackParametersPass());
    pm.addPass(createShareKernelsPass());
  }
  pm.addNestedPass<func::FuncOp>(createAppendsToLoopsPass());
  pm.addPass(createStageKernelsPass());
  pm.addPass(createScheduleKernelsPass());
  // No schedule took the linalg ops that are still there. Those of a CPU become
  // loops later.
  if (options.family != TargetFamily::X86) {
    // Ops in loops are shares of a block's threads, no grids.
    pm.addNestedPass<func::FuncOp>(createLoopsToBlocksPass());
    pm.addNestedPass<func::FuncOp>(createLoopsToGridsPass());
    // Manifests have words for arithmetic on sizes, not for maps of them.
    pm.addPass(createLowerAffinePass());
    // Kernels write constants now: nobody reads the globals.
    pm.addPass(createSymbolDCEPass());
  }
  // Accesses outside of a tile are to meet memory that is nobody's.
  if (options.sanitizer == "address")
    pm.addNestedPass<func::FuncOp>(createSeparateScratchPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Who has panels does not read the parameter.
  if (options.embed)
    pm.addPass(createDropUnreadPass());
  addVerifyLevel(pm, Level::Tiled);
}

/// Functions and arithmetic of a graph's own on 16-bit floats are computed in
/// f32, too.
static void addWideArithmetic(OpPassManager &pm) {
  math::MathExtendToSupportedTypesOptions functions;
  functions.targetTypeStr = "f32";
  pm.addPass(math::createMathExtendToSupportedTypes(functions));
  arith::ArithEmulateUnsupportedFloatsOptions wide;
  wide.sourceTypeStrs = {"f16", "bf16"};
  wide.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(wide));
}

/// Kernels as functions of the LLVM dialect; what launches them stays.
static void buildLlvmOfKernels(OpPassManager &pm) {
  // While it shows which arguments kernels report on.
  pm.addPass(createReportValuesPass());
  // Workspaces and launches have words for sizes of arguments.
  pm.addPass(createSizesOfViewsPass());
  // While entries hold buffers, of which kernels are given addresses.
  pm.addPass(createPlanWorkspacePass());
  pm.addPass(createFoldReshapesPass());
  // While indices have 64 bits.
  pm.addPass(createWidenProductsPass());
  pm.addPass(createGridsToLaunchesPass());
  // No function of the math dialect may be left for the conversion from gpu: it
  // would call libdevice, which not every machine has.
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  addWideArithmetic(device);
  device.addPass(createLowerMmaPass());
  device.addPass(createLowerWgmmaPass());
  device.addPass(createLowerGpuPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  // Pointers into parts of tiles are arithmetic on their offsets.
  device.addPass(memref::createExpandStridedMetadataPass());
  device.addPass(createLowerAffinePass());
  device.addPass(createSCFToControlFlowPass());
  // Sizes are below 2^31, which whoever launches checks; pointers and strides
  // have 64 bits.
  ConvertGpuOpsToNVVMOpsOptions convert;
  convert.indexBitwidth = 32;
  device.addPass(createConvertGpuOpsToNVVMOps(convert));
  // Some ops of nvvm are text in PTX.
  device.addPass(createConvertNVVMToLLVMPass());
  device.addPass(createReconcileUnrealizedCastsPass());
  device.addPass(createCanonicalizerPass());
  device.addPass(createCSEPass());
  // Now it shows what kernels read.
  pm.addPass(createDropParametersPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createDescribeLaunchesPass());
}

/// The memory of calls.
static void buildMemory(OpPassManager &pm, const PipelineOptions &options) {
  pm.addPass(createGridsToThreadsPass());
  // Threads are there, and kernels not yet mixed with what is around them.
  // Before workspaces: they are the last argument of functions.
  if (options.profile)
    pm.addPass(createProfileKernelsPass());
  // The address sanitizer sees the ends of allocations only.
  if (options.sanitizer != "address")
    pm.addPass(createPlanWorkspacePass());
}

void mixattn::buildWorkspace(OpPassManager &pm,
                             const PipelineOptions &options) {
  buildPipeline(pm, Level::Planned, Level::Tiled, options);
  buildMemory(pm, options);
}

static void buildLlvm(OpPassManager &pm, const PipelineOptions &options) {
  buildMemory(pm, options);
  pm.addPass(createExportEntriesPass());
  pm.addPass(createShareMovesPass());
  pm.addPass(createLowerCopiesPass());
  // Pointers into parts of buffers are arithmetic on their offsets. Tile ops
  // are lowered late: what follows walks over some times as many ops.
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(createSplitDimsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerX86Pass());
  pm.addPass(createBranchOnMasksPass());
  // LLVM would call a compiler's library for the conversions.
  addWideArithmetic(pm);
  // Polynomials for what they cover: libm's results vary by machine.
  pm.addPass(createApproximateMathPass());
  pm.addPass(createExpandF16Pass());
  pm.addPass(createExpandArithPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createExpandPowersPass());
  pm.addPass(createConvertMathToLLVMPass());
  // Functions that have neither a polynomial nor an instruction come from libm.
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // What is left, in one walk.
  ConvertToLLVMPassOptions rest;
  rest.filterDialects = {"amx",   "arith",  "cf",  "func",
                         "index", "memref", "omp", "ub"};
  pm.addPass(createConvertToLLVMPass(rest));
  pm.addPass(createMoveBf16AsBitsPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // Blocks are LLVM's to simplify.
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCanonicalizerPass(config));
  // After canonicalisation: which call of free belongs to which of malloc is
  // plain only once the descriptors of buffers have folded.
  pm.addPass(createCheckAllocationsPass());
  pm.addPass(createCSEPass());
}

void mixattn::buildPipeline(OpPassManager &pm, Level from, Level to,
                            const PipelineOptions &options) {
  auto isOnTheWay = [&](Level level) { return from < level && level <= to; };
  if (isOnTheWay(Level::Normal))
    buildNormal(pm, options);
  if (isOnTheWay(Level::Planned))
    buildPlanned(pm, options);
  if (isOnTheWay(Level::Bufferized))
    buildBufferized(pm, options);
  if (isOnTheWay(Level::Tiled))
    buildTiled(pm, options);
  if (!isOnTheWay(Level::Llvm))
    return;
  if (options.family == TargetFamily::X86)
    buildLlvm(pm, options);
  else
    buildLlvmOfKernels(pm);
  addVerifyLevel(pm, Level::Llvm);
}
