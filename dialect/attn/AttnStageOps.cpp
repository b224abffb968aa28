// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stages of kernels: types, sizes and constraints.

#include "dialect/attn/VerifyShapes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::detail;

/// The type of a result of f32, whose sizes are `sizes`.
static RankedTensorType resultOf(Value rows, ArrayRef<int64_t> sizes) {
  return RankedTensorType::get(sizes, Float32Type::get(rows.getContext()));
}

/// The sizes of `op`'s result: those that are open are sizes of `from`, in
/// order of `dims`.
static LogicalResult reify(OpBuilder &b, Operation *op, Value from,
                           ArrayRef<int64_t> dims,
                           ReifiedRankedShapedTypeDims &shapes) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<OpFoldResult> &sizes = shapes.emplace_back();
  for (auto [size, dim] : llvm::zip_equal(type.getShape(), dims))
    if (ShapedType::isDynamic(size))
      sizes.push_back(tensor::getMixedSize(b, op->getLoc(), from, dim));
    else
      sizes.push_back(b.getIndexAttr(size));
  return success();
}

static LogicalResult verifyResult(Operation *op, RankedTensorType expected) {
  if (succeeded(verifyCompatibleShape(expected, op->getResult(0).getType())))
    return success();
  return op->emitOpError("expected a result like ")
         << expected << ", but got " << op->getResult(0).getType();
}

//===----------------------------------------------------------------------===//
// attn.row_term
//===----------------------------------------------------------------------===//

static RankedTensorType inferTerm(Value rows, int64_t components) {
  auto type = cast<RankedTensorType>(rows.getType());
  return resultOf(rows, {type.getDimSize(0), type.getDimSize(1), components,
                         type.getDimSize(type.getRank() - 2)});
}

void RowTermOp::build(OpBuilder &b, OperationState &state, Value rows,
                      Value shifts, Value term, Value prior,
                      ArrayRef<double> factors, bool ofKeys, bool hasSquare) {
  build(b, state, inferTerm(rows, factors.size()), rows, shifts, term, prior,
        factors, ofKeys, hasSquare);
}

int64_t RowTermOp::getShiftGroup() {
  return getRows().getType().getDimSize(1) /
         getShifts().getType().getDimSize(0);
}

LogicalResult RowTermOp::verify() {
  auto components = int64_t(getFactors().size());
  RankedTensorType rows = getRows().getType();
  Party party{"rows", getRows()};
  int64_t last = rows.getRank() - 1, heads = rows.getDimSize(1);
  if (failed(verifyStatic(*this, party, 1, "heads")) ||
      failed(verifyStatic(*this, party, last, "features")))
    return failure();
  if (!getShifts() && !getHasSquare())
    return emitOpError("expected 'shifts' or 'has_square'");
  if (getShifts()) {
    Party shifts{"shifts", getShifts()};
    int64_t groups = shifts.type().getDimSize(0);
    if (groups <= 0 || heads % groups != 0)
      return emitOpError("expected the heads of 'shifts' to divide the ")
             << heads << " of 'rows', but got " << shifts.type();
    if (failed(verifyDimsAgree(*this, "feature size", party, last, shifts, 2)))
      return failure();
  }
  SmallVector<int64_t> shape = {rows.getDimSize(0), heads, components,
                                rows.getDimSize(last - 1)};
  if (Value prior = getPrior())
    if (failed(verifyShape(*this, {"prior", prior}, {heads, components})))
      return failure();
  if (Value term = getTerm()) {
    if (cast<RankedTensorType>(term.getType()).getRank() == 3)
      shape.erase(shape.begin() + 2);
    if (failed(verifyShape(*this, {"term", term}, shape)))
      return failure();
  }
  if ((rows.getRank() == 5 && rows.getDimSize(2) != components) ||
      (getShifts() && getShifts().getType().getDimSize(1) != components))
    return emitOpError("expected a factor for each component, but got ")
           << components;
  return verifyResult(*this, inferTerm(getRows(), components));
}

LogicalResult
RowTermOp::reifyResultShapes(OpBuilder &b,
                             ReifiedRankedShapedTypeDims &shapes) {
  int64_t length = getRows().getType().getRank() - 2;
  return reify(b, *this, getRows(), {0, 1, 2, length}, shapes);
}

//===----------------------------------------------------------------------===//
// attn.row_factors
//===----------------------------------------------------------------------===//

static RankedTensorType inferFactors(Value term) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(term.getType()).getShape());
  ++shape[2];
  return resultOf(term, shape);
}

