// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-grids-to-launches: grids become functions of a GPU, which are launched.

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/WgmmaOps.h"
#include "passes/Passes.h"
#include "passes/lower/gpu/CallSizes.h"
#include "passes/lower/gpu/DeviceBuffers.h"
#include "passes/lower/gpu/Reports.h"
#include "passes/lower/gpu/SharedMemory.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mixattn {
#define GEN_PASS_DEF_GRIDSTOLAUNCHESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `op` multiplies sizes: 32 bits may not hold what it gives. So the
/// launcher computes it, and refuses a call in which it does not fit.
static bool isProductOfSizes(Operation *op) {
  return isa<arith::MulIOp>(op) && isCallSize(op->getResult(0));
}

/// Copies what `grid` uses of sizes, numbers and parts of buffers into it, so
/// that buffers and numbers of the caller's remain, and buffers in the
/// workspace, and gives these: arguments of the function first, in their order.
static SmallVector<Value> sinkOperands(tile::GridOp grid) {
  OpBuilder b(grid.getBody());
  DenseMap<Value, Value> sunk;
  std::function<Value(Value)> sink = [&](Value value) -> Value {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op) ||
        isa<memref::ViewOp>(op) || isProductOfSizes(op))
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

static SmallVector<int64_t> stridesOf(MemRefType type) {
  return type.getStridesAndOffset().first;
}

/// How many strides of a buffer a kernel is given: none where they follow from
/// its sizes.
static int64_t countStrides(MemRefType type) {
  return type.getLayout().isIdentity()
             ? 0
             : llvm::count_if(stridesOf(type), ShapedType::isDynamic);
}

/// The open strides of a buffer of `type`, whose open sizes are `sizes`, each
/// the product of the sizes after it.
static SmallVector<Value> emitStrides(ImplicitLocOpBuilder &b, MemRefType type,
                                      ValueRange sizes) {
  SmallVector<Value> strides;
  Value stride = arith::ConstantOp::create(b, b.getI64IntegerAttr(1));
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (ShapedType::isDynamic(stridesOf(type)[dim]))
      strides.insert(strides.begin(), stride);
    Value size =
        type.isDynamicDim(dim)
            ? arith::IndexCastOp::create(b, b.getI64Type(),
                                         sizes[type.getDynamicDimIndex(dim)])
                  .getResult()
            : arith::ConstantOp::create(
                  b, b.getI64IntegerAttr(type.getDimSize(dim)))
                  .getResult();
    stride = b.createOrFold<arith::MulIOp>(stride, size);
  }
  return strides;
}

namespace {

/// The arguments of a kernel, what they are, and of which values.
struct Parameters {
  SmallVector<Attribute> kinds;
  SmallVector<Value> values;
  SmallVector<Type> types;
};

/// Outlines the grids of one module.
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), b(module.getLoc(), module.getContext()) {}

  void run(tile::GridOp grid);

private:
  gpu::GPUModuleOp getKernels();
  std::string nameOf(tile::GridOp grid);
  void addTensorMaps(tile::GridOp grid, ArrayRef<Value> buffers,
                     Parameters &parameters);
  void addStatus(ArrayRef<tile::ReportOp> reports, Parameters &parameters);
  void addParameters(ArrayRef<Value> operands, Parameters &parameters);
  void nameOperands(ArrayRef<Value> operands, Block &entry, Region &body);
  gpu::GPUFuncOp outline(tile::GridOp grid, ArrayRef<Value> operands,
                         ArrayRef<tile::ReportOp> reports,
                         const Parameters &parameters);

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

/// Adds the parameters for values that a grid takes from outside: of
/// buffers their pointer, and the sizes and strides that their types leave
/// open.
void Outliner::addParameters(ArrayRef<Value> operands, Parameters &parameters) {
  MLIRContext *context = b.getContext();
  auto add = [&](tile::ParameterKind kind, Value value, Type type,
                 int64_t dim = 0) {
    parameters.kinds.push_back(tile::ParameterAttr::get(context, kind, dim));
    parameters.values.push_back(value);
    parameters.types.push_back(type);
  };
  auto pointer = LLVM::LLVMPointerType::get(
      context, unsigned(NVVM::NVVMMemorySpace::Global));
  for (Value operand : operands) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      add(tile::ParameterKind::Number, operand, operand.getType());
      continue;
    }
    add(tile::ParameterKind::Pointer, operand, pointer);
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        add(tile::ParameterKind::Number,
            b.createOrFold<memref::DimOp>(operand, dim), b.getIndexType());
    for (auto [dim, stride] : llvm::enumerate(stridesOf(type)))
      if (countStrides(type) && ShapedType::isDynamic(stride))
        add(tile::ParameterKind::Stride, operand, b.getI64Type(), dim);
  }
}

/// Adds the address of the status word for each of `reports`.
void Outliner::addStatus(ArrayRef<tile::ReportOp> reports,
                         Parameters &parameters) {
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  for (tile::ReportOp report : reports) {
    parameters.kinds.push_back(
        tile::ParameterAttr::get(b.getContext(), tile::ParameterKind::Status));
    parameters.values.push_back(report.getBuffer());
    parameters.types.push_back(pointer);
  }
}

/// Adds a parameter for each tensor map that a grid uses, of `buffers` in turn,
/// after all else.
void Outliner::addTensorMaps(tile::GridOp grid, ArrayRef<Value> buffers,
                             Parameters &parameters) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  const Value *buffer = buffers.begin();
  grid.walk([&](tile::TensorMapOp map) {
    int64_t box[] = {int64_t(map.getRows()), int64_t(map.getColumns())};
    parameters.kinds.push_back(tile::ParameterAttr::get(
        b.getContext(), tile::ParameterKind::TensorMap, /*dim=*/0,
        /*alignment=*/1, box, map.getSwizzle()));
    parameters.values.push_back(*buffer++);
    parameters.types.push_back(pointer);
  });
}

