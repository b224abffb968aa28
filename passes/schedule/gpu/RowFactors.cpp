// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of the components of rows, on a GPU.

#include "passes/body/References.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/gpu/Schedules.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

/// Threads of a block, a row each.
static constexpr int64_t threads = 128;

void gpus::scheduleRowFactors(KernelOp kernel) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<RowFactorsOp>(kernel.getAnchor());
  Value term = kernel.getOperandOf(op.getTerm()),
        result = kernel.getOutputs()[0];
  auto type = cast<MemRefType>(term.getType());
  int64_t components = type.getDimSize(2);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };

  Value length = b.createOrFold<memref::DimOp>(term, 3);
  auto grid = tile::GridOp::create(
      b,
      ValueRange{at.div(at.add(length, threads - 1), threads),
                 at.value(type.getDimSize(1)),
                 b.createOrFold<memref::DimOp>(term, 0)},
      threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  Value head = grid.getItem()[1], batch = grid.getItem()[2];
  Value row = at.add(at.mul(grid.getItem()[0], threads),
                     Value(gpu::ThreadIdOp::create(b, gpu::Dimension::x)));
  auto choice =
      scf::IfOp::create(b, at.compare(arith::CmpIPredicate::slt, row, length),
                        /*withElseRegion=*/false);
  b.setInsertionPointToStart(choice.thenBlock());
  auto place = [&](int64_t r) {
    return SmallVector<Value>{batch, head, at.value(r), row};
  };

  // Components that are all switched off are 0 times a finite number.
  Value largest = number(lowest);
  SmallVector<Value> terms;
  for (int64_t r = 0; r < components; ++r) {
    Value own = toF32(b, b.getLoc(), memref::LoadOp::create(b, term, place(r)));
    if (!op.getInBase_2())
      own = arith::MulFOp::create(b, own, number(llvm::numbers::log2e));
    terms.push_back(own);
    largest = arith::MaxNumFOp::create(b, largest, own);
  }
  Value base = largest;
  double headroom = op.getHeadroom().convertToDouble();
  if (headroom != 0)
    base = arith::SubFOp::create(b, largest, number(headroom));
  memref::StoreOp::create(b, base, result, place(0));
  for (auto [r, own] : llvm::enumerate(terms)) {
    Value factor = math::Exp2Op::create(b, arith::SubFOp::create(b, own, base));
    memref::StoreOp::create(b, factor, result, place(int64_t(r) + 1));
  }
  kernel.erase();
}
