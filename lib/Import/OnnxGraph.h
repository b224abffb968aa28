// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of an ONNX model, with the bodies of its functions in it.
#ifndef MIXATTN_LIB_IMPORT_ONNXGRAPH_H
#define MIXATTN_LIB_IMPORT_ONNXGRAPH_H

#include "lib/Import/Graph.h"
#include "lib/Import/OnnxTensor.h"

namespace onnx {
class ModelProto;
} // namespace onnx

namespace mixattn {

/// The graph of `model`, which like `files` outlives the graph's weights.
Result<Graph> readOnnxGraph(const onnx::ModelProto &model, ExternalFiles &files,
                            const InputDimNames &names);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_ONNXGRAPH_H
