// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shared part of lowerings of tile ops: loops, rows of lanes,
// multiply-adds.

#ifndef MIXATTN_PASSES_LOWER_X86_VECTOR_EMITTER_H
#define MIXATTN_PASSES_LOWER_X86_VECTOR_EMITTER_H

#include "passes/lower/x86/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <array>

namespace mixattn {

/// Emits code on rows of lanes.
class VectorEmitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  VectorEmitter(mlir::Location loc, mlir::OpBuilder &builder,
                const CpuModel &cpu)
      : b(loc, builder), cpu(cpu),
        row(mlir::VectorType::get({cpu.lanes}, b.getF32Type())) {}

protected:
  mlir::Value index(int64_t number) {
    return mlir::arith::ConstantIndexOp::create(b, number);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::AddIOp>(x, y);
  }
  mlir::Value add(mlir::Value x, int64_t y) {
    if (std::optional<int64_t> number = mlir::getConstantIntValue(x))
      return index(*number + y);
    return add(x, index(y));
  }
  mlir::Value splat(float number) {
    return mlir::arith::ConstantOp::create(
        b, mlir::DenseElementsAttr::get(row, number));
  }
  mlir::Value broadcast(mlir::Value number) {
    return mlir::vector::BroadcastOp::create(b, row, number);
  }
  /// x * y + z, of f32 rows.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value z) {
    if (cpu.hasFma)
      return mlir::vector::FMAOp::create(b, x, y, z);
    mlir::Value product = mlir::arith::MulFOp::create(b, x, y);
    return mlir::arith::AddFOp::create(b, product, z);
  }
  static bool holdsPairs(mlir::Value tile) {
    return llvm::cast<mlir::MemRefType>(tile.getType())
        .getElementType()
        .isBF16();
  }
  /// Vector `vector` of row `at` of `tile`, of f32.
  mlir::Value load(mlir::Value tile, mlir::Value at, int64_t vector) {
    return mlir::vector::LoadOp::create(
        b, row, tile, mlir::ValueRange{at, index(vector * cpu.lanes)});
  }
  void store(mlir::Value value, mlir::Value tile, mlir::Value at,
             int64_t vector) {
    mlir::vector::StoreOp::create(
        b, value, tile, mlir::ValueRange{at, index(vector * cpu.lanes)});
  }
  /// Element [i, j] of `matrix` in all lanes, as f32.
  mlir::Value spread(mlir::Value matrix, mlir::Value i, mlir::Value j) {
    mlir::Value element =
        mlir::memref::LoadOp::create(b, matrix, mlir::ValueRange{i, j});
    if (!element.getType().isF32())
      element = mlir::arith::ExtFOp::create(b, b.getF32Type(), element);
    return broadcast(element);
  }
  /// Elements [i, 2 j] and [i, 2 j + 1] of a `matrix` of bf16, in all lanes.
  mlir::Value spreadPair(mlir::Value matrix, mlir::Value i, mlir::Value j) {
    mlir::Type bf16 = b.getBF16Type(), f32 = b.getF32Type();
    mlir::Value column = b.createOrFold<mlir::arith::MulIOp>(j, index(2));
    mlir::Value pair =
        mlir::vector::LoadOp::create(b, mlir::VectorType::get({2}, bf16),
                                     matrix, mlir::ValueRange{i, column});
    mlir::Value whole = mlir::vector::BitCastOp::create(
        b, mlir::VectorType::get({1}, f32), pair);
    mlir::Value number = mlir::vector::ExtractOp::create(b, whole, 0);
    return mlir::vector::BitCastOp::create(
        b, mlir::VectorType::get({2 * cpu.lanes}, bf16), broadcast(number));
  }
  /// The pair of element [i, j] of a `matrix` of bf16 and 0, in all lanes.
  mlir::Value spreadWithZero(mlir::Value matrix, mlir::Value i, mlir::Value j) {
    mlir::Value element =
        mlir::memref::LoadOp::create(b, matrix, mlir::ValueRange{i, j});
    mlir::Value bits =
        mlir::arith::BitcastOp::create(b, b.getI16Type(), element);
    mlir::Value pair = mlir::arith::BitcastOp::create(
        b, b.getF32Type(),
        mlir::arith::ExtUIOp::create(b, b.getI32Type(), bits).getResult());
    return mlir::vector::BitCastOp::create(
        b, mlir::VectorType::get({2 * cpu.lanes}, b.getBF16Type()),
        broadcast(pair));
  }
  /// z + x0 y0 + x1 y1, of pairs of bf16 and rows of f32.
  mlir::Value multiplyAddPairs(mlir::Value x, mlir::Value y, mlir::Value z) {
    return mlir::LLVM::CallIntrinsicOp::create(
               b, row, b.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
               mlir::ValueRange{z, x, y})
        .getResult(0);
  }
  /// The even and the odd numbers of `both`, twice a row of bf16, as f32: a
  /// number of 16 bits is the upper half of itself.
  std::array<mlir::Value, 2> splitWidened(mlir::Value both) {
    auto bits = mlir::VectorType::get({cpu.lanes}, b.getI32Type());
    auto splatOf = [&](uint32_t number) {
      return mlir::arith::ConstantOp::create(
          b, mlir::DenseElementsAttr::get(bits, number));
    };
    mlir::Value pairs = mlir::vector::BitCastOp::create(b, bits, both);
    mlir::Value even = mlir::arith::ShLIOp::create(b, pairs, splatOf(16));
    mlir::Value odd =
        mlir::arith::AndIOp::create(b, pairs, splatOf(0xffff0000));
    return {mlir::arith::BitcastOp::create(b, row, even),
            mlir::arith::BitcastOp::create(b, row, odd)};
  }
  /// The two rows that `even` and `odd` numbers make in turn.
  std::array<mlir::Value, 2> joinInTurn(mlir::Value even, mlir::Value odd) {
    mlir::Value both = mlir::vector::InterleaveOp::create(b, even, odd);
    auto half = [&](int64_t from) {
      return mlir::vector::ExtractStridedSliceOp::create(b, both, from,
                                                         cpu.lanes, 1);
    };
    return {half(0), half(cpu.lanes)};
  }
  /// Multiplies all numbers of `tile` with `factor`.
  void scale(mlir::Value tile, float factor) {
    if (factor == 1.0f)
      return;
    loop(index(0), index(sizeOf(tile, 0)), 1, {},
         [&](mlir::Value at, mlir::ValueRange) {
           for (int64_t c = 0; c < sizeOf(tile, 1) / cpu.lanes; ++c)
             store(mlir::arith::MulFOp::create(b, load(tile, at, c),
                                               splat(factor)),
                   tile, at, c);
           return Values();
         });
  }
  /// A loop that carries `inits`.
  Values loop(mlir::Value from, mlir::Value to, int64_t step,
              mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body) {
    auto loop = mlir::scf::ForOp::create(b, from, to, index(step), inits);
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values results = body(loop.getInductionVar(), loop.getRegionIterArgs());
    if (!inits.empty()) {
      b.setInsertionPointToEnd(loop.getBody());
      mlir::scf::YieldOp::create(b, results);
    }
    return Values(loop.getResults());
  }
  /// Runs `step` from `from` to before `to`, `few` of them in a turn of a loop
  /// and then two: pointers to what they read move once in a turn.
  Values
  loopInTurns(mlir::Value from, mlir::Value to, int64_t few,
              mlir::ValueRange sums,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> step) {
    if (few == 1)
      return loop(from, to, 1, sums, step);
    mlir::Value count = b.createOrFold<mlir::arith::SubIOp>(to, from);
    mlir::Value rest = b.createOrFold<mlir::arith::RemUIOp>(count, index(few));
    mlir::Value whole = b.createOrFold<mlir::arith::SubIOp>(to, rest);
    Values summed = loop(from, whole, few, sums,
                         [&](mlir::Value i, mlir::ValueRange carried) {
                           Values next = step(i, carried);
                           for (int64_t s = 1; s < few; ++s)
                             next = step(add(i, s), next);
                           return next;
                         });
    return loopInTurns(whole, to, few > 2 ? 2 : 1, summed, step);
  }
  /// Asks for `columns` numbers of a row of `matrix` from `column` on, into the
  /// caches from the first one on (`locality` 3) or from the second one on (2).
  void prefetch(mlir::Value matrix, mlir::Value row, mlir::Value column,
                int64_t columns, unsigned locality) {
    constexpr int64_t lineBits = 512;
    int64_t bits =
        mlir::cast<mlir::MemRefType>(matrix.getType()).getElementTypeBitWidth();
    for (int64_t c = 0; c < columns; c += lineBits / bits)
      mlir::memref::PrefetchOp::create(
          b, matrix, mlir::ValueRange{row, add(column, c)}, /*isWrite=*/false,
          locality, /*isDataCache=*/true);
  }
  Values addEach(mlir::ValueRange left, mlir::ValueRange right) {
    Values sums;
    for (auto [x, y] : llvm::zip_equal(left, right))
      sums.push_back(mlir::arith::AddFOp::create(b, x, y));
    return sums;
  }
  /// Sums up parts of `mostInPart` steps from `zeros` each and then the parts,
  /// where `most`, which `count` does not exceed, is larger: rounding errors
  /// grow with the steps of a part and the number of parts, not with all steps.
  /// `steps` emits those from one number to before another.
  Values sumInParts(
      mlir::Value count, int64_t most, mlir::ValueRange zeros,
      llvm::function_ref<Values(mlir::Value, mlir::Value, mlir::ValueRange)>
          steps) {
    if (most <= mostInPart)
      return steps(index(0), count, zeros);
    return loop(index(0), count, mostInPart, zeros,
                [&](mlir::Value from, mlir::ValueRange before) {
                  mlir::Value to = b.createOrFold<mlir::arith::MinSIOp>(
                      add(from, mostInPart), count);
                  return addEach(before, steps(from, to, zeros));
                });
  }
  static constexpr int64_t mostInPart = 128;
  /// The number of rows, or of lanes, of `tile`.
  static int64_t sizeOf(mlir::Value tile, unsigned dim) {
    return llvm::cast<mlir::MemRefType>(tile.getType()).getDimSize(dim);
  }

  mlir::ImplicitLocOpBuilder b;
  const CpuModel &cpu;
  /// A row of lanes of f32.
  mlir::VectorType row;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_X86_VECTOR_EMITTER_H
