// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-separate-inits: what linalg ops compute from, they read as inputs.

#include "dialect/attn/Contraction.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mixattn {
#define GEN_PASS_DEF_SEPARATEINITSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// A value that every element of a tensor is read from by a map.
struct Source {
  Value value;
  AffineMap map;
};

struct SeparateInitsPass
    : mixattn::impl::SeparateInitsPassBase<SeparateInitsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    SmallVector<linalg::GenericOp> pointwise;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!op.hasPureTensorSemantics())
        return;
      if (findContraction(op) && addsToNumbers(op))
        contractions.push_back(op);
      else if (isPointwise(op) &&
               op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
        pointwise.push_back(cast<linalg::GenericOp>(op));
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : contractions)
      separate(rewriter, op);
    for (linalg::GenericOp op : pointwise)
      separate(rewriter, op);
  }

private:
  /// Whether `op` adds to a tensor that holds numbers, not all of them 0.
  static bool addsToNumbers(linalg::LinalgOp op) {
    Operation *init = op.getDpsInits()[0].getDefiningOp();
    auto fill = dyn_cast_or_null<linalg::FillOp>(init);
    return !isa_and_present<tensor::EmptyOp>(init) &&
           !(fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat()));
  }

  /// What the elements of `init` are read from, without the op that spreads
  /// it.
  static Source findSource(Value init) {
    MLIRContext *context = init.getContext();
    int64_t rank = cast<RankedTensorType>(init.getType()).getRank();
    Operation *made = init.getDefiningOp();
    if (auto fill = dyn_cast_or_null<linalg::FillOp>(made))
      return {fill.getInputs()[0], AffineMap::get(rank, 0, context)};
    if (auto spread = dyn_cast_or_null<linalg::BroadcastOp>(made))
      return {spread.getInput(),
              spread.getMatchingIndexingMap(spread.getDpsInputOperand(0))};
    return {init, AffineMap::getMultiDimIdentityMap(rank, context)};
  }

  static Value makeEmpty(IRRewriter &rewriter, Location loc, Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    return tensor::EmptyOp::create(rewriter, loc,
                                   tensor::getMixedSizes(rewriter, loc, like),
                                   type.getElementType());
  }

  /// Sums from 0, and adds them to what `op` adds to.
  static void separate(IRRewriter &rewriter, linalg::LinalgOp op) {
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    Value init = op.getDpsInits()[0];
    Source source = findSource(init);
    auto type = cast<RankedTensorType>(init.getType());
    Value empty = makeEmpty(rewriter, loc, init);
    Value zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    Value zeros =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    auto sums = cast<linalg::LinalgOp>(rewriter.clone(*op));
    sums.setDpsInitOperand(0, zeros);
    AffineMap each = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, type, ValueRange{sums->getResult(0), source.value}, empty,
        ArrayRef<AffineMap>{each, source.map, each}, loops,
        [](OpBuilder &b, Location loc, ValueRange numbers) {
          Value sum = arith::AddFOp::create(b, loc, numbers[0], numbers[1]);
          linalg::YieldOp::create(b, loc, sum);
        });
  }

  /// Reads the tensor that `op` writes to as an input.
  static void separate(IRRewriter &rewriter, linalg::GenericOp op) {
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    Value init = op.getDpsInits()[0];
    SmallVector<Value> inputs(op.getInputs());
    inputs.push_back(init);
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.push_back(maps.back());
    auto separated = linalg::GenericOp::create(
        rewriter, loc, op.getResultTypes(), inputs,
        makeEmpty(rewriter, loc, init), maps, op.getIteratorTypesArray());
    Region &body = separated.getRegion();
    rewriter.inlineRegionBefore(op.getRegion(), body, body.end());
    body.front().addArgument(body.front().getArguments().back().getType(), loc);
    rewriter.replaceOp(op, separated);
  }
};

} // namespace
