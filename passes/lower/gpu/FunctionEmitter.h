// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared by functions that are computed by arithmetic: numbers of f32 and f64.

#ifndef MIXATTN_PASSES_LOWER_GPU_FUNCTION_EMITTER_H
#define MIXATTN_PASSES_LOWER_GPU_FUNCTION_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace mixattn {

/// Emits arithmetic on scalars. Operands of one operation are all f32 or all
/// f64.
class FunctionEmitter {
public:
  using Value = mlir::Value;
  using Predicate = mlir::arith::CmpFPredicate;

  FunctionEmitter(mlir::Location loc, mlir::OpBuilder &builder)
      : b(loc, builder) {}

  /// `number` with the type of `like`.
  Value constant(Value like, double number);
  Value integer(mlir::Type type, int64_t number);

  Value sum(Value x, Value y);
  Value difference(Value x, Value y);
  Value product(Value x, Value y);
  Value quotient(Value x, Value y);
  Value negative(Value x);
  /// x y + z, rounded once.
  Value multiplyAdd(Value x, Value y, Value z);
  Value magnitude(Value x);
  Value root(Value x);
  /// The magnitude of `x` with the sign of `y`.
  Value signedAs(Value x, Value y);
  Value isTrue(Predicate predicate, Value x, Value y);
  Value isTrue(Predicate predicate, Value x, double number) {
    return isTrue(predicate, x, constant(x, number));
  }
  Value choose(Value condition, Value yes, Value no);
  Value both(Value p, Value q);
  Value either(Value p, Value q);
  Value bits(Value x);

  /// An f32 as f64, and an f64 rounded to f32.
  Value wide(Value x);
  Value narrow(Value x);

  Value polynomial(Value x, llvm::ArrayRef<double> highestFirst);
  /// The integer nearest to `x`, an f64 below 2^51 in magnitude, and an i64
  /// whose low bits are those of that integer.
  std::pair<Value, Value> nearest(Value x);
  /// 2^t of an f64: 2^-37 off at most, relative. What no f32 holds is no longer
  /// exact, but rounds to infinity or 0.
  Value powerOfTwo(Value t);
  /// e^x of an f64, in the same way.
  Value exponential(Value x);
  /// log2(x) of an f64, normal or 0: 2^-44 off at most, relative.
  Value binaryLogarithm(Value x);

  mlir::ImplicitLocOpBuilder b;
};

/// A function of an f32  ->  its arithmetic, which `emitFunction` emits with an
/// `Emitter`
template <typename Op, auto emitFunction, typename Emitter = FunctionEmitter>
struct FunctionToArithmetic : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult
  matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    Emitter emit(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitFunction(emit, op.getOperand()));
    return mlir::success();
  }
};

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_GPU_FUNCTION_EMITTER_H