/// The bytes that the accesses to rows of `buffer` want to divide their
/// addresses.
static int64_t alignmentOfRows(Value buffer) {
  int64_t most = 1;
  for (Operation *user : buffer.getUsers()) {
    int64_t own =
        TypeSwitch<Operation *, int64_t>(user)
            .Case([](ViewLikeOpInterface op) {
              return alignmentOfRows(op->getResult(0));
            })
            .Case([](tile::MmaCopyOp op) {
              return bytesDividingRows(op.getSource(), 16);
            })
            .Case<vector::LoadOp, vector::StoreOp>([](auto op) {
              return alignmentOfPiece(op.getBase(), op.getVectorType());
            })
            .Case([](tile::MmaLoadOp op) {
              return bytesDividingRows(op.getSource(), 4);
            })
            .Case([](tile::StoreOp op) {
              auto type = cast<MemRefType>(op.getTarget().getType());
              return bytesDividingRows(op.getTarget(),
                                       type.getElementTypeBitWidth() / 4);
            })
            .Default([](Operation *) { return 1; });
    most = std::max(most, own);
  }
  return most;
}

/// Puts what `operands` are in the kernel, made of its arguments, in their
/// place in `body`.
void Outliner::nameOperands(ArrayRef<Value> operands, Block &entry,
                            Region &body) {
  ValueRange rest = entry.getArguments();
  auto take = [&](size_t count) {
    ValueRange taken = rest.take_front(count);
    rest = rest.drop_front(count);
    return taken;
  };
  for (Value operand : operands) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    Value inside = take(1).front();
    if (type) {
      ValueRange sizes = take(type.getNumDynamicDims());
      SmallVector<Value> strides(take(countStrides(type)));
      if (type.getLayout().isIdentity())
        strides = emitStrides(b, type, sizes);
      inside = tile::DeviceBufferOp::create(b, type, inside, sizes, strides);
    }
    replaceAllUsesInRegionWith(operand, inside, body);
  }
}

/// The function of `parameters` that runs the region of `grid`.
gpu::GPUFuncOp Outliner::outline(tile::GridOp grid, ArrayRef<Value> operands,
                                 ArrayRef<tile::ReportOp> reports,
                                 const Parameters &parameters) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(getKernels().getBody());
  auto function = gpu::GPUFuncOp::create(
      b, nameOf(grid), b.getFunctionType(parameters.types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  function.setKnownBlockSize(ArrayRef<int32_t>{int32_t(grid.getThreads()),
                                               int32_t(grid.getTeams()), 1});
  Block &entry = function.getBody().front(), &body = grid.getBody().front();
  b.setInsertionPointToStart(&entry);
  constexpr gpu::Dimension dimensions[] = {gpu::Dimension::x, gpu::Dimension::y,
                                           gpu::Dimension::z};
  for (auto [number, dimension] : llvm::zip(grid.getItem(), dimensions))
    number.replaceAllUsesWith(gpu::BlockIdOp::create(b, dimension).getResult());
  // Told that one block on a multiprocessor will do, ptxas spills nothing to
  // have more of them there. It must know, too, to share out registers anew.
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(int32_t(grid.getResident())));
  // Tensor maps are the last arguments.
  SmallVector<tile::TensorMapOp> maps;
  grid.walk([&](tile::TensorMapOp map) { maps.push_back(map); });
  for (auto [map, argument] :
       llvm::zip(maps, entry.getArguments().take_back(maps.size()))) {
    map.getMap().replaceAllUsesWith(argument);
    map.erase();
  }
  // Before buffers have other names: a report knows its argument by it.
  for (auto [report, argument] :
       llvm::zip(reports, entry.getArguments()
                              .drop_back(maps.size())
                              .take_back(reports.size())))
    lowerReport(report, argument);
  nameOperands(operands, entry, grid.getBody());
  entry.getOperations().splice(entry.end(), body.getOperations());
  b.setInsertionPointToEnd(&entry);
  gpu::ReturnOp::create(b);
  return function;
}

void Outliner::run(tile::GridOp grid) {
  b.setLoc(grid.getLoc());
  SmallVector<tile::ReportOp> reports = takeReports(grid);
  // The host makes tensor maps: of buffers as they are outside of the grid.
  SmallVector<Value> mapped;
  grid.walk([&](tile::TensorMapOp map) { mapped.push_back(map.getBuffer()); });
  SmallVector<Value> operands = sinkOperands(grid);
  b.setInsertionPoint(grid);
  Parameters parameters;
  addParameters(operands, parameters);
  addStatus(reports, parameters);
  addTensorMaps(grid, mapped, parameters);
  int64_t sharedBytes = sharedBytesOf(grid);
  gpu::GPUFuncOp function = outline(grid, operands, reports, parameters);
  for (auto [argument, kind] :
       llvm::zip(function.getArguments(), parameters.kinds))
    for (Operation *user : argument.getUsers())
      if (auto buffer = dyn_cast<tile::DeviceBufferOp>(user);
          buffer && buffer.getPointer() == argument)
        kind = tile::ParameterAttr::get(b.getContext(),
                                        tile::ParameterKind::Pointer, /*dim=*/0,
                                        alignmentOfRows(buffer.getBuffer()));
  auto kernel =
      SymbolRefAttr::get(getKernels().getNameAttr(),
                         FlatSymbolRefAttr::get(function.getNameAttr()));
  tile::LaunchOp::create(b, kernel, grid.getCounts(), grid.getThreads(),
                         grid.getTeams(), sharedBytes,
                         b.getArrayAttr(parameters.kinds), parameters.values);
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
