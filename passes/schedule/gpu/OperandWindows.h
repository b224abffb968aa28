// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of an attention in shared memory: the parts that a block of keys
// needs.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_OPERAND_WINDOWS_H
#define MIXATTN_PASSES_SCHEDULE_GPU_OPERAND_WINDOWS_H

#include "dialect/attn/AttnOps.h"
#include "dialect/tile/TileOps.h"
#include "passes/schedule/KernelBuffers.h"

#include <optional>

namespace mixattn {

/// The things that one dim of an operand counts: none (there is one element),
/// batch rows, output heads, query heads, key heads, queries, keys; or
/// something of which a window has all.
enum class Along { Once, Batch, Head, Channel, KeyHead, Query, Key, All };

/// The part of an operand that a team of threads needs at a time, of all dims.
struct Window {
  mlir::Value operand;
  llvm::SmallVector<Along> dims;
  llvm::SmallVector<int64_t> sizes;
  /// The type of its elements in shared memory.
  mlir::Type element;
  /// Whether threads write it (OwnTerms.h). Others are copied.
  bool isOwn = false;

  bool movesWithKeys() const { return llvm::is_contained(dims, Along::Key); }
  int64_t columns() const { return sizes.back(); }
  /// Rows of the last dim, one after the other, of all other dims.
  int64_t rows() const;
  /// The last dim but one, whose rows follow one another in the operand, too.
  int64_t rowsOfMatrix() const {
    return sizes.size() > 1 ? sizes[sizes.size() - 2] : 1;
  }
  /// Places for blocks of keys: while one is worked on, the next is copied.
  int64_t stages() const { return movesWithKeys() ? keyStages : 1; }
  int64_t keyStages = 2;
  /// The tile of `count` of its rows.
  tile::SharedType tile(int64_t count) const {
    return tile::SharedType::getPadded(count, columns(), element);
  }
};

/// The windows of an attention's operands, all but queries, keys and values.
///
/// A score_mod reads its own tensors at places that it computes. A small one
/// has a window of all of it; a larger one is read from the device's memory,
/// and a remark says so.
struct OperandWindows {
  /// Bytes up to which a tensor is copied that an op reads anywhere.
  static constexpr int64_t mostBytes = 2048;

  llvm::SmallVector<Window> all;
  /// Tensors of one number, which a register holds.
  llvm::SmallVector<mlir::Value> numbers;
  /// Tensors of a score_mod that have no window.
  llvm::SmallVector<mlir::Value> withoutWindow;
  /// Teams of a block. Each has windows of its own.
  int64_t teams = 1;

  /// For `teams` teams of `queries` queries and blocks of `keys` keys of
  /// `heads` output heads.
  static OperandWindows find(AttentionOpInterface op, int64_t heads,
                             int64_t queries, int64_t keys, int64_t teams);

  /// The window of given scores alone, for `heads` heads where scores of heads
  /// do not meet, with `stages` places for blocks of keys; none where scores
  /// are not given.
  static OperandWindows findGiven(AttentionOpInterface op, int64_t heads,
                                  int64_t queries, int64_t keys, int64_t teams,
                                  int64_t stages);

  /// Has threads write the window of `keyTerm`, null where that is not made
  /// yet.
  void setOwn(mlir::Value keyTerm);

  /// Bytes of shared memory that they take.
  int64_t bytes() const;
  /// Bytes that are copied for a block of keys, where `there` of the queries
  /// are there: all, or those of the operand `only`.
  double bytesOfBlock(double there, mlir::Value only = {}) const;
  /// Loads that a thread needs for each of its pairs to read `tensor`.
  double loadsOf(mlir::Value tensor) const;
};

/// Reads operands from windows, once these are open, and from buffers.
class WindowBuffers : public KernelBuffers {
public:
  using KernelBuffers::KernelBuffers;

  /// Where a team's windows begin.
  struct Place {
    mlir::Value batch, head, channel, keyHead, query;
  };

  /// Lays `windows` from byte `offset` of shared memory on. `threads` threads
  /// are a team, that of number `team`. Remarks on what has no window.
  void lay(mlir::ImplicitLocOpBuilder &b, const OperandWindows &windows,
           int64_t offset, int64_t threads, mlir::Value team);
  /// Windows of keys that are copied, or opened, from here on begin at `begin`.
  void setPlace(const Place &begin) { place = begin; }
  /// Begins to copy what serves all blocks of keys of an item.
  void fetchOfItem(mlir::ImplicitLocOpBuilder &b, const Place &place);
  /// Begins to copy what the keys from `firstKey` on need to stage `stage`.
  void fetchOfKeys(mlir::ImplicitLocOpBuilder &b, mlir::Value firstKey,
                   mlir::Value stage);
  /// Reads that follow are of the keys from `firstKey` on, in `stage`.
  void open(mlir::ImplicitLocOpBuilder &b, mlir::Value firstKey,
            mlir::Value stage);
  /// The open window of `tensor`, which threads write.
  mlir::Value ownTile(mlir::Value tensor) { return tiles[findWindow(tensor)]; }
  /// All is read from buffers again.
  void close() {
    tiles.clear();
    held.clear();
  }
  /// Reads that follow are of this query and key. Either may lie beyond the
  /// last.
  void setElement(mlir::Value query, mlir::Value key) {
    element = {query, key};
  }

  mlir::Value emitRead(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value tensor, mlir::ValueRange indices) override;

private:
  /// The number of the window of `tensor`, or of windows.
  size_t findWindow(mlir::Value tensor) const;
  mlir::Value rowsOf(mlir::ImplicitLocOpBuilder &b, size_t window,
                     mlir::Value stage);
  mlir::Value beginOf(Along along) const;
  void fetch(mlir::ImplicitLocOpBuilder &b, size_t window, mlir::Value stage);

  llvm::SmallVector<Window> windows;
  llvm::SmallVector<mlir::Value> numbers;
  /// The numbers, once they are read.
  llvm::DenseMap<mlir::Value, mlir::Value> held;
  /// The tile of each window, of all teams and stages.
  llvm::SmallVector<mlir::Value> memory;
  int64_t threads = 0;
  mlir::Value team;
  Place place;
  mlir::Value firstKey;
  /// The open windows: those of the team, and of a stage.
  llvm::SmallVector<mlir::Value> tiles;
  struct {
    mlir::Value query, key;
  } element;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_GPU_OPERAND_WINDOWS_H
