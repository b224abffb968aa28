// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The safetensors format: a JSON index, then the elements of all tensors.
#ifndef MIXATTN_LIB_RUNTIME_SAFETENSORS_H
#define MIXATTN_LIB_RUNTIME_SAFETENSORS_H

#include "lib/Runtime/Files.h"
#include "lib/Runtime/Tensor.h"
#include <map>

namespace mixattn {

/// A tensor under its name, borrowed.
using NamedTensor = std::pair<std::string, const Tensor *>;

/// A file whose index has been checked: every tensor lies in the file, none
/// overlaps another, and no byte is left over.
class SafetensorsFile {
public:
  /// Takes the bytes of a file and checks its index.
  static Result<SafetensorsFile> open(Buffer file);

  /// Names in the order in which the tensors lie in the file.
  std::vector<std::string> names() const;
  /// The tensor of that name, which must exist; an error where its dtype is
  /// none of ours.
  Result<Tensor> load(std::string_view name) const;
  /// The same without a copy: the file outlives the tensor.
  Result<Tensor> borrow(std::string_view name) const;

private:
  struct Item {
    std::string name, dtype;
    Shape shape;
    /// Offsets from the end of the index.
    int64_t begin, end;
  };
  const Item &find(std::string_view name) const;
  /// The dtype and the bytes of a tensor.
  Result<std::pair<DType, std::string_view>> locate(const Item &item) const;
  Status readIndex(std::string_view index);
  Status checkOffsets();

  Buffer file;
  std::string_view elements;
  std::vector<Item> items;
  /// Places among `items` by names.
  std::map<std::string, size_t, std::less<>> places;
};

/// The bytes of a file with these tensors, in this order.
std::string writeSafetensors(const std::vector<NamedTensor> &tensors);
/// The same, one tensor after the other, which last as long as they are asked
/// for. A `mark` says which code they belong to (`weights` of its manifest).
ByteSource streamSafetensors(std::vector<NamedTensor> tensors,
                             const std::string &mark = "");

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_SAFETENSORS_H
