// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of states: a matrix, or a perceptron with a matrix for the sums.
#include "lib/Reference/States.h"
#include <cmath>

using namespace mixattn;

Status StateMixer::bind(const StateMix &mix, int64_t sources, int64_t count,
                        const Arguments &arguments) {
  op = &mix;
  heads = count;
  if (Status read = readAll({{op->mixer, mixer},
                             {op->w1, w1},
                             {op->b1, b1},
                             {op->w2, w2},
                             {op->b2, b2},
                             {op->normaliser, normaliser}},
                            arguments);
      !read)
    return read;
  int64_t hidden = op->isMlp ? b1.shape[0] : 0;
  const std::pair<Operand, Shape> operands[] = {
      {{op->mixer, mixer}, {sources, heads}},
      {{op->w1, w1}, {sources, hidden}},
      {{op->w2, w2}, {hidden, heads}},
      {{op->b2, b2}, {heads}},
      {{op->normaliser, normaliser}, {sources, heads}}};
  for (const auto &[operand, shape] : operands)
    if (Status fits = expectShape(operand, shape); !fits)
      return fits;
  return Success();
}

/// Element n of the products of head a.
double StateMixer::product(const std::vector<State> &sources, size_t n,
                           int64_t a) const {
  double sum = op->isMlp ? b2(a) : 0;
  if (!op->isMlp)
    for (size_t k = 0; k < sources.size(); ++k)
      sum += mixer(k, a) * sources[k].products[n];
  for (int64_t l = 0; op->isMlp && l < b1.shape[0]; ++l) {
    double hidden = b1(l);
    for (size_t k = 0; k < sources.size(); ++k)
      hidden += w1(k, l) * sources[k].products[n];
    sum += w2(l, a) * (hidden < 0 ? 0 : hidden);
  }
  return sum;
}

std::vector<State> StateMixer::mixed(const std::vector<State> &sources) const {
  const Array &weights = op->isMlp ? normaliser : mixer;
  int64_t features = static_cast<int64_t>(sources.front().sums.size());
  int64_t all = static_cast<int64_t>(sources.front().products.size());
  std::vector<State> states;
  for (int64_t a = 0; a < heads; ++a) {
    State state(features, 0);
    for (int64_t n = 0; n < all; ++n)
      state.products.push_back(product(sources, n, a));
    for (size_t k = 0; k < sources.size(); ++k)
      for (int64_t f = 0; f < features; ++f) {
        state.sums[f] += weights(k, a) * sources[k].sums[f];
        state.magnitudes[f] +=
            std::fabs(weights(k, a)) * sources[k].magnitudes[f];
      }
    states.push_back(std::move(state));
  }
  return states;
}
