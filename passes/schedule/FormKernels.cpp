// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-form-kernels: wraps planned attentions as kernels on tensors.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/plan/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mixattn {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The tensor of bytes whose elements are not 0 where those of `booleans` are
/// true: the one that they were made from, or a new one.
static Value asBytes(OpBuilder &b, Location loc, Value booleans) {
  if (auto made = booleans.getDefiningOp<linalg::GenericOp>();
      made && made.getNumDpsInputs() == 1 &&
      llvm::all_of(made.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); })) {
    auto type = dyn_cast<RankedTensorType>(made.getInputs()[0].getType());
    auto yielded = made.getBody()->getTerminator()->getOperand(0);
    auto compared = yielded.getDefiningOp<arith::CmpIOp>();
    if (type && type.getElementType().isInteger(8) && compared &&
        compared.getPredicate() == arith::CmpIPredicate::ne &&
        compared.getLhs() == made.getBody()->getArgument(0) &&
        matchPattern(compared.getRhs(), m_Zero()))
      return made.getInputs()[0];
  }
  auto type = cast<RankedTensorType>(booleans.getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, booleans), b.getI8Type());
  AffineMap each = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), booleans, init,
             ArrayRef<AffineMap>{each, each}, loops,
             [](OpBuilder &b, Location loc, ValueRange args) {
               Value byte =
                   arith::ExtUIOp::create(b, loc, b.getI8Type(), args[0]);
               linalg::YieldOp::create(b, loc, byte);
             })
      .getResult(0);
}

/// Wraps `op` as a kernel into new tensors.
static void formKernel(Operation *op) {
  IRRewriter rewriter(op);
  Location loc = op->getLoc();
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);

  ReifiedRankedShapedTypeDims shapes;
  [[maybe_unused]] LogicalResult known =
      reifyResultShapes(rewriter, op, shapes);
  assert(succeeded(known) && "attention ops know the sizes of their results");
  SmallVector<Value> inputs, outputs;
  SmallVector<Type> types;
  IRMapping mapping;
  for (Value value : used) {
    if (matchPattern(value, m_Constant()) && !isa<TensorType>(value.getType()))
      continue;
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    bool isBoolean = tensor && tensor.getElementType().isInteger(1);
    inputs.push_back(isBoolean ? asBytes(rewriter, loc, value) : value);
    types.push_back(value.getType());
  }
  for (auto [result, sizes] : llvm::zip(op->getResults(), shapes)) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> dynamic;
    for (auto [i, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(i))
        dynamic.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
    outputs.push_back(tensor::EmptyOp::create(rewriter, loc, type, dynamic));
  }
  auto kernel =
      KernelOp::create(rewriter, loc, op->getResultTypes(), inputs, outputs);
  SmallVector<Location> places(types.size(), loc);
  Block *block = rewriter.createBlock(&kernel.getBody(), {}, types, places);
  auto argument = block->args_begin();
  for (Value value : used) {
    if (matchPattern(value, m_Constant()) && !isa<TensorType>(value.getType()))
      mapping.map(value, rewriter.clone(*value.getDefiningOp())->getResult(0));
    else
      mapping.map(value, *argument++);
  }
  Operation *copy = rewriter.clone(*op, mapping);
  ResultsOp::create(rewriter, loc, copy->getResults());
  rewriter.replaceOp(op, kernel.getResults());
}

namespace {

struct FormKernelsPass : mixattn::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  /// Whether `op` becomes a kernel: by the last case of its plan, or by any
  /// schedule where it has none.
  static bool isFormed(Operation *op, const Schedules &schedules) {
    if (PlanAttr plan = getPlan(op))
      return findSchedule(schedules, plan.getCases().back().algorithm)
          ->formsKernels();
    return findFirst(op, schedules);
  }

  void runOnOperation() override {
    Schedules schedules = schedulesFor(TargetAttr::of(getOperation()));
    SmallVector<Operation *> fused;
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<KernelOp>(op))
            return WalkResult::skip();
          if (!canBePlanned(op))
            return WalkResult::advance();
          if (PlanAttr plan = getPlan(op))
            for (const PlanCase &each : plan.getCases())
              if (std::string why = whyNotBy(each, op, schedules);
                  !why.empty()) {
                op->emitOpError("cannot be computed as planned by '")
                    << each.algorithm.getValue() << "': " << why;
                return WalkResult::interrupt();
              }
          if (isFormed(op, schedules))
            fused.push_back(op);
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Operation *op : fused)
      formKernel(op);
  }
};

} // namespace
