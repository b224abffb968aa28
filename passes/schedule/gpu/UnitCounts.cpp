// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the instructions of a warp.

#include "passes/schedule/gpu/UnitCounts.h"

#include "passes/body/Body.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/gpu/Collapse.h"
#include "passes/schedule/gpu/OperandWindows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

UnitCounts &UnitCounts::operator+=(const UnitCounts &other) {
  products += other.products;
  exps += other.exps;
  fma += other.fma;
  alu += other.alu;
  moves += other.moves;
  return *this;
}

UnitCounts UnitCounts::operator*(double times) const {
  return {products * times, exps * times, fma * times, alu * times,
          moves * times};
}

BlockClocks BlockCounts::clocksOn(const GpuModel &gpu,
                                  const GpuModel &best) const {
  // An instruction is one operation of each of 32 lanes; a unit of a quarter
  // does a quarter of what the multiprocessor does in a clock.
  auto clocks = [&](double instructions, double rate) {
    return instructions * double(warps) * 32 * GpuModel::quarters / rate;
  };
  BlockClocks result;
  result.stage = stage;
  result.queries = queries;
  result.keys = keys;
  result.heads = heads;
  result.columnBlocks = columnBlocks;
  result.turns = turns;
  result.warps = warps;
  result.products = int64_t(warp.products);
  result.exps = int64_t(warp.exps);
  result.keptProducts = int64_t(keptWarp.products);
  result.kept = std::max(keptMultiplyAdds / gpu.products,
                         keptWarp.issued() * double(warps));
  result.tensor = multiplyAdds / gpu.products;
  result.exp = clocks(warp.exps, gpu.exps);
  result.fma = clocks(warp.fma, gpu.others);
  result.alu = clocks(warp.alu, GpuModel::integers);
  result.issue = warp.issued() * double(warps);
  result.sharedMemory = sharedBytes / GpuModel::sharedRate;
  result.atPeak = usefulMultiplyAdds / best.products;
  result.copiedBytes = copiedBytes;
  result.queryBytes = queryBytes;
  result.givenBytes = givenBytes;
  return result;
}

namespace {

/// Reads operands as values that come from nowhere, one for each place, and
/// counts them.
class CountedOperands : public BodyOperands {
public:
  explicit CountedOperands(OperandWindows windows = {})
      : windows(std::move(windows)) {}

  Value emitRead(OpBuilder &b, Location loc, Value tensor,
                 ValueRange indices) override {
    loads += windows.loadsOf(tensor);
    Value &standIn = tensors[tensor];
    if (!standIn)
      standIn = fromNowhere(b, loc, b.getIndexType());
    SmallVector<Value> place = {standIn};
    llvm::append_range(place, indices);
    Type type = getElementTypeOrSelf(tensor.getType());
    return UnrealizedConversionCastOp::create(b, loc, type, place).getResult(0);
  }
  Value emitSize(OpBuilder &b, Location loc, Value, Value) override {
    return fromNowhere(b, loc, b.getIndexType());
  }
  Value emitNumber(OpBuilder &b, Value value) override {
    // A constant stays one.
    FloatAttr number;
    if (matchPattern(value, m_Constant(&number)))
      return arith::ConstantOp::create(
          b, value.getLoc(), b.getF32FloatAttr(number.getValueAsDouble()));
    return fromNowhere(b, value.getLoc(), value.getType());
  }
  static Value fromNowhere(OpBuilder &b, Location loc, Type type) {
    return b.getInsertionBlock()->addArgument(type, loc);
  }

  OperandWindows windows;
  DenseMap<Value, Value> tensors;
  double loads = 0;
};

} // namespace

/// The instructions that `op`, on one element, becomes (LowerFunctions.cpp).
/// Those of divisions and tanh are as ptxas writes them out.
static UnitCounts countOp(Operation *op) {
  UnitCounts exp, fma, alu;
  exp.exps = fma.fma = alu.alu = 1;
  auto several = [](double exps, double fma, double alu) {
    UnitCounts counts;
    counts.exps = exps;
    counts.fma = fma;
    counts.alu = alu;
    return counts;
  };
  // The inverse of a constant is a constant.
  if (isa<arith::DivFOp>(op) && matchPattern(op->getOperand(1), m_Constant()))
    return several(0, 3, 1);
  return llvm::StringSwitch<UnitCounts>(op->getName().getStringRef())
      .Cases({"math.exp2", "math.log2"}, exp)
      .Cases({"math.exp", "math.log"}, several(1, 1, 0))
      .Case("math.sqrt", several(1, 5, 2))
      .Case("arith.divf", several(1, 6, 1))
      .Case("math.tanh", several(1, 12, 6))
      .Cases({"arith.addf", "arith.subf", "arith.mulf", "math.fma"}, fma)
      // These are a part of what reads them.
      .Cases({"arith.constant", "arith.negf", "math.absf", "arith.index_cast",
              "builtin.unrealized_conversion_cast"},
             UnitCounts())
      .Default(alu);
}

