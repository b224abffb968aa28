// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npz format: a zip archive of .npy files.
#ifndef MIXATTN_LIB_RUNTIME_NPZ_H
#define MIXATTN_LIB_RUNTIME_NPZ_H

#include "lib/Runtime/Safetensors.h"
#include <functional>

namespace mixattn {

/// Reads an archive of stored or deflated members named NAME.npy; the pairs
/// come in the order of the archive. Errors name the member. `check` is asked
/// about each NAME before its member is read, and its errors are given as they
/// are: what nobody wants takes no memory.
Result<std::vector<std::pair<std::string, Tensor>>>
readNpz(std::string_view file,
        const std::function<Status(const std::string &name)> &check = nullptr);

/// The bytes of an archive with these tensors, not compressed; an error from
/// 4 GiB on, for which zip has another format.
Result<std::string> writeNpz(const std::vector<NamedTensor> &tensors);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_NPZ_H
