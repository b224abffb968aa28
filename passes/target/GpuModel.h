// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU as planner and schedules see it.

#ifndef MIXATTN_PASSES_TARGET_GPU_MODEL_H
#define MIXATTN_PASSES_TARGET_GPU_MODEL_H

#include "dialect/attn/AttnOps.h"

#include <string>

namespace mixattn {

/// The one description of a GPU: numbers of data sheets and of the CUDA
/// programming guide. Nothing here was measured.
struct GpuModel {
  /// LLVM's name, "sm_80", and the product that the numbers are of.
  llvm::StringLiteral chip, product;
  /// The family of targets that it is of.
  TargetFamily family;
  int64_t multiprocessors;
  double hertz;
  /// Operations that one multiprocessor begins in a cycle: multiply-adds of
  /// 16-bit floats by its family's products, exps, other operations of f32.
  double products, exps, others;
  /// Operations of integers, comparisons and conversions: the same on all.
  static constexpr double integers = 64;
  /// Bytes a clock of a multiprocessor's shared memory, and its quarters, each
  /// of which issues one instruction in a clock.
  static constexpr double sharedRate = 128, quarters = 4;
  /// Bytes a second from and to device memory.
  double memoryRate;
  /// Bytes of shared memory that a block may ask for.
  int64_t sharedBytes;

  /// Operations of 16-bit floats a second.
  double peak() const { return 2 * products * double(multiprocessors) * hertz; }
};

/// The GPUs that there are descriptions of.
llvm::ArrayRef<GpuModel> getGpuModels();

/// The GPU called `chip`, or null.
const GpuModel *findGpu(llvm::StringRef chip);

/// The GPU of `target`, of a family of GPUs. A chip that is not known is taken
/// for the first that is.
const GpuModel &describeGpu(TargetAttr target);

/// The GPU as code by mma.sync sees it, or null: sm_90a runs what is for sm_90.
const GpuModel *findGpuForMma(TargetAttr target);

} // namespace mixattn

#endif // MIXATTN_PASSES_TARGET_GPU_MODEL_H
