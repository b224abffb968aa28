// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks tensors against the arguments of an entry and solves its dims.
#ifndef MIXATTN_LIB_RUNTIME_BINDING_H
#define MIXATTN_LIB_RUNTIME_BINDING_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// Puts `argument 'q'` in front of an error.
Error inArgument(const Parameter &argument, const Error &error);

/// The shape of a parameter whose dims are all in `sizes`.
Shape shapeOf(const Parameter &parameter, const DimSizes &sizes);

/// The sizes of an entry's named dims, as they become known.
class DimTable {
public:
  explicit DimTable(const Entry &entry) : entry(entry) {}

  /// Sets a dim that the user chose.
  Status choose(const std::string &dim, int64_t size);
  /// Checks a tensor's dtype, rank and dims, and takes its dims over. Errors
  /// say what was expected and, where two arguments disagree, which.
  Status bind(const Parameter &argument, const Tensor &tensor);
  /// Sets the dims that are computed from others which are known.
  Status compute();
  /// An error if a dim of the argument, or of what its values may be, is not
  /// known.
  Status requireDims(const Parameter &argument) const;

  const DimSizes &sizes() const { return known; }

private:
  /// Sets the dims that no argument has, by those that tell them.
  Status computeTold();
  /// The error of a size that the entry does not take, if it is one.
  std::optional<Error> refuse(const std::string &dim, int64_t size) const;

  const Entry &entry;
  DimSizes known;
  /// Where the size of a dim comes from, as errors call it.
  std::map<std::string, std::string> origins;
};

/// Checks that all elements lie in the argument's range, if it has one.
Status checkRange(const Parameter &argument, const Tensor &tensor,
                  const DimSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_BINDING_H
