// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows on the last dims of tensors: those of convolutions and of pools.
#ifndef MIXATTN_LIB_IMPORT_OPS_WINDOWS_H
#define MIXATTN_LIB_IMPORT_OPS_WINDOWS_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// How windows lie on the last dims of a tensor.
struct Windows {
  /// Of each of these dims.
  llvm::SmallVector<int64_t> size, stride, dilation, before, after;
  int64_t dims() const { return int64_t(size.size()); }
  /// Whether they lie next to each other and cover all.
  bool areTiles() const {
    return stride == size &&
           llvm::all_of(dilation, [](int64_t d) { return d == 1; });
  }
};

/// The numbers given for an argument, one for each dim; one for all if it is
/// one, and `otherwise` for none.
llvm::SmallVector<int64_t> perDim(OpCall &op, const char *name, int64_t dims,
                                  int64_t least, int64_t otherwise);

/// Reads how windows of `size` lie on the last dims of x. ONNX gives borders
/// for both ends.
Windows readWindows(OpCall &op, const Built &x, llvm::ArrayRef<int64_t> size,
                    llvm::ArrayRef<int64_t> stride);

/// The windows of a tensor [A, ..., H, W], bordered with `number`: [A, ...,
/// windows of H, windows of W, I, J].
Built windowsOf(OpCall &op, const Built &tensor, const Windows &windows,
                double number);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_WINDOWS_H
