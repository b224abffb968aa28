// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reproducible contents for arguments that nobody gave.
#ifndef MIXATTN_LIB_RUNTIME_RANDOM_H
#define MIXATTN_LIB_RUNTIME_RANDOM_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// A stream of random numbers: xoshiro256++ (Blackman and Vigna, 2019), its
/// state filled by splitmix64 from the seed and the FNV-1a hash of a name.
class RandomStream {
public:
  RandomStream(uint64_t seed, std::string_view name);

  uint64_t bits();
  /// Evenly distributed over (0, 1].
  double uniform();
  /// Standard normal, by Box and Muller's method.
  double normal();
  /// Evenly distributed over the integers from `low` to `high`.
  int64_t integer(int64_t low, int64_t high);

private:
  uint64_t state[4];
  double spare = 0;
  bool hasSpare = false;
};

/// Draws an argument whose dims are all in `sizes`: floats are standard
/// normal, integers even over the argument's range, or 0 to 9 where it has
/// none, booleans even. What must hold of the argument does: priors are even
/// over (0, 1], coordinates and windows even over the places that there are;
/// an error where there are too few. The stream depends on the seed and the
/// argument's name only.
Result<Tensor> drawTensor(const Parameter &argument, const DimSizes &sizes,
                          uint64_t seed);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_RANDOM_H
