// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums over the keys that a query of linear attention sees.
#ifndef MIXATTN_LIB_REFERENCE_STATES_H
#define MIXATTN_LIB_REFERENCE_STATES_H

#include "lib/Reference/Array.h"
#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// Sums over keys, for one head.
struct State {
  State(int64_t features, int64_t values)
      : products(features * values, 0.0), sums(features, 0.0),
        magnitudes(features, 0.0) {}

  /// Of feature times value, [F, E].
  std::vector<double> products;
  /// Of each feature, and of the magnitudes of its terms.
  std::vector<double> sums, magnitudes;
};

/// Mixes the states of key heads into those of query heads. Members are named
/// as in the manifest.
class StateMixer {
public:
  /// `mix` must outlive this.
  Status bind(const StateMix &mix, int64_t sources, int64_t heads,
              const Arguments &arguments);

  /// One state per query head.
  std::vector<State> mixed(const std::vector<State> &sources) const;

private:
  double product(const std::vector<State> &sources, size_t n, int64_t a) const;

  const StateMix *op = nullptr;
  Array mixer, w1, b1, w2, b2, normaliser;
  int64_t heads = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_STATES_H
