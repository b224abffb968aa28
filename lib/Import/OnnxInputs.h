// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of a model's arguments in ONNX files, and names of their dims.
#ifndef MIXATTN_LIB_IMPORT_ONNXINPUTS_H
#define MIXATTN_LIB_IMPORT_ONNXINPUTS_H

#include "lib/Import/Graph.h"

namespace onnx {
class ValueInfoProto;
} // namespace onnx

namespace mixattn {

/// The values that `inputs` are. Open dims have the names of the file or those
/// that the user gives; dims without one are called after input and place.
Result<std::vector<GraphValue>>
readOnnxInputs(const std::vector<const onnx::ValueInfoProto *> &inputs,
               const InputDimNames &names);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_ONNXINPUTS_H
