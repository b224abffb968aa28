// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of ops that a row of a tensor goes through.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROW_KERNEL_H
#define MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROW_KERNEL_H

#include "dialect/attn/AttnOps.h"
#include "passes/body/IndexMath.h"
#include "passes/schedule/RowLoops.h"
#include "passes/schedule/x86/shared/Scratch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mixattn {

/// Emits what the ops of a kernel do for one row after the other, each op for
/// the whole row before the next one. What they hand on stays in scratch
/// memory, or is a number.
class RowKernel {
public:
  /// All ops of `kernel`.
  RowKernel(mlir::ImplicitLocOpBuilder &b, KernelOp kernel, int64_t lanes);
  /// Those that make rows of an operand of its anchor, by their first `rows`
  /// loops. All that they make stays in scratch.
  RowKernel(mlir::ImplicitLocOpBuilder &b, KernelOp kernel, int64_t lanes,
            llvm::ArrayRef<mlir::Operation *> producers, unsigned rows);

  unsigned getNumRowLoops() const { return members.front().rows; }
  /// How many rows there are in loop `loop`.
  mlir::Value getRows(unsigned loop) { return sizeOf(members.front(), loop); }
  /// The turns of all loops of all ops in one row.
  mlir::Value countTurns();
  /// Whether every lane of the kernel is computed without the others.
  bool hasSeparateLanes() const;
  /// The lanes of a kernel that has separate lanes.
  mlir::Value countLanes() {
    return sizeOf(members.front(), *members.front().lane);
  }
  /// Whether there is one op that moves elements or computes from them, and
  /// those of an operand follow one another from row to row, in the last of the
  /// loops over rows: transpositions.
  bool hasTurnedRows() const;
  /// The bytes of scratch that a row takes.
  mlir::Value countScratch();
  /// Has rows of `result`, which stays inside, be written to `buffer`, which
  /// has the dims of one row.
  void hold(mlir::OpResult result, mlir::Value buffer) {
    given.insert(result);
    held[result] = {buffer, {}, getNumRowLoops()};
  }

  /// Has sums ask ahead for what they read, where they are all that the kernel
  /// computes: nothing lies between the reads then, and hardware that reads
  /// ahead does so too late.
  void askAhead() { asksAhead = members.size() == 1; }

  /// Emits the row at `row`, an index of each of its loops. Where lanes are
  /// separate, those from `from` to before `to`.
  void emit(llvm::ArrayRef<mlir::Value> row, mlir::Value scratch,
            mlir::Value from = {}, mlir::Value to = {});
  /// Where rows are turned, emits as many rows as a vector has lanes: from
  /// `row` on, but before `end` of the last row loop. They are read as squares,
  /// each of which is transposed in registers; what no square covers goes a row
  /// at a time.
  void emitTurned(llvm::ArrayRef<mlir::Value> row, mlir::Value end,
                  mlir::Value scratch, mlir::Value from, mlir::Value to);

private:
  /// Where a tensor of the region is while a row is handled: in a buffer, whose
  /// first `dropped` dims are not there, or in a number.
  struct Held {
    mlir::Value buffer, number;
    unsigned dropped = 0;
  };
  /// Lanes that are handled at once: a vector of those from `first` on. Where
  /// there are not as many, `mask` says which are, up to `last`; else both are
  /// null. Lanes that are not there do what the last one does: what they divide
  /// by, or pick from, is there.
  struct Lanes {
    unsigned loop;
    mlir::Value first, last, mask, positions;
  };
  using Place = llvm::SmallVector<mlir::Value>;
  using Values = llvm::SmallVector<mlir::Value>;
  using Inside = llvm::function_ref<Values(mlir::ValueRange sums)>;

  mlir::Value outside(mlir::Value value);
  mlir::Value sizeOf(mlir::Value tensor, unsigned dim);
  mlir::Value sizeOf(const RowLoops &loops, unsigned loop);
  mlir::Value bytesOf(mlir::OpResult result);
  bool staysInside(mlir::OpResult result) const;
  bool isNumber(const RowLoops &loops, mlir::OpResult result) const;

  void holdResults(mlir::Value scratch);
  void emitOp(const RowLoops &loops);
  void emitOuter(const RowLoops &loops, unsigned number);
  Values emitSums(const RowLoops &loops, mlir::Value from, mlir::Value to);
  void emitAsk(const RowLoops &loops, mlir::Value first);
  mlir::Value emitShortSums(const RowLoops &loops, mlir::Value from,
                            mlir::Value to, Values &sums);
  mlir::Value emitStripsOfSums(const RowLoops &loops, mlir::Value from,
                               mlir::Value to, mlir::ValueRange neutral,
                               Values &sums);
  Values emitTurns(const RowLoops &loops, unsigned number,
                   mlir::ValueRange sums, Inside inside);
  Lanes makeLanes(const RowLoops &loops, mlir::Value first);
  mlir::Value
  emitStrips(const RowLoops &loops, mlir::Value from, mlir::Value to,
             int64_t mostVectors, Values &sums,
             llvm::function_ref<Values(llvm::ArrayRef<Lanes>, mlir::ValueRange)>
                 inside);
  Values emitLanes(
      const RowLoops &loops, mlir::Value from, mlir::Value to,
      mlir::ValueRange sums,
      llvm::function_ref<Values(const Lanes &, mlir::ValueRange sums)> inside);
  Values
  emitFor(mlir::Value from, mlir::Value to, int64_t step, mlir::ValueRange sums,
          llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> inside);
  Values emitBody(const RowLoops &loops, const Lanes *lanes,
                  mlir::ValueRange sums);
  Values emitScalars(mlir::OpBuilder &builder, const RowLoops &loops,
                     mlir::ValueRange elements, mlir::Value position);
  Values makeInits(const RowLoops &loops, const Lanes *lanes);
  mlir::Value combine(const RowLoops &loops, unsigned number, mlir::Value left,
                      mlir::Value right);
  mlir::Value putTogether(const RowLoops &loops, unsigned number,
                          mlir::Value sums, mlir::Value init);

  mlir::Value widen(mlir::Value number);
  mlir::Value makeIndex(mlir::AffineExpr expr, const RowLoops &loops,
                        const Lanes *lanes, mlir::Value lane);
  mlir::Value read(mlir::Value tensor, mlir::AffineMap map,
                   const RowLoops &loops, const Lanes *lanes);
  Values readTurned(const RowLoops &loops, mlir::OpOperand &input,
                    const Lanes &some);
  mlir::Value readSideBySide(mlir::Value buffer,
                             llvm::ArrayRef<mlir::Value> indices,
                             const Lanes &lanes);
  mlir::Value readEach(
      const Lanes &lanes, mlir::Type element,
      llvm::function_ref<mlir::Value(mlir::Value lane, int64_t number)> load);
  void write(const RowLoops &loops, mlir::OpResult result, mlir::Value value,
             const Lanes *lanes);

  mlir::ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  int64_t lanes;
  llvm::SmallVector<RowLoops> members;
  bool asksAhead = false;
  llvm::DenseMap<mlir::Value, Held> held;
  /// Results that lie where the caller says.
  llvm::DenseSet<mlir::Value> given;
  /// Where the loops of the op that is emitted stand.
  Place place;
  /// The lanes that are emitted, where they are not all.
  mlir::Value firstLane, lastLane;
  /// The rows of a square, of operands that are turned, and which of them is
  /// emitted.
  llvm::DenseMap<mlir::OpOperand *, Values> squares;
  int64_t rowOfSquare = 0;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_ROWS_ROW_KERNEL_H
