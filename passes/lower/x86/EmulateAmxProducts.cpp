// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the bits of AMX's products in vectors of f32, for CPUs without AMX.

#include "passes/lower/x86/VectorEmitter.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// TDPBF16PS (Intel's manual, volume 2): a square of 16 steps is summed up from
/// zero, even and odd terms apart; both are added, and then to the sum before.
/// Numbers below the smallest normal one are 0, as operands and as results.
class AmxEmulator : public VectorEmitter {
public:
  AmxEmulator(OpBuilder &builder, const CpuModel &cpu, tile::ProductOp op)
      : VectorEmitter(op.getLoc(), builder, cpu), op(op) {}

  void emit();

private:
  Value flush(Value numbers);
  Values emitTerms(Value row, Value lane, Value i, ValueRange sums);

  tile::ProductOp op;
};

} // namespace

/// `numbers` with zeros of their signs for those that are not normal.
Value AmxEmulator::flush(Value numbers) {
  auto bits = VectorType::get({cpu.lanes}, b.getI32Type());
  auto splatOf = [&](uint32_t number) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(bits, number));
  };
  Value all = arith::BitcastOp::create(b, bits, numbers);
  Value exponent = arith::AndIOp::create(b, all, splatOf(0x7f800000));
  Value sign = arith::AndIOp::create(b, all, splatOf(0x80000000));
  Value isTiny =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, exponent, splatOf(0));
  return arith::BitcastOp::create(
      b, row, arith::SelectOp::create(b, isTiny, sign, all).getResult());
}

/// Adds the even and the odd terms of step `i` to `sums`.
AmxEmulator::Values AmxEmulator::emitTerms(Value at, Value lane, Value i,
                                           ValueRange sums) {
  Value place = b.createOrFold<arith::MulIOp>(lane, index(2));
  Value pairs = vector::LoadOp::create(
      b, VectorType::get({2 * cpu.lanes}, b.getBF16Type()), op.getRight(),
      ValueRange{i, place});
  auto [even, odd] = splitWidened(pairs);
  Value column = b.createOrFold<arith::MulIOp>(i, index(2));
  Values next;
  for (auto [term, factors] : llvm::enumerate(Values{even, odd})) {
    Value number = spread(op.getLeft(), at, add(column, int64_t(term)));
    next.push_back(
        flush(multiplyAdd(flush(number), flush(factors), sums[term])));
  }
  return next;
}

void AmxEmulator::emit() {
  MemRefType target = op.getTarget().getType();
  Value count = op.getCount() ? op.getCount() : index(op.getMostSteps());
  loop(index(0), index(target.getDimSize(0)), 1, {}, [&](Value r, ValueRange) {
    Value at = add(op.getRow(), r);
    loop(index(0), index(target.getDimSize(1)), cpu.lanes, {},
         [&](Value lane, ValueRange) {
           SmallVector<Value> place = {r, lane};
           Value before =
               op.getAccumulates()
                   ? vector::LoadOp::create(b, row, op.getTarget(), place)
                         .getResult()
                   : splat(0);
           Values sum = loop(
               index(0), count, tile::amxSide, before,
               [&](Value i, ValueRange carried) {
                 Values terms = loop(i, add(i, tile::amxSide), 1,
                                     Values{splat(0), splat(0)},
                                     [&](Value step, ValueRange sums) {
                                       return emitTerms(at, lane, step, sums);
                                     });
                 Value square =
                     flush(arith::AddFOp::create(b, terms[0], terms[1]));
                 return Values{flush(
                     arith::AddFOp::create(b, flush(carried.front()), square))};
               });
           vector::StoreOp::create(b, sum.front(), op.getTarget(), place);
           return Values();
         });
    return Values();
  });
  scale(op.getTarget(), op.getFactor().convertToFloat());
}

void mixattn::emulateAmx(RewriterBase &rewriter, tile::ProductOp op,
                         const CpuModel &cpu) {
  AmxEmulator(rewriter, cpu, op).emit();
  rewriter.eraseOp(op);
}
