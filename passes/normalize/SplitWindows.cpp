// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-split-windows: windows that lie side by side become dims of their own.

#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_SPLITWINDOWSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// A dim of an operand that loops walk over window by window: element
/// `window * step + inside`, for `length` elements of each window.
struct Windows {
  unsigned window, inside;
  int64_t step, length;
};

} // namespace

/// `expr`, a result of a map of `op`, as windows that do not overlap and whose
/// elements lie side by side; or none.
static std::optional<Windows> findWindows(AffineExpr expr,
                                          ArrayRef<int64_t> sizes) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  // A loop, and what it is multiplied by.
  auto readTerm =
      [](AffineExpr term) -> std::optional<std::pair<unsigned, int64_t>> {
    if (auto loop = dyn_cast<AffineDimExpr>(term))
      return std::pair(loop.getPosition(), 1);
    auto product = dyn_cast<AffineBinaryOpExpr>(term);
    if (!product || product.getKind() != AffineExprKind::Mul)
      return std::nullopt;
    auto loop = dyn_cast<AffineDimExpr>(product.getLHS());
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    if (!loop || !factor || factor.getValue() < 1)
      return std::nullopt;
    return std::pair(loop.getPosition(), factor.getValue());
  };
  auto one = readTerm(sum.getLHS()), other = readTerm(sum.getRHS());
  if (!one || !other || one->first == other->first)
    return std::nullopt;
  for (auto [outer, inner] : {std::pair(*one, *other), {*other, *one}}) {
    int64_t length = sizes[inner.first];
    if (length == 1 || (inner.second == 1 && length == outer.second))
      return Windows{outer.first, inner.first, outer.second, length};
  }
  return std::nullopt;
}

/// The size of loop `loop` of `op`, by an operand that has a dim of it.
static OpFoldResult sizeOfLoop(OpBuilder &b, linalg::LinalgOp op,
                               unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (std::optional<unsigned> dim =
            map.getResultPosition(b.getAffineDimExpr(loop)))
      return tensor::getMixedSize(b, op.getLoc(), operand.get(), *dim);
  }
  return nullptr;
}

/// `source` with dim `dim` as two: its windows, `count` of them, and what is in
/// one.
static Value splitDim(ImplicitLocOpBuilder &b, Value source, unsigned dim,
                      const Windows &windows, OpFoldResult count) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), source);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  // What comes after the last window, or between two, is left out.
  OpFoldResult kept = count;
  if (windows.length == 1)
    strides[dim] = b.getIndexAttr(windows.step);
  else if (std::optional<int64_t> number = getConstantIntValue(count))
    kept = b.getIndexAttr(*number * windows.length);
  else
    kept = b.createOrFold<arith::MulIOp>(
        cast<Value>(count), arith::ConstantIndexOp::create(b, windows.length));
  bool isWhole = getConstantIntValue(kept) == type.getDimSize(dim) &&
                 (windows.length > 1 || windows.step == 1);
  sizes[dim] = kept;
  if (!isWhole)
    source = tensor::ExtractSliceOp::create(b, source, offsets, sizes, strides);
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> split;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    ReassociationIndices &group = groups.emplace_back();
    group.push_back(split.size());
    split.push_back(i == dim ? count : size);
    if (i != dim)
      continue;
    group.push_back(split.size());
    split.push_back(b.getIndexAttr(windows.length));
  }
  SmallVector<int64_t> shape;
  for (OpFoldResult size : split)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), source, groups,
      split);
}

/// Splits the first dim of an input of `op` that has windows, if one has, and
/// gives the op that takes the result.
static linalg::LinalgOp splitOne(IRRewriter &rewriter, linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      std::optional<Windows> windows = findWindows(expr, sizes);
      if (!windows)
        continue;
      ImplicitLocOpBuilder b(op.getLoc(), rewriter);
      b.setInsertionPoint(op);
      OpFoldResult count = sizeOfLoop(b, op, windows->window);
      if (!count)
        continue;
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        rewriter.setInsertionPoint(op);
        generic = *linalg::generalizeNamedOp(rewriter, op);
        input = &generic->getOpOperand(input->getOperandNumber());
        b.setInsertionPoint(generic);
      }
      SmallVector<AffineExpr> results(map.getResults());
      results[dim] = b.getAffineDimExpr(windows->inside);
      results.insert(results.begin() + dim,
                     b.getAffineDimExpr(windows->window));
      SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
      maps[input->getOperandNumber()] =
          AffineMap::get(map.getNumDims(), 0, results, b.getContext());
      Value split = splitDim(b, input->get(), dim, *windows, count);
      rewriter.modifyOpInPlace(generic, [&] {
        input->set(split);
        generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
      });
      return generic;
    }
  }
  return nullptr;
}

namespace {

struct SplitWindowsPass
    : mixattn::impl::SplitWindowsPassBase<SplitWindowsPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics())
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : found)
      while (op)
        op = splitOne(rewriter, op);
  }
};

} // namespace
