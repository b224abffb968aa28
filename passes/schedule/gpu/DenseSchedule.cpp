// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contractions that dense schedules for GPUs take, and predictions of them.

#include "passes/schedule/gpu/DenseSchedule.h"

#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/gpu/GpuSchedule.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

std::string DenseSchedule::whyNot(Operation *op) const {
  std::optional<Contraction> product = findContraction(op);
  if (!product)
    return "it is no contraction";
  if (!findGpu(chip))
    return llvm::formatv("there is no description of the GPU '{0}'", chip);
  Type result = getElementTypeOrSelf(product->getResult());
  if (!result.isF32() && !result.isF16() && !result.isBF16())
    return llvm::formatv("results are f32, f16 or bf16, but one is {0}",
                         result);
  if (!product->beginsWithZeros())
    return "it adds to a tensor that is not filled with 0";
  if (hasEmptyOperand(op))
    return "one of its operands has no elements";
  return whyNoBlock(*product);
}

std::string DenseSchedule::whyNotFused(ArrayRef<Operation *> members,
                                       Operation *op) const {
  return mixattn::whyNotFused(members, op);
}

/// Products by the rate of tensor cores, in rounds of blocks; what is read and
/// written takes no less than device memory needs. Nothing here was measured.
Prediction DenseSchedule::predict(const Workload &work, const PlanCase &,
                                  const PlanSizes &sizes) const {
  BlockCounts step = countStep(*findContraction(work.op));
  double times = std::max(1.0, work.plainMultiplyAdds);
  double rows = double(sizes.queries), columns = double(sizes.batch),
         depth = double(sizes.keys);
  double blocks = times * std::ceil(rows / double(step.queries)) *
                  std::ceil(columns / double(step.heads));
  double clocksOfBlock =
      step.multiplyAdds * std::ceil(depth / double(step.keys)) / units.products;
  double rounds = std::ceil(blocks / double(gpu.multiprocessors));
  double bytes = work.movedBytes * columns * rows * depth;
  return {secondsOfLaunch + std::max(rounds * clocksOfBlock / gpu.hertz,
                                     bytes / gpu.memoryRate),
          0};
}

double DenseSchedule::secondsOfCall() const { return secondsOfLaunch; }
