// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of one query and one key: every head's, before the bias.
#ifndef MIXATTN_LIB_REFERENCE_SCORES_H
#define MIXATTN_LIB_REFERENCE_SCORES_H

#include "lib/Reference/ComponentScores.h"
#include "lib/Reference/NoiseSource.h"

namespace mixattn {

/// From queries and keys, or from scores that are given, to the scores of the
/// output heads: combination of components, noise, the mixer of heads before
/// the softmax, the scale. Members are named as in the manifest.
class Scores {
public:
  /// `attention` must outlive this. `valueHeads` are the output's where the
  /// mixer is the same for all of them.
  Status bind(const Attention &attention, int64_t valueHeads,
              const Arguments &arguments);

  /// The scores of query i and key j, one per output head. Heads that are not
  /// `seen` have none, and what only they would read is not looked at. Notes
  /// for each of these heads the magnitude of what its score is made of,
  /// scaled: scores before and after the mixer, components that matter; for a
  /// Gaussian score (|q|^2 + |k|^2) / (2 variance) in place of it.
  std::vector<double> at(int64_t b, int64_t i, int64_t j,
                         const std::vector<bool> &seen,
                         std::vector<Largest> &sizes) const;

  /// Of the output.
  int64_t heads() const;
  /// Of what is mixed.
  int64_t sources() const;
  int64_t batches() const;
  int64_t queries() const;
  int64_t keys() const;

private:
  Status bindPremix(const Arguments &arguments);
  bool isGiven() const { return !op->scores.empty(); }
  double source(int64_t b, int64_t h, int64_t i, int64_t j,
                Largest &size) const;
  double mixed(const std::vector<double> &scores, int64_t b, int64_t a,
               int64_t i, int64_t j) const;
  std::vector<double> hidden(const std::vector<double> &scores) const;
  double perceptron(const std::vector<double> &units, int64_t a) const;

  const Attention *op = nullptr;
  Premix premix;
  ComponentScores components;
  NoiseSource noise;
  int64_t valueHeads = 0;
  Array given, mixer, w1, b1, w2, b2;
};

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_SCORES_H
