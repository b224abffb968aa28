// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions on f32 as instructions; libdevice is not needed.

#include "passes/lower/gpu/Lowerings.h"

#include "passes/body/Erf.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// The intrinsic of an instruction for the function `name` on `type`, or none.
/// Upstream's conversion makes calls of libdevice of all of them.
static std::string intrinsicOf(StringRef name, Type type) {
  if (!type.isF32() && !type.isF64())
    return "";
  StringRef ofBoth = llvm::StringSwitch<StringRef>(name)
                         .Case("arith.maxnumf", "llvm.maxnum")
                         .Case("arith.minnumf", "llvm.minnum")
                         .Case("math.absf", "llvm.fabs")
                         .Case("math.ceil", "llvm.ceil")
                         .Case("math.copysign", "llvm.copysign")
                         .Case("math.floor", "llvm.floor")
                         .Case("math.fma", "llvm.fma")
                         .Case("math.round", "llvm.round")
                         .Case("math.roundeven", "llvm.roundeven")
                         .Case("math.sqrt", "llvm.sqrt")
                         .Case("math.trunc", "llvm.trunc")
                         .Default("");
  if (!ofBoth.empty())
    return (ofBoth + (type.isF32() ? ".f32" : ".f64")).str();
  if (name == "math.exp2" && type.isF32())
    return "llvm.nvvm.ex2.approx.ftz.f";
  if (name == "math.log2" && type.isF32())
    return "llvm.nvvm.lg2.approx.ftz.f";
  return "";
}

namespace {

/// A function on f32 or f64  ->  its instruction
struct FunctionToInstruction : RewritePattern {
  FunctionToInstruction(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return failure();
    Type type = op->getResult(0).getType();
    std::string intrinsic = intrinsicOf(op->getName().getStringRef(), type);
    if (intrinsic.empty())
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(intrinsic), op->getOperands());
    return success();
  }
};

/// A function on a vector  ->  one on each element
struct FunctionOfElements : RewritePattern {
  FunctionOfElements(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1)
      return failure();
    auto type = dyn_cast<VectorType>(op->getResult(0).getType());
    if (!type || type.getRank() != 1)
      return failure();
    if (!isa_and_present<math::MathDialect>(op->getDialect()) &&
        intrinsicOf(op->getName().getStringRef(), type.getElementType())
            .empty())
      return failure();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getDimSize(0); ++i) {
      SmallVector<Value> own;
      for (Value operand : op->getOperands())
        own.push_back(
            vector::ExtractOp::create(rewriter, op->getLoc(), operand, i));
      elements.push_back(rewriter
                             .create(op->getLoc(),
                                     op->getName().getIdentifier(), own,
                                     {type.getElementType()})
                             ->getResult(0));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }
};

/// exp(x)  ->  exp2(x log2 e)
struct ExpToExp2 : OpRewritePattern<math::ExpOp> {
  ExpToExp2(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Value factor = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getF32FloatAttr(llvm::numbers::log2ef));
    Value exponent =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getOperand(), factor);
    rewriter.replaceOpWithNewOp<math::Exp2Op>(op, exponent);
    return success();
  }
};

/// log(x)  ->  log2(x) / log2 e
struct LogToLog2 : OpRewritePattern<math::LogOp> {
  LogToLog2(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::LogOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Value factor = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getF32FloatAttr(llvm::numbers::ln2f));
    Value log = math::Log2Op::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, log, factor);
    return success();
  }
};

/// rsqrt(x)  ->  1 / sqrt(x)
struct RsqrtToSqrt : OpRewritePattern<math::RsqrtOp> {
  RsqrtToSqrt(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    Value one = arith::ConstantOp::create(rewriter, op.getLoc(),
                                          rewriter.getF32FloatAttr(1));
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, one, root);
    return success();
  }
};

/// |i|  ->  max(i, -i)
struct AbsToMax : OpRewritePattern<math::AbsIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AbsIOp op,
                                PatternRewriter &rewriter) const override {
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getZeroAttr(op.getType()));
    Value negative =
        arith::SubIOp::create(rewriter, op.getLoc(), zero, op.getOperand());
    rewriter.replaceOpWithNewOp<arith::MaxSIOp>(op, op.getOperand(), negative);
    return success();
  }
};

/// The halves of a product of i32. Upstream makes one product of 64 bits, whose
/// halves are four instructions of PTX more; ptxas makes one of these two.
struct ProductToHalves : OpRewritePattern<arith::MulUIExtendedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MulUIExtendedOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getLow().getType();
    if (!type.isInteger(32))
      return failure();
    Value low = arith::MulIOp::create(rewriter, op.getLoc(), op.getOperands());
    auto high = LLVM::CallIntrinsicOp::create(
        rewriter, op.getLoc(), type,
        rewriter.getStringAttr("llvm.nvvm.mulhi.ui"), op.getOperands());
    rewriter.replaceOp(op, {low, high.getResult(0)});
    return success();
  }
};

} // namespace

void mixattn::populateFunctionsToInstructions(RewritePatternSet &patterns) {
  patterns.add<FunctionToInstruction, FunctionOfElements, ExpToExp2, LogToLog2,
               RsqrtToSqrt, AbsToMax, ProductToHalves>(patterns.getContext());
  populateErf(patterns);
  populateAngles(patterns);
  populateInverseAngles(patterns);
  populatePowers(patterns);
  populateExponentials(patterns);
  populateTanh(patterns);
  // Functions that have no instruction that is near enough.
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained({"math.expm1", "math.log1p"}, name);
  });
}
