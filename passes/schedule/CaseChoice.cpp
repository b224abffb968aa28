// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which case of a plan a call takes.

#include "passes/schedule/CaseChoice.h"

#include "passes/plan/Workload.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mixattn;

CaseChoice::CaseChoice(ImplicitLocOpBuilder &b, KernelOp kernel,
                       ArrayRef<PlanCase> plan)
    : b(b), kernel(kernel), plan(plan) {
  auto makeWay = [](PlanCase each) {
    each.when = {};
    return each;
  };
  PlanCase last = makeWay(plan.back());
  for (const PlanCase &each : plan)
    if (PlanCase way = makeWay(each);
        !(way == last) && !llvm::is_contained(ways, way))
      ways.push_back(way);
  ways.push_back(last);
  for (const PlanCase &each : plan)
    wayOf.push_back(llvm::find(ways, makeWay(each)) - ways.begin());
}

/// Whether the sizes of the call are those of `each`.
Value CaseChoice::emitHolds(const PlanCase &each) {
  IndexMath at(b);
  Value holds;
  auto require = [&](arith::CmpIPredicate predicate, Value size,
                     int64_t bound) {
    Value next = at.compare(predicate, size, bound);
    holds = holds ? arith::AndIOp::create(b, holds, next) : next;
  };
  std::array<OperandDim, 3> dims = getPlanDims(kernel.getAnchor());
  for (auto [range, dim] : llvm::zip(each.when, dims)) {
    if (range.isEverything())
      continue;
    Value size =
        b.createOrFold<memref::DimOp>(kernel.getOperandOf(dim.value), dim.dim);
    if (range.above >= 0)
      require(arith::CmpIPredicate::sgt, size, range.above);
    if (range.atMost != SizeRange::unbounded)
      require(arith::CmpIPredicate::sle, size, range.atMost);
  }
  return holds;
}

/// Of the cases from the last to the first: a call takes `way` from a case on
/// where the case is of this way and holds, or where it takes it from the next
/// case on, and the case is of no later way that holds. Earlier ways were
/// tested already.
Value CaseChoice::emit(unsigned way) {
  Value takes;
  for (auto [each, own] : llvm::zip(llvm::reverse(plan.drop_back()),
                                    llvm::drop_begin(llvm::reverse(wayOf)))) {
    if (own < way || (own > way && !takes))
      continue;
    Value holds = emitHolds(each);
    if (own == way) {
      takes = takes ? arith::OrIOp::create(b, holds, takes) : holds;
      continue;
    }
    Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
    Value fails = arith::XOrIOp::create(b, holds, yes);
    takes = arith::AndIOp::create(b, fails, takes);
  }
  return takes;
}