/// Whether `op` is a sum that takes in the product that it adds.
static bool isFused(Operation *op) {
  auto sum = dyn_cast<arith::AddFOp>(op);
  return sum &&
         bitEnumContainsAll(sum.getFastmath(),
                            arith::FastMathFlags::contract) &&
         llvm::any_of(sum->getOperands(), [](Value term) {
           auto product = term.getDefiningOp<arith::MulFOp>();
           return product && product->hasOneUse();
         });
}

/// Whether `op` is one instruction with what makes one of its operands: that of
/// three logical inputs (LOP3), no more.
static bool isThirdInput(Operation *op) {
  auto isLogical = [](Operation *each) {
    return isa_and_present<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(each) &&
           !each->getResult(0).getType().isInteger(1);
  };
  return isLogical(op) && llvm::any_of(op->getOperands(), [&](Value input) {
           return isLogical(input.getDefiningOp()) && input.hasOneUse() &&
                  !isThirdInput(input.getDefiningOp());
         });
}

/// From the product to the weight where components collapse.
static Value emitCollapsed(ImplicitLocOpBuilder &b, Body &body,
                           Softmax &softmax, Value product) {
  auto number = [&](int64_t) -> Value {
    return CountedOperands::fromNowhere(b, b.getLoc(), b.getF32Type());
  };
  Body::Collapsed own = body.emitCollapsed(b, product, number, number);
  return arith::MulFOp::create(b, softmax.emitWeight(own.exponent, number(0)),
                               own.factor);
}

/// From what all heads share to the weight of the head at `place`.
static Value emitHead(ImplicitLocOpBuilder &b, Body &body, Softmax &softmax,
                      ValueRange start, const ScorePlace &place, bool hasMask) {
  auto number = [&] {
    return CountedOperands::fromNowhere(b, b.getLoc(), b.getF32Type());
  };
  SmallVector<Value> exponents = body.emitExponents(b, start, place);
  // Masks are read for every block; all else is visible where a block is seen
  // whole.
  if (hasMask) {
    Value visible = body.emitIsVisible(b, place, /*isBelowLength=*/true);
    for (Value &exponent : exponents)
      exponent = arith::SelectOp::create(b, visible, exponent, number());
  }
  return softmax.emitWeight(exponents, number());
}

/// The products that the body begins with.
static SmallVector<Value> emitProducts(ImplicitLocOpBuilder &b,
                                       AttentionOpInterface op, Body &body) {
  auto number = [&] {
    return CountedOperands::fromNowhere(b, b.getLoc(), b.getF32Type());
  };
  // Keys that differ by a shift share one product.
  bool hasOwnKeys = op.getKey() && op.getKeyType().getRank() == 5;
  SmallVector<Value> products;
  for (int64_t i = 0; i < body.numChannels() * body.numProducts(); ++i) {
    bool isNew = hasOwnKeys || i % body.numProducts() == 0;
    Value product = isNew ? number() : products.back();
    // A scaled product takes its factor and its reference at once.
    if (isNew && body.queryFactor() != 1.0 && !body.isScaledProduct())
      product = arith::MulFOp::create(b, product, number(),
                                      arith::FastMathFlags::contract);
    products.push_back(product);
  }
  return products;
}

/// From the products of the element at `place` to the weights of `heads`.
static SmallVector<Value> emitElement(ImplicitLocOpBuilder &b,
                                      AttentionOpInterface op, Body &body,
                                      Softmax &softmax, ScorePlace place,
                                      ValueRange heads) {
  SmallVector<Value> products = emitProducts(b, op, body);
  if (Collapse::of(op))
    return {emitCollapsed(b, body, softmax, products.front())};
  SmallVector<Value> start = body.emitStart(b, products, place), weights;
  for (Value head : heads) {
    place.h = head;
    weights.push_back(
        emitHead(b, body, softmax, start, place, bool(op.getMask())));
  }
  return weights;
}

