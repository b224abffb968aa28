// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which op of an entry some code was made of, for who measures it.

#ifndef MIXATTN_PASSES_PROFILE_KERNEL_MARK_H
#define MIXATTN_PASSES_PROFILE_KERNEL_MARK_H

#include "mlir/IR/Location.h"

#include <optional>
#include <string>
#include <vector>

namespace mixattn {

/// The number of an op of an entry, in the location of whatever it becomes. It
/// says nothing of what code computes: code that is measured is code that is
/// not, and where a location is lost only a name is.
struct KernelMark {
  int64_t number;
  /// The algorithm, once a schedule has made a stage; else empty.
  std::string stage;
};

/// The mark that `loc` carries; the first one where it is of several ops.
std::optional<KernelMark> findMark(mlir::Location loc);

/// `loc` with a mark in place of those that it carries.
mlir::Location withMark(mlir::Location loc, const KernelMark &mark);

/// `loc` with `stage` in its mark; `loc` itself where it carries none.
mlir::Location withStage(mlir::Location loc, llvm::StringRef stage);

/// `FILE:LINE:COLUMN` of `loc`, then those of the calls that it was inlined at,
/// the innermost first. None where it has no place.
std::vector<std::string> listPlaces(mlir::Location loc);

} // namespace mixattn

#endif // MIXATTN_PASSES_PROFILE_KERNEL_MARK_H
