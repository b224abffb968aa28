// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of a model as a section of its library.
#ifndef MIXATTN_LIB_TARGET_WEIGHTSSECTION_H
#define MIXATTN_LIB_TARGET_WEIGHTSSECTION_H

#include "lib/Runtime/Files.h"

namespace mixattn {

/// The name of the section.
inline constexpr std::string_view weightsSection = ".mixattn.weights";

/// The read-only section that holds weights. It never is in memory as a whole:
/// the library is linked with an empty one of its size, which is then filled as
/// the file is written.
class WeightsSection {
public:
  /// Adds the bytes of a symbol, as many as `size`, where 64 divides their
  /// address. An error where the section gets too large.
  Status add(std::string symbol, uint64_t size, ByteSource bytes);

  bool empty() const { return weights.empty(); }

  /// The object that defines the symbols and has none of their bytes.
  std::string makeObject() const;

  /// The bytes of `library`, which was linked from such an object, with those
  /// of the section. This object lasts as long as they are asked for.
  Result<SizedBytes> fill(std::string library) const;

private:
  struct Weight {
    std::string symbol;
    uint64_t offset, size;
    ByteSource bytes;
  };
  bool write(const ByteSink &sink) const;

  std::vector<Weight> weights;
  uint64_t end = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_WEIGHTSSECTION_H
