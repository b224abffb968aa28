// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-grids-to-launches: grids become functions of a GPU, which are launched.

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mixattn {
#define GEN_PASS_DEF_GRIDSTOLAUNCHESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Copies what `grid` uses of sizes, numbers and parts of buffers into it, so
/// that buffers and numbers of the caller's remain, and gives these: arguments
/// of the function first, in their order.
static SmallVector<Value> sinkOperands(tile::GridOp grid) {
  OpBuilder b(grid.getBody());
  DenseMap<Value, Value> sunk;
  std::function<Value(Value)> sink = [&](Value value) -> Value {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
      return value;
    if (Value known = sunk.lookup(value))
      return known;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, sink(operand));
    Operation *copy = b.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
      sunk[from] = to;
    return sunk.lookup(value);
  };
  SetVector<Value> used;
  getUsedValuesDefinedAbove(grid.getBody(), used);
  for (Value value : used)
    replaceAllUsesInRegionWith(value, sink(value), grid.getBody());
  used.clear();
  getUsedValuesDefinedAbove(grid.getBody(), used);
  SmallVector<BlockArgument> arguments;
  SmallVector<Value> others;
  for (Value value : used)
    if (auto argument = dyn_cast<BlockArgument>(value))
      arguments.push_back(argument);
    else
      others.push_back(value);
  llvm::sort(arguments, [](BlockArgument x, BlockArgument y) {
    return x.getArgNumber() < y.getArgNumber();
  });
  SmallVector<Value> rest(arguments.begin(), arguments.end());
  llvm::append_range(rest, others);
  return rest;
}

namespace {

/// Outlines the grids of one module.
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), b(module.getLoc(), module.getContext()) {}

  void run(tile::GridOp grid);

private:
  gpu::GPUModuleOp getKernels();
  std::string nameOf(tile::GridOp grid);
  gpu::GPUFuncOp outline(tile::GridOp grid, ArrayRef<Value> operands);

  ModuleOp module;
  ImplicitLocOpBuilder b;
  gpu::GPUModuleOp kernels;
};

} // namespace

/// The gpu.module of ours, for the module's chip.
gpu::GPUModuleOp Outliner::getKernels() {
  if (kernels)
    return kernels;
  constexpr StringLiteral name = "mixattn_kernels";
  MLIRContext *context = module.getContext();
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  UnitAttr::get(context));
  // The lowest PTX version that has the chip: ptxas takes later ones, too.
  Attribute target = NVVM::NVVMTargetAttr::get(
      context, /*optLevel=*/2, "nvptx64-nvidia-cuda",
      TargetAttr::of(module).getChip(), /*features=*/"");
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  kernels = gpu::GPUModuleOp::create(b, name, ArrayAttr::get(context, target));
  // Another symbol of that name keeps it.
  for (int64_t i = 0; llvm::any_of(module.getOps<SymbolOpInterface>(),
                                   [&](SymbolOpInterface each) {
                                     return each != kernels &&
                                            each.getName() == kernels.getName();
                                   });
       ++i)
    kernels.setSymName((name + "_" + Twine(i)).str());
  return kernels;
}

/// A name for the next kernel of the function that `grid` is in.
std::string Outliner::nameOf(tile::GridOp grid) {
  auto function = grid->getParentOfType<FunctionOpInterface>();
  for (int64_t i = 0;; ++i) {
    std::string name = (function.getName() + "_kernel_" + Twine(i)).str();
    if (!SymbolTable::lookupSymbolIn(getKernels(), name))
      return name;
  }
}

/// The function of `operands` that runs the region of `grid`.
gpu::GPUFuncOp Outliner::outline(tile::GridOp grid, ArrayRef<Value> operands) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(getKernels().getBody());
  auto function = gpu::GPUFuncOp::create(
      b, nameOf(grid), b.getFunctionType(ValueRange(operands).getTypes(), {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSize(
      ArrayRef<int32_t>{int32_t(grid.getThreads()), 1, 1});
  Block &entry = function.getBody().front(), &body = grid.getBody().front();
  b.setInsertionPointToStart(&entry);
  constexpr gpu::Dimension dimensions[] = {gpu::Dimension::x, gpu::Dimension::y,
                                           gpu::Dimension::z};
  for (auto [number, dimension] : llvm::zip(grid.getItem(), dimensions))
    number.replaceAllUsesWith(gpu::BlockIdOp::create(b, dimension).getResult());
  for (auto [operand, argument] : llvm::zip(operands, function.getArguments()))
    replaceAllUsesInRegionWith(operand, argument, grid.getBody());
  entry.getOperations().splice(entry.end(), body.getOperations());
  b.setInsertionPointToEnd(&entry);
  gpu::ReturnOp::create(b);
  // A tile in shared memory is the function's.
  for (auto tile :
       llvm::make_early_inc_range(entry.getOps<memref::AllocaOp>())) {
    if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(tile.getType()))
      continue;
    Value shared = function.addWorkgroupAttribution(tile.getType(), b.getLoc());
    if (IntegerAttr alignment = tile.getAlignmentAttr())
      function.setWorkgroupAttributionAttr(
          function.getNumWorkgroupAttributions() - 1,
          LLVM::LLVMDialect::getAlignAttrName(), alignment);
    tile.replaceAllUsesWith(shared);
    tile.erase();
  }
  return function;
}

void Outliner::run(tile::GridOp grid) {
  b.setLoc(grid.getLoc());
  SmallVector<Value> operands = sinkOperands(grid);
  gpu::GPUFuncOp function = outline(grid, operands);
  b.setInsertionPoint(grid);
  Value one = IndexMath(b).value(1);
  SmallVector<Value> counts(grid.getCounts());
  counts.resize(3, one);
  gpu::LaunchFuncOp::create(
      b, function, gpu::KernelDim3{counts[0], counts[1], counts[2]},
      gpu::KernelDim3{IndexMath(b).value(grid.getThreads()), one, one},
      /*dynamicSharedMemorySize=*/Value(), operands);
  grid.erase();
}

namespace {

struct GridsToLaunchesPass
    : mixattn::impl::GridsToLaunchesPassBase<GridsToLaunchesPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<tile::GridOp> grids;
    getOperation()->walk([&](tile::GridOp grid) { grids.push_back(grid); });
    for (tile::GridOp grid : grids)
      if (grid.getScratchBytes()) {
        grid.emitOpError("cannot be launched: a block of threads has shared "
                         "memory in place of scratch");
        return signalPassFailure();
      }
    Outliner outliner(getOperation());
    for (tile::GridOp grid : grids)
      outliner.run(grid);
  }
};

} // namespace
