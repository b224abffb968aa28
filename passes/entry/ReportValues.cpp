// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-report-values: a GPU tells of arguments whose values are out of range.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/entry/Entries.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mixattn {
#define GEN_PASS_DEF_REPORTVALUESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The buffers that the kernels of `entry` report on.
static DenseSet<Value> findReported(func::FuncOp entry) {
  DenseSet<Value> reported;
  entry.walk([&](tile::ReportOp report) {
    Value buffer = report.getBuffer();
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    reported.insert(buffer);
  });
  return reported;
}

namespace {

/// Emits the grid that reports on one argument.
class Reporter {
public:
  Reporter(func::FuncOp entry, BlockArgument argument)
      : entry(entry), argument(argument),
        b(ImplicitLocOpBuilder::atBlockBegin(entry.getLoc(),
                                             &entry.getBody().front())),
        at(b) {}

  void emit(ArrayAttr range);

private:
  Value sizeOf(Value buffer, int64_t dim) {
    return b.createOrFold<memref::DimOp>(buffer, dim);
  }
  /// An i64 of an integer or the name of a dim.
  Value boundOf(Attribute bound);

  func::FuncOp entry;
  BlockArgument argument;
  ImplicitLocOpBuilder b;
  IndexMath at;
};

} // namespace

Value Reporter::boundOf(Attribute bound) {
  if (auto number = dyn_cast<IntegerAttr>(bound))
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(number.getInt()));
  for (BlockArgument each : entry.getArguments()) {
    auto names =
        entry.getArgAttrOfType<ArrayAttr>(each.getArgNumber(), "attn.dims");
    auto type = cast<MemRefType>(each.getType());
    for (int64_t dim = 0; names && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) &&
          names[type.getDynamicDimIndex(dim)] == bound)
        return arith::IndexCastOp::create(b, b.getI64Type(), sizeOf(each, dim));
  }
  llvm_unreachable("bounds are names of dims of arguments");
}

void Reporter::emit(ArrayAttr range) {
  auto type = cast<MemRefType>(argument.getType());
  SmallVector<Value> sizes;
  Value count = at.value(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    sizes.push_back(sizeOf(argument, dim));
    count = at.mul(count, sizes.back());
  }
  auto grid = tile::GridOp::create(b, ValueRange{count}, /*threads=*/1);
  b.setInsertionPointToStart(&grid.getBody().front());
  SmallVector<Value> place(sizes.size());
  Value rest = grid.getItem()[0];
  for (size_t dim = sizes.size(); dim-- > 0;) {
    place[dim] = dim == 0 ? rest : at.rem(rest, sizes[dim]);
    rest = at.div(rest, sizes[dim]);
  }
  Value number = memref::LoadOp::create(b, argument, place);
  if (number.getType() != b.getI64Type())
    number = arith::ExtSIOp::create(b, b.getI64Type(), number);
  Value isBelow = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number,
                                        boundOf(range[0]));
  Value isAbove = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, number,
                                        boundOf(range[1]));
  Value isBad = arith::OrIOp::create(b, isBelow, isAbove);
  tile::ReportOp::create(b, isBad, argument);
}

namespace {

struct ReportValuesPass
    : mixattn::impl::ReportValuesPassBase<ReportValuesPass> {
  void runOnOperation() override {
    for (func::FuncOp entry : getEntries(getOperation())) {
      DenseSet<Value> reported = findReported(entry);
      for (BlockArgument argument : entry.getArguments()) {
        auto range = entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                       "attn.range");
        if (range && !reported.contains(argument))
          Reporter(entry, argument).emit(range);
      }
    }
  }
};

} // namespace
