// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dense schedule: a contraction, and what its result goes through.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_H

#include "dialect/attn/AttnOps.h"
#include "passes/schedule/x86/shared/TileSizes.h"

namespace mixattn {

/// Replaces a kernel of a contraction by a grid of tiles of its result, for
/// `cpu`.
/// Where the kernel makes the rows of its left side, an item does so once for
/// all of its tiles. Sums are over pieces of the depth, of which the right
/// side's rows are packed, or read as they lie where that is faster. The
/// kernel's pointwise ops are computed on a tile's rows before these are
/// stored.
void scheduleDense(KernelOp kernel, const CpuModel &cpu);

/// The panels in which a kernel of a contraction reads its right side, where
/// that is kept in panels, for `cpu`. None where it reads it as it lies. The
/// sizes of the right side are known.
std::optional<PanelLayout> findPanels(KernelOp kernel, const CpuModel &cpu);

/// Replaces a kernel of `attn.panels` by a grid of pieces of panels.
void schedulePanels(KernelOp kernel, const TileSizes &usual);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_H
