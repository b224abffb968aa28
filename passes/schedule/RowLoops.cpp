// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the loops of a linalg op walk over rows.

#include "passes/schedule/RowLoops.h"

#include "passes/plan/Schedule.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

static bool isParallel(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel;
}

Operation *mixattn::findCombiner(linalg::LinalgOp op, unsigned number) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), number, combiners) ||
      combiners.size() != 1 || !arith::getNeutralElement(combiners.front()) ||
      !linalg::getCombinerOpKind(combiners.front()))
    return nullptr;
  return combiners.front();
}

/// Whether sums of parts of the turns can be put together.
static bool hasCombiners(linalg::LinalgOp op) {
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    if (!findCombiner(op, i))
      return false;
  return true;
}

/// The loop whose turns follow one another in memory in the operand of the
/// highest rank, a result before others.
static std::optional<unsigned> findLane(linalg::LinalgOp op) {
  std::optional<unsigned> lane;
  int64_t highest = 0;
  auto look = [&](OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map.getNumResults() <= highest)
      return;
    auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!last)
      return;
    highest = map.getNumResults();
    lane = last.getPosition();
  };
  for (OpOperand &init : op.getDpsInitsMutable())
    look(init);
  for (OpOperand *input : op.getDpsInputOperands())
    look(*input);
  return lane;
}

RowLoops RowLoops::of(linalg::LinalgOp op, unsigned rows) {
  RowLoops loops;
  loops.op = op;
  loops.rows = rows;
  loops.lane = findLane(op);
  if (loops.lane && *loops.lane < rows)
    loops.lane.reset();
  if (loops.lane && !isParallel(op, *loops.lane) && !hasCombiners(op))
    loops.lane.reset();
  for (unsigned loop = rows; loop < op.getNumLoops(); ++loop)
    if (loop != loops.lane)
      (isParallel(op, loop) ? loops.outer : loops.turns).push_back(loop);
  return loops;
}

RowLoops RowLoops::of(linalg::LinalgOp op) {
  unsigned rows = 0;
  std::optional<unsigned> lane = findLane(op);
  while (rows < op.getNumLoops() && isParallel(op, rows) && lane != rows)
    ++rows;
  return of(op, rows);
}

bool RowLoops::reducesLanes() const {
  return lane && !isParallel(getOp(), *lane);
}

bool RowLoops::isByRow(AffineMap map) const {
  if (map.getNumResults() < rows)
    return false;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (i < rows && expr != getAffineDimExpr(i, map.getContext()))
      return false;
    for (unsigned row = 0; i >= rows && row < rows; ++row)
      if (expr.isFunctionOfDim(row))
        return false;
  }
  return true;
}

