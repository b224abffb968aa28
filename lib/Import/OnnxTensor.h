// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and elements of tensors in ONNX files.
#ifndef MIXATTN_LIB_IMPORT_ONNXTENSOR_H
#define MIXATTN_LIB_IMPORT_ONNXTENSOR_H

#include "lib/Runtime/Tensor.h"

#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <vector>

namespace onnx {
class AttributeProto;
class TensorProto;
} // namespace onnx

namespace mixattn {

/// ONNX's number of an element type as ours.
Result<DType> dtypeOfOnnx(int64_t number);

/// Files with elements, all of one folder, each of which is opened once and
/// outlives tensors that were read from it.
class ExternalFiles {
public:
  explicit ExternalFiles(std::string folder) : folder(std::move(folder)) {}

  /// The bytes of a file that lies in the folder or below it.
  Result<std::string_view> read(const std::string &location);
  /// Where the files that were read lie.
  const std::vector<std::string> &paths() const { return opened; }

private:
  std::string folder;
  std::map<std::string, std::unique_ptr<llvm::MemoryBuffer>> files;
  std::vector<std::string> opened;
};

/// The elements that a message holds or says where to find. Bytes stay where
/// they are: the message and the files outlive the tensor.
Result<Tensor> readOnnxTensor(const onnx::TensorProto &tensor,
                              ExternalFiles &files);

/// The elements that one of Constant's attributes gives.
Result<Tensor> readOnnxConstant(const std::string &name,
                                const onnx::AttributeProto &attribute,
                                ExternalFiles &files);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_ONNXTENSOR_H