/// The instructions of one element: from products to the weights of `heads`
/// heads, less the maxima and sums of the row.
static UnitCounts countElement(AttentionOpInterface op, int64_t heads,
                               ReadFrom from) {
  Location loc = op->getLoc();
  OpBuilder anywhere(op->getContext());
  OwningOpRef<func::FuncOp> scratch = func::FuncOp::create(
      loc, "elements", anywhere.getFunctionType(/*inputs=*/{}, /*results=*/{}));
  ImplicitLocOpBuilder b(loc, op->getContext());
  b.setInsertionPointToStart(scratch->addEntryBlock());
  // How often a read is a load depends on no size.
  OperandWindows windows =
      from == ReadFrom::Memory
          ? OperandWindows::findGiven(op, heads, /*queries=*/1, /*keys=*/1,
                                      /*teams=*/1, /*stages=*/1)
          : OperandWindows::find(op, heads, /*queries=*/1, /*keys=*/1,
                                 /*teams=*/1);
  CountedOperands operands(std::move(windows));
  Body body(op, operands);
  Softmax softmax(b, [](ImplicitLocOpBuilder &b, Value exponent) -> Value {
    return math::Exp2Op::create(b, exponent);
  });
  auto index = [&] {
    return CountedOperands::fromNowhere(b, loc, b.getIndexType());
  };
  ScorePlace place = {index(), index(), index(), index(), index()};
  SmallVector<Value> ownHeads, weights;
  for (int64_t head = 0; head < heads; ++head)
    ownHeads.push_back(index());
  int64_t elements = 1;
  if (op.getSeed()) {
    elements = 2;
    place.pair = index();
  }
  for (int64_t element = 0; element < elements; ++element) {
    place.j = place.number = index();
    llvm::append_range(weights,
                       emitElement(b, op, body, softmax, place, ownHeads));
  }
  func::ReturnOp::create(b, weights);
  // Neighbours share random words, and so do the channels of a head.
  if (op.getSeed()) {
    IRRewriter rewriter(b);
    DominanceInfo dominance(*scratch);
    eliminateCommonSubExpressions(rewriter, dominance, *scratch);
  }

  UnitCounts counts;
  for (Operation &each : scratch->getBody().front().without_terminator())
    if (!isFused(&each) && !isThirdInput(&each))
      counts += countOp(&each);
  counts.moves = operands.loads;
  counts = counts * (1.0 / double(elements));
  // Four elements of a thread share what is read of a key.
  if (Collapse::of(op))
    counts.moves = double(op.getNumComponents() + 1) / 4;
  // Stages make two terms of a Gaussian: of the query, and of the key, which
  // four elements of a thread share. The second has the prior in it.
  if (op.getGaussian() && !Collapse::of(op)) {
    double components = double(op.getNumComponents());
    counts.fma += (op.getPrior() ? 1 : 2) * components;
    counts.moves += 0.25 * components;
  }
  return counts;
}

double mixattn::countShareThere(AttentionOpInterface op, int64_t queries) {
  int64_t known = op.getQueriesDim().size();
  if (ShapedType::isDynamic(known) || known == 0)
    return 1;
  return double(known) /
         double(llvm::alignTo(uint64_t(known), uint64_t(queries)));
}

UnitCounts mixattn::countDropped(AttentionOpInterface op, int64_t keys,
                                 int64_t heads) {
  if (!op.getKeep())
    return {};
  Block scratch;
  ImplicitLocOpBuilder b(op->getLoc(), op->getContext());
  b.setInsertionPointToStart(&scratch);
  CountedOperands operands;
  auto value = [&](Type type) {
    return CountedOperands::fromNowhere(b, op->getLoc(), type);
  };
  auto index = [&] { return value(b.getIndexType()); };
  Value kept =
      Body(op, operands)
          .emitIsKept(b, {index(), index(), index(), index(), index()});
  arith::SelectOp::create(b, kept, value(b.getF32Type()),
                          value(b.getF32Type()));
  UnitCounts counts;
  for (Operation &each : scratch)
    counts += countOp(&each);
  return counts * (double(heads * keys) / 2);
}

UnitCounts mixattn::countPowers(AttentionOpInterface op, int64_t keys,
                                int64_t heads, ReadFrom from) {
  return countElement(op, heads, from) * (double(keys) / 2);
}

UnitCounts mixattn::countSoftmax(AttentionOpInterface op, int64_t keys,
                                 int64_t heads, int64_t exps, ReadFrom from) {
  CountedOperands operands;
  double exponents =
      Collapse::of(op) ? 1 : double(Body(op, operands).numExponents());
  double elements = double(keys) / 2;
  // Lanes keep their own parts of sums. References lag: a bound is made and
  // compared, and what was summed is left as it is.
  constexpr double rows = 2;
  UnitCounts own;
  own.alu += exponents * elements + rows + 1;
  own.fma += elements + 2 * rows;
  // Two weights become one register of an operand.
  own.alu += elements / 2;
  // A polynomial takes 9 multiply-adds, a maximum, and a shift that adds.
  double byPolynomial = exponents * elements * double(tile::allExps - exps) /
                        double(tile::allExps);
  own.exps -= byPolynomial;
  own.fma += 9 * byPolynomial;
  own.alu += 2 * byPolynomial;
  UnitCounts counts = countPowers(op, keys, heads, from);
  counts += own * double(heads);
  return counts;
}
