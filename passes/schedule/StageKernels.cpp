// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-stage-kernels: a kernel for each case of a plan, and for each stage.

#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/normalize/Projections.h"
#include "passes/normalize/algebra/Stages.h"
#include "passes/schedule/CaseChoice.h"
#include "passes/schedule/KernelChecks.h"
#include "passes/schedule/Stages.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mixattn {
#define GEN_PASS_DEF_STAGEKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// Splits a kernel of several stages into one for each. Results of all but the
/// last go to buffers between them.
class Splitter {
public:
  explicit Splitter(KernelOp kernel)
      : b(kernel.getLoc(), kernel), kernel(kernel) {
    for (auto [argument, input] :
         llvm::zip(kernel.getBody().front().getArguments(), kernel.getInputs()))
      buffers[argument] = input;
  }

  /// Gives the kernel of the last op.
  KernelOp run();

private:
  SmallVector<Value> allocate(Operation *op);
  Value cloneSize(Value size);
  KernelOp makeKernel(Operation *op, ValueRange outputs);

  ImplicitLocOpBuilder b;
  KernelOp kernel;
  /// Where the values lie that ops of the kernel's region take.
  DenseMap<Value, Value> buffers;
};

} // namespace

/// `size`, which ops of the kernel's region compute from sizes of tensors, from
/// those of their buffers.
Value Splitter::cloneSize(Value size) {
  Operation *op = size.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return b.createOrFold<memref::DimOp>(buffers.lookup(dim.getSource()),
                                         *dim.getConstantIndex());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, cloneSize(operand));
  return b.clone(*op, mapping)->getResult(0);
}

/// A buffer for each result of `op`. Their sizes follow from sizes of operands.
SmallVector<Value> Splitter::allocate(Operation *op) {
  OpBuilder inside(op);
  ReifiedRankedShapedTypeDims shapes;
  [[maybe_unused]] LogicalResult known = reifyResultShapes(inside, op, shapes);
  assert(succeeded(known) && "stages know the sizes of their results");
  constexpr int64_t alignment = 64;
  SmallVector<Value> made;
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> open;
    for (auto [i, size] : llvm::enumerate(shape)) {
      if (!type.isDynamicDim(i))
        continue;
      // An operand may know a size that the result leaves open.
      auto value = dyn_cast<Value>(size);
      open.push_back(value ? cloneSize(value) : IndexMath(b).value(size));
    }
    made.push_back(memref::AllocOp::create(
        b, MemRefType::get(type.getShape(), type.getElementType()), open,
        b.getI64IntegerAttr(alignment)));
  }
  return made;
}

/// A kernel of `op` alone.
KernelOp Splitter::makeKernel(Operation *op, ValueRange outputs) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  SmallVector<Value> inputs;
  SmallVector<Type> types;
  for (Value value : used)
    if (Value buffer = buffers.lookup(value)) {
      inputs.push_back(buffer);
      types.push_back(value.getType());
    }
  auto made = KernelOp::create(b, TypeRange(), inputs, outputs);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&made.getBody(), {}, types,
                               SmallVector<Location>(types.size(), b.getLoc()));
  IRMapping mapping;
  auto argument = block->args_begin();
  for (Value value : used)
    mapping.map(value, buffers.contains(value)
                           ? Value(*argument++)
                           : b.clone(*value.getDefiningOp())->getResult(0));
  ResultsOp::create(b, b.clone(*op, mapping)->getResults());
  return made;
}

KernelOp Splitter::run() {
  SmallVector<Operation *> stages;
  Operation *last = kernel.getAnchor();
  for (Operation &op : kernel.getBody().front())
    if (op.hasTrait<IsStage>() && &op != last)
      stages.push_back(&op);
  SmallVector<Value> between;
  for (Operation *op : stages) {
    SmallVector<Value> made = allocate(op);
    makeKernel(op, made);
    for (auto [result, buffer] : llvm::zip(op->getResults(), made))
      buffers[result] = buffer;
    llvm::append_range(between, made);
  }
  KernelOp made = makeKernel(last, kernel.getOutputs());
  for (Value buffer : llvm::reverse(between))
    memref::DeallocOp::create(b, buffer);
  kernel.erase();
  return made;
}

namespace {

struct StageKernelsPass
    : mixattn::impl::StageKernelsPassBase<StageKernelsPass> {
  using Base::Base;

  /// Makes one kernel of `kernel`, computed as `plan` says, and its stages.
  static void stage(KernelOp kernel, const PlanCase &plan,
                    const Schedules &schedules) {
    Operation *op = kernel.getAnchor();
    if (getPlan(op))
      setPlan(op, PlanAttr::get(op->getContext(), plan));
    const Schedule *schedule = findSchedule(schedules, plan.algorithm);
    if (!needsStages(op, *schedule))
      return;
    IRRewriter rewriter(kernel.getContext());
    if (needsTerms(op, *schedule))
      makeTerms(rewriter, cast<GenericOp>(op));
    if (schedule->hasStages(op))
      schedule->makeStages(rewriter, op, plan);
    Splitter(kernel).run();
  }

  /// Makes the stages of all cases of `plan` once, and those of each way to
  /// compute it, under a test of the sizes.
  static void stageCases(KernelOp kernel, ArrayRef<PlanCase> plan,
                         const Schedules &schedules) {
    IRRewriter rewriter(kernel.getContext());
    if (auto op = dyn_cast<GenericOp>(kernel.getAnchor());
        op && makeProjections(rewriter, op))
      kernel = Splitter(kernel).run();
    ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
    CaseChoice choice(b, kernel, plan);
    for (unsigned way = 0; way + 1 < choice.getWays().size(); ++way) {
      auto isWay =
          scf::IfOp::create(b, choice.emit(way), /*withElseRegion=*/true);
      b.setInsertionPoint(isWay.thenYield());
      stage(cast<KernelOp>(b.clone(*kernel)), choice.getWays()[way], schedules);
      kernel->moveBefore(isWay.elseYield());
      b.setInsertionPoint(kernel);
    }
    stage(kernel, choice.getWays().back(), schedules);
  }

  void runOnOperation() override {
    Schedules schedules = schedulesFor(TargetAttr::of(getOperation()));
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    for (KernelOp kernel : kernels)
      if (failed(checkKernel(kernel, schedules)))
        return signalPassFailure();
    for (KernelOp kernel : kernels)
      stageCases(kernel, casesOf(kernel, schedules), schedules);
  }
};

} // namespace
