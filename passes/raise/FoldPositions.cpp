// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-fold-positions: integers that follow from their places are computed
// where they are read.

#include "passes/Passes.h"
#include "passes/raise/PlacedReader.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mixattn {
#define GEN_PASS_DEF_FOLDPOSITIONSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `value` is computed from indices and sizes as it would be written.
static bool isPlain(Value value) {
  return isa_and_nonnull<linalg::IndexOp, arith::IndexCastOp, arith::AddIOp,
                         arith::SubIOp, arith::MulIOp>(value.getDefiningOp());
}

/// Takes off inputs that are not read, if loops still know how far they go.
static void dropUnread(linalg::GenericOp op) {
  for (unsigned i = op.getNumDpsInputs(); i-- > 0;) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    maps.erase(maps.begin() + i);
    bool isNeeded =
        !op.getBody()->getArgument(i).use_empty() ||
        !inversePermutation(concatAffineMaps(maps, op.getContext()));
    if (isNeeded)
      continue;
    op.getInputsMutable().erase(i);
    op.setIndexingMapsAttr(OpBuilder(op).getAffineMapArrayAttr(maps));
    op.getBody()->eraseArgument(i);
  }
}

/// Writes what is read of the scalars of `op` in their stead.
static void fold(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return;
  auto loops = cast<linalg::LinalgOp>(*op);
  PlacedReader reader;
  SmallVector<PlacedInteger> places = reader.addIndices(op.getNumLoops());
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    reader.integers.setExtent(loop, reader.extentOf(loops, loop));
  Block &body = *op.getBody();
  SmallVector<Value> scalars(body.getArguments());
  for (Operation &each : body.without_terminator())
    llvm::append_range(scalars, each.getResults());
  PlacedReader::Known known;
  SmallVector<std::pair<Value, PlacedInteger>> found;
  for (Value scalar : scalars) {
    Type type = scalar.getType();
    if (!type.isSignlessIntOrIndex() || scalar.use_empty() ||
        matchPattern(scalar, m_Constant()))
      continue;
    PlacedInteger integer = reader.readScalar(loops, scalar, places, known);
    if (!integer.hasOthers && (integer.isNumber() || !isPlain(scalar)))
      found.emplace_back(scalar, integer);
  }
  if (found.empty())
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&body), outside(op);
  Location loc = op.getLoc();
  SmallVector<Value> indices;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    indices.push_back(linalg::IndexOp::create(b, loc, loop));
  for (auto &[scalar, integer] : found) {
    Type type = scalar.getType();
    Value written;
    if (integer.isNumber()) {
      written = arith::ConstantOp::create(
          b, loc, type, b.getIntegerAttr(type, integer.constant));
    } else {
      written = reader.integers.emit(b, outside, loc, integer, indices);
      if (!type.isIndex())
        written = arith::IndexCastOp::create(b, loc, type, written);
    }
    scalar.replaceAllUsesWith(written);
  }
  for (Operation &each : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&each))
      each.erase();
  dropUnread(op);
}

namespace {

struct FoldPositionsPass
    : mixattn::impl::FoldPositionsPassBase<FoldPositionsPass> {
  void runOnOperation() override {
    getOperation()->walk([](linalg::GenericOp op) { fold(op); });
  }
};

} // namespace
