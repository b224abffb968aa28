// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a warp to the device's memory, by way of shared memory and TMA.

#include "passes/lower/wgmma/Lowerings.h"
#include "passes/lower/wgmma/SharedTiles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

class StoreEmitter : public WarpgroupEmitter {
public:
  using WarpgroupEmitter::WarpgroupEmitter;

  void emitStore(tile::WgmmaStoreOp op, Value tile);
  void emitStored();

private:
  /// stmatrix writes four squares of 8 rows and 8 columns.
  static constexpr int64_t squareColumns = 16, pieceBytes = 16;

  /// Where the thread's lane has its row of the first four squares begin, in
  /// the warp's rows of the first panel of a tile of `type` at `tile`.
  Value laneAddress(Value tile, tile::SharedType type);
  /// Writes 16 columns of the fragment, from `column` on; zeros where it has
  /// none.
  void emitSquares(tile::WgmmaStoreOp op, int64_t column, Value address);
  /// One lane asks for copies, and knows when they are done.
  void onlyFirstLane(function_ref<void()> inside) {
    onlyIf(at.compare(arith::CmpIPredicate::eq, lane(), 0), inside);
  }
  void syncWarp() { NVVM::SyncWarpOp::create(b, number(-1)); }
  void waitForCopies(bool read) {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, b.getI32IntegerAttr(0),
                                         read ? b.getUnitAttr() : UnitAttr());
  }
};

} // namespace

/// Lane l names row l mod 8 of square l / 8. Squares are, in this order, the
/// upper rows, the lower rows, and these of the next 8 columns.
Value StoreEmitter::laneAddress(Value tile, tile::SharedType type) {
  Value row = asNumber(at.rem(lane(), warpRows));
  Value piece = arith::XOrIOp::create(b, asNumber(at.div(lane(), warpRows)),
                                      asNumber(at.rem(lane(), 8)));
  Value first = times(asNumber(warp()), warpRows * type.getSwizzle());
  Value inRow = plus(times(row, type.getSwizzle()), times(piece, pieceBytes));
  return plus(plus(tile, first), inRow);
}

void StoreEmitter::emitSquares(tile::WgmmaStoreOp op, int64_t column,
                               Value address) {
  Type type = op.getTile().getType().getElementType();
  Value fragment = op.getFragment();
  Values registers;
  // Of 8 columns a lane has two in the upper row, and two in the lower.
  for (int64_t i = column / 2; i < (column + squareColumns) / 2; i += 2)
    registers.push_back(
        i < lengthOf(fragment)
            ? rounded(element(fragment, i), element(fragment, i + 1), type)
            : number(0));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  NVVM::StMatrixOp::create(b, pointer(address), registers, NVVM::MMALayout::row,
                           shape, NVVM::LdStMatrixEltType::B16);
}

void StoreEmitter::emitStore(tile::WgmmaStoreOp op, Value tile) {
  tile::SharedType type = op.getTile().getType();
  int64_t columns = 2 * lengthOf(op.getFragment());
  int64_t perTurn = type.getPanels() * type.getPanelColumns();
  Value address = laneAddress(tile, type);
  Value ownTile =
      plus(tile, times(asNumber(warp()), warpRows * type.getSwizzle()));
  Values places;
  for (Value index : llvm::reverse(op.getIndices()))
    places.push_back(asNumber(index));
  places.front() = plus(places.front(), times(asNumber(warp()), warpRows));
  for (int64_t first = 0; first < columns; first += perTurn) {
    // TMA reads panels whole, also columns that the buffer does not have.
    int64_t end =
        std::min(first + perTurn,
                 int64_t(llvm::alignTo(columns, type.getPanelColumns())));
    onlyFirstLane([&] { waitForCopies(/*read=*/true); });
    syncWarp();
    for (int64_t column = first; column < end; column += squareColumns) {
      int64_t panel = (column - first) / type.getPanelColumns();
      // The swizzle flips bits of the number of a piece: so does its number.
      int64_t piece = column % type.getPanelColumns() * width;
      Value own = b.createOrFold<arith::XOrIOp>(address, number(piece));
      emitSquares(op, column, plus(own, panel * type.getPanelBytes()));
    }
    // TMA reads by the asynchronous proxy.
    NVVM::FenceProxyOp::create(
        b, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(b.getContext(),
                                   NVVM::SharedSpace::shared_cta));
    syncWarp();
    onlyFirstLane([&] {
      for (int64_t column = first; column < end;
           column += type.getPanelColumns()) {
        int64_t panel = (column - first) / type.getPanelColumns();
        Values place = {number(column)};
        llvm::append_range(place, places);
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            b, op.getMap(),
            pointer(plus(ownTile, panel * type.getPanelBytes())), place,
            /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
            /*predicate=*/Value());
      }
      NVVM::CpAsyncBulkCommitGroupOp::create(b);
    });
  }
}

void StoreEmitter::emitStored() {
  onlyFirstLane([&] { waitForCopies(/*read=*/false); });
  syncWarp();
}

void mixattn::lower(OpBuilder &b, tile::SharedTileOp op, Lowered &lowered) {
  lowered[op.getTile()] =
      WarpgroupEmitter(op.getLoc(), b).sharedAddress(op.getOffset());
}

void mixattn::lower(OpBuilder &b, tile::WgmmaStoreOp op, Lowered &lowered) {
  StoreEmitter(op.getLoc(), b).emitStore(op, lowered.lookup(op.getTile()));
}

void mixattn::lower(OpBuilder &b, tile::WgmmaStoredOp op, Lowered &) {
  StoreEmitter(op.getLoc(), b).emitStored();
}
