// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that an ONNX model brings along.
#ifndef MIXATTN_LIB_IMPORT_ONNXFUNCTIONS_H
#define MIXATTN_LIB_IMPORT_ONNXFUNCTIONS_H

#include "lib/Runtime/Result.h"

#include <map>
#include <memory>

namespace onnx {
class AttributeProto;
class FunctionProto;
class ModelProto;
} // namespace onnx

namespace mixattn {

/// A function, and the attributes that it has unless a call gives others.
struct OnnxFunction {
  const onnx::FunctionProto *body = nullptr;
  std::vector<std::shared_ptr<onnx::AttributeProto>> attributes;
};

/// The domain of attention said outright. Its functions are what other runtimes
/// compute; here its ops are those of the dialect, of any overload.
constexpr const char *outrightDomain = "mixattn";

/// Functions by domain and name.
class OnnxFunctions {
public:
  /// Those of `model`, which outlives them, but of `outrightDomain`.
  Status read(const onnx::ModelProto &model);
  /// The function of that name, or null.
  const OnnxFunction *find(const std::string &domain,
                           const std::string &name) const;

private:
  std::map<std::pair<std::string, std::string>, OnnxFunction> functions;
};

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_ONNXFUNCTIONS_H
