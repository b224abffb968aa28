// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The noise that is added to scores: an argument, or a Philox stream.
#ifndef MIXATTN_LIB_REFERENCE_NOISESOURCE_H
#define MIXATTN_LIB_REFERENCE_NOISESOURCE_H

#include "lib/Reference/Array.h"
#include "lib/Reference/Philox.h"
#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// Noise of query heads, each with its sigma.
class NoiseSource {
public:
  /// `sources` query heads; `full` is [B, heads of the noise, N, S]. `noise`
  /// must outlive this.
  Status bind(const Noise &noise, int64_t sources, const Shape &full,
              const Arguments &arguments);

  /// sigma_k times the noise of its head `head` at query i and key j.
  double at(int64_t k, int64_t b, int64_t head, int64_t i, int64_t j) const;

private:
  const Noise *op = nullptr;
  Array sigma, noise;
  PhiloxKey key = {};
  uint32_t offset = 0;
  int64_t heads = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_NOISESOURCE_H
