// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: registration and verification.

#include "dialect/tile/TileOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

#include "dialect/tile/TileDialect.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerWgmma();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/TileOps.cpp.inc"
      >();
}

void ProductOp::build(OpBuilder &builder, OperationState &state, Value left,
                      Value row, Value right, Value target,
                      const ProductClauses &clauses) {
  build(builder, state, clauses.isTransposed, left, row, clauses.last, right,
        clauses.count, llvm::APFloat(clauses.factor), clauses.isAmx,
        clauses.accumulates, target, clauses.lost, clauses.asked, clauses.ahead,
        clauses.units);
  if (clauses.units)
    state.regions.front()->emplaceBlock().addArgument(builder.getIndexType(),
                                                      state.location);
}

bool ProductOp::hasPairs() {
  return getRight().getType().getElementType().isBF16() &&
         getLeft().getType().getElementType().isBF16();
}

bool ProductOp::isLastAlone() {
  return hasPairs() && !getTransposed() && !getCount() &&
         getLeft().getType().getDimSize(1) == 2 * getMostSteps() - 1;
}

/// Whether `body` runs once per unit, with its number.
static bool isUnit(Region &body) {
  Block &block = body.front();
  return block.getNumArguments() == 1 &&
         block.getArgument(0).getType().isIndex() &&
         (block.empty() || !isa<YieldOp>(block.back()));
}

/// Whether `epilogue` makes a row of lanes from one and its place.
static bool isEpilogue(Region &epilogue) {
  Block &block = epilogue.front();
  if (block.getNumArguments() != 3 || block.empty())
    return false;
  auto yield = dyn_cast<YieldOp>(block.back());
  return yield && yield.getRow().getType() == block.getArgument(0).getType() &&
         block.getArgument(1).getType().isIndex() &&
         block.getArgument(2).getType().isIndex();
}

LogicalResult ProductOp::verify() {
  MemRefType left = getLeft().getType(), right = getRight().getType(),
             target = getTarget().getType();
  if (!right.hasStaticShape() || !target.hasStaticShape())
    return emitOpError("expected static sizes on the right and in the target");
  int64_t numbers = hasPairs() ? 2 : 1;
  if (right.getDimSize(1) != numbers * target.getDimSize(1))
    return emitOpError("expected the lanes of the target on the right");
  // With a count the number of steps is not known here.
  int64_t columns = 0;
  if (getTransposed())
    columns = numbers * target.getDimSize(0);
  else if (!getCount())
    columns = numbers * getMostSteps() - (isLastAlone() ? 1 : 0);
  if (!left.isDynamicDim(1) && left.getDimSize(1) < columns)
    return emitOpError("expected at least ")
           << columns << " columns on the left";
  if (getLost() && !getAccumulates())
    return emitOpError("expected sums onto the target, which are what loses");
  if (getLost() && getLost().getType().getShape() != target.getShape())
    return emitOpError("expected the target's shape for what is lost");
  if (getAsked() && !getAsked().getType().hasStaticShape())
    return emitOpError("expected static sizes of what is asked for");
  if ((getUnits() > 0) == getBody().empty())
    return emitOpError("expected units and a region, or neither");
  if (getUnits() && getCount())
    return emitOpError("expected units, or a count: units are spread over all "
                       "rows of the right side");
  if (getUnits() && !isUnit(getBody()))
    return emitOpError("expected units in a region with one argument of type "
                       "index and no terminator");
  if (getAmx()) {
    if (!hasPairs() || getTransposed())
      return emitOpError("expected pairs, and rows on the left, with 'amx'");
    if (target.getDimSize(0) % amxSide != 0 ||
        target.getDimSize(1) % amxSide != 0 ||
        right.getDimSize(0) % amxSide != 0)
      return emitOpError("expected rows, lanes and steps in multiples of ")
             << amxSide << " with 'amx'";
    bool isScaled = !getFactor().isExactlyValue(1.0);
    if (getLast() || getLost() || getAsked() || getUnits() ||
        !getEpilogue().empty() || (isScaled && getAccumulates()))
      return emitOpError("expected no clauses but 'count', and 'onto' or a "
                         "factor, with 'amx'");
  }
  if (!getEpilogue().empty() && !isEpilogue(getEpilogue()))
    return emitOpError("expected an epilogue with a row of lanes and two "
                       "indices as arguments that yields such a row");
  return success();
}

LogicalResult TransposeOp::verify() {
  MemRefType source = getSource().getType(), target = getTarget().getType();
  if (source.isDynamicDim(1) || !target.hasStaticShape())
    return emitOpError("expected columns of known number in the source, and a "
                       "target of known size");
  int64_t padded = int64_t(llvm::alignTo(source.getDimSize(1), amxSide));
  if (target.getDimSize(0) == padded && target.getDimSize(1) % amxTerms == 0)
    return success();
  return emitOpError("expected a target of ")
         << padded << " rows and a multiple of " << amxTerms << " columns";
}

LogicalResult WidenOp::verify() {
  Type from = getSource().getType().getElementType();
  Type to = getTarget().getType().getElementType();
  if (to.isF32() || to == from)
    return success();
  return emitOpError("expected a target of f32 or of ") << from;
}

/// Where code is made for each of a few rows, they have to be counted.
static LogicalResult verifyRows(Operation *op, Value tile, StringRef name) {
  if (!cast<MemRefType>(tile.getType()).hasStaticShape())
    return op->emitOpError("expected a known number of rows and lanes of ")
           << name;
  return success();
}

LogicalResult DotRowsOp::verify() {
  return verifyRows(*this, getScores(), "scores");
}

LogicalResult SquareRowsOp::verify() {
  return verifyRows(*this, getSquares(), "squares");
}

LogicalResult SumRowsOp::verify() {
  if (failed(verifyRows(*this, getSums(), "sums")))
    return failure();
  if (getSums().getType().getDimSize(0) != getWeights().getType().getDimSize(0))
    return emitOpError("expected as many rows of weights as of sums");
  return success();
}

LogicalResult Exp2Op::verify() {
  constexpr int64_t lanes = 16;
  if (getBrief() &&
      cast<VectorType>(getPower().getType()).getDimSize(0) != lanes)
    return emitOpError("expected ") << lanes << " lanes with 'brief'";
  if (getFlushed() && !getBrief())
    return emitOpError("expected 'brief' with 'flushed'");
  return success();
}

#define GET_OP_CLASSES
#include "dialect/tile/TileOps.cpp.inc"