void RowFactorsOp::build(OpBuilder &b, OperationState &state, Value term,
                         double headroom, bool inBase2) {
  build(b, state, inferFactors(term), term, APFloat(headroom), inBase2);
}

LogicalResult RowFactorsOp::verify() {
  Party term{"term", getTerm()};
  if (failed(verifyStatic(*this, term, 1, "heads")) ||
      failed(verifyStatic(*this, term, 2, "components")))
    return failure();
  return verifyResult(*this, inferFactors(getTerm()));
}

LogicalResult
RowFactorsOp::reifyResultShapes(OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  return reify(b, *this, getTerm(), {0, 1, 2, 3}, shapes);
}

//===----------------------------------------------------------------------===//
// attn.project
//===----------------------------------------------------------------------===//

static RankedTensorType inferProjected(Value sequence, Value projection) {
  auto type = cast<RankedTensorType>(sequence.getType());
  auto by = cast<RankedTensorType>(projection.getType());
  return resultOf(sequence, {type.getDimSize(0), type.getDimSize(1),
                             by.getDimSize(0), type.getDimSize(3)});
}

void ProjectOp::build(OpBuilder &b, OperationState &state, Value sequence,
                      Value projection) {
  build(b, state, inferProjected(sequence, projection), sequence, projection);
}

LogicalResult ProjectOp::verify() {
  Party sequence{"sequence", getSequence()}, by{"projection", getProjection()};
  if (failed(verifyStatic(*this, sequence, 1, "heads")) ||
      failed(verifyStatic(*this, sequence, 3, "features")) ||
      failed(verifyStatic(*this, by, 0, "rows")) ||
      failed(verifyDimsAgree(*this, "length", sequence, 2, by, 1)))
    return failure();
  return verifyResult(*this, inferProjected(getSequence(), getProjection()));
}

LogicalResult
ProjectOp::reifyResultShapes(OpBuilder &b,
                             ReifiedRankedShapedTypeDims &shapes) {
  return reify(b, *this, getSequence(), {0, 1, 2, 3}, shapes);
}

//===----------------------------------------------------------------------===//
// attn.panels
//===----------------------------------------------------------------------===//

/// The type of `source` in panels of `layout`, whose dims it has.
static RankedTensorType inferPanels(Value source, const PanelLayout &layout) {
  auto type = cast<RankedTensorType>(source.getType());
  auto sizeOf = [&](ArrayRef<int64_t> dims) {
    int64_t size = 1;
    for (int64_t dim : dims)
      size *= type.getDimSize(dim);
    return size;
  };
  int64_t terms = sizeOf(layout.terms), lanes = sizeOf(layout.lanes);
  int64_t panels =
      sizeOf(layout.batches) * int64_t(llvm::divideCeil(lanes, layout.width));
  if (!layout.arePairs)
    return resultOf(source, {panels, terms, layout.width});
  return RankedTensorType::get(
      {panels, int64_t(llvm::divideCeil(terms, 2)), 2 * layout.width},
      type.getElementType());
}

void PanelsOp::build(OpBuilder &b, OperationState &state, Value source,
                     const PanelLayout &layout) {
  build(b, state, inferPanels(source, layout), source, layout.terms,
        layout.lanes, layout.batches, layout.width, layout.arePairs);
}

PanelLayout PanelsOp::getLayout() {
  return {llvm::to_vector<2>(getTerms()), llvm::to_vector<2>(getLanes()),
          llvm::to_vector<2>(getBatches()), int64_t(getWidth()), getPairs()};
}

LogicalResult PanelsOp::verify() {
  RankedTensorType type = getSource().getType();
  SmallVector<int64_t> dims;
  for (ArrayRef<int64_t> each : {getTerms(), getLanes(), getBatches()})
    llvm::append_range(dims, each);
  llvm::sort(dims);
  if (!llvm::equal(dims, llvm::seq(type.getRank())))
    return emitOpError("expected each dim of ")
           << type << " once in 'terms', 'lanes' or 'batches'";
  if (!type.hasStaticShape() || getTerms().empty() || getLanes().empty())
    return emitOpError("expected terms and lanes of known sizes, but got ")
           << type;
  if (getPairs() && !type.getElementType().isBF16())
    return emitOpError("expected pairs of bf16, but got ") << type;
  return verifyResult(*this, inferPanels(getSource(), getLayout()));
}

LogicalResult PanelsOp::reifyResultShapes(OpBuilder &b,
                                          ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getAsIndexOpFoldResult(b.getContext(), getResult().getType().getShape()));
  return success();
}
