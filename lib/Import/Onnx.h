// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models in ONNX's format: ops of opsets 13 to 26, weights in the file or in
// files next to it.
#ifndef MIXATTN_LIB_IMPORT_ONNX_H
#define MIXATTN_LIB_IMPORT_ONNX_H

#include "lib/Import/Graph.h"

#include <functional>

namespace mixattn {

/// The model in a file. Elements that lie in other files are read from `folder`
/// and from nowhere else; from none where it is empty. `forget` is called now
/// and then, when what was read so far of the file need not stay in memory.
Result<Graph> readOnnx(
    std::string_view file, const std::string &folder,
    const InputDimNames &names, const std::function<void()> &forget = [] {});

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_ONNX_H