/// Whether vectors hold elements of `type`, and memory holds them as they are.
static bool isElement(Type type) {
  return type.isIndex() || type.isInteger(8) || type.isInteger(16) ||
         type.isInteger(32) || type.isInteger(64) ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

/// Why `inner`, an op of a body, is not computed for several lanes, or nothing.
static std::string whyNotWide(Operation &inner) {
  if (inner.hasTrait<OpTrait::ConstantLike>() ||
      isa<linalg::IndexOp, affine::AffineApplyOp, tensor::ExtractOp>(inner))
    return "";
  StringRef name = inner.getName().getStringRef();
  if (!inner.hasTrait<OpTrait::Vectorizable>() || inner.getNumRegions())
    return llvm::formatv("'{0}' is not elementwise", name);
  bool isWide = llvm::any_of(inner.getResultTypes(),
                             [](Type type) { return type.isF64(); });
  if (isWide && isa<math::MathDialect>(inner.getDialect()))
    return llvm::formatv("'{0}' is of f64", name);
  return "";
}

std::string mixattn::whyNoRows(Operation *op) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || !linalg.hasPureTensorSemantics() || isa<linalg::FillOp>(op))
    return "it is no 'linalg' op on tensors that computes";
  if (linalg.getNumLoops() == 0 || op->getNumResults() == 0)
    return "it has no loops";
  if (hasEmptyOperand(op))
    return "one of its operands has no elements";
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = getElementTypeOrSelf(operand.get());
    bool isBoolean = type.isInteger(1) && linalg.isDpsInput(&operand);
    if (!isElement(type) && !isBoolean)
      return llvm::formatv("an operand is of {0}", type);
    AffineMap map = linalg.getMatchingIndexingMap(&operand);
    if (map.getNumSymbols() ||
        (linalg.isDpsInit(&operand) && !map.isProjectedPermutation()))
      return "its indices are no loops";
  }
  // Kernels take booleans as such bytes.
  if (getElementTypeOrSelf(op->getResult(0)).isInteger(8) &&
      llvm::any_of(op->getOperandTypes(), [](Type type) {
        return getElementTypeOrSelf(type).isInteger(1);
      }))
    return "it makes bytes of booleans";
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    Type type = getElementTypeOrSelf(value);
    if (!matchPattern(value, m_Constant()) && !isElement(type) &&
        !type.isInteger(1))
      return llvm::formatv("it captures what is of {0}", type);
  }
  for (Operation &inner : linalg.getBlock()->without_terminator())
    if (std::string why = whyNotWide(inner); !why.empty())
      return why;
  return "";
}

std::string mixattn::whyNotOfRows(Operation *op, unsigned rows) {
  if (std::string why = whyNoRows(op); !why.empty())
    return why;
  auto linalg = cast<linalg::LinalgOp>(op);
  if (rows == 0 || linalg.getNumLoops() < rows)
    return "it has other rows";
  for (unsigned row = 0; row < rows; ++row)
    if (!isParallel(linalg, row))
      return "it adds up rows";
  if (std::optional<unsigned> lane = findLane(linalg);
      lane && *lane < rows && linalg.getNumLoops() > rows)
    return "its lanes are rows";
  return "";
}

std::string mixattn::whyNotInRow(Operation *before, Operation *op,
                                 unsigned rows) {
  auto linalg = cast<linalg::LinalgOp>(op);
  RowLoops loops = RowLoops::of(linalg, rows);
  RowLoops earlier = RowLoops::of(cast<linalg::LinalgOp>(before), rows);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (OpResult result : before->getResults()) {
    if (captured.contains(result))
      return "it picks elements of any row";
    AffineMap made = earlier.mapOf(*earlier.getOp().getTiedOpOperand(result));
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() != result)
        continue;
      // A tensor that is only written to may be any.
      if (linalg.isDpsInit(&operand)) {
        if (linalg.payloadUsesValueFromOperand(&operand))
          return "it adds to what it reads";
        continue;
      }
      if (!earlier.isByRow(made) || !loops.isByRow(loops.mapOf(operand)))
        return "it reads other rows";
    }
  }
  return "";
}

std::string mixattn::whyNotInRow(ArrayRef<Operation *> members, Operation *op) {
  unsigned rows = RowLoops::of(cast<linalg::LinalgOp>(members.front())).rows;
  std::string why = whyNotOfRows(op, rows);
  for (Operation *member : members)
    if (why.empty())
      why = whyNotInRow(member, op, rows);
  return why;
}

bool mixattn::isTurned(const RowLoops &loops, OpOperand *input) {
  if (!loops.lane || loops.rows == 0 ||
      !isa<TensorType>(input->get().getType()) ||
      getElementTypeOrSelf(input->get()).isInteger(1))
    return false;
  AffineMap map = loops.mapOf(*input);
  AffineExpr lane = getAffineDimExpr(*loops.lane, map.getContext());
  AffineExpr row = getAffineDimExpr(loops.rows - 1, map.getContext());
  return map.isProjectedPermutation() && map.getNumResults() > 1 &&
         map.getResults().back() == row &&
         llvm::is_contained(map.getResults(), lane);
}
