// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combination, noise, mixer and scale of scores, as the formulas say them.
#include "lib/Reference/Scores.h"

using namespace mixattn;

Status Scores::bind(const Attention &attention, int64_t headsOfValues,
                    const Arguments &arguments) {
  op = &attention;
  valueHeads = headsOfValues;
  if (Status read = isGiven() ? given.read(op->scores, arguments)
                              : components.bind(attention, arguments);
      !read)
    return read;
  if (Status bound = bindPremix(arguments); !bound)
    return bound;
  if (!op->noise)
    return Success();
  int64_t noisy = op->noise->isLocal ? heads() : sources();
  return noise.bind(*op->noise, sources(),
                    {batches(), noisy, queries(), keys()}, arguments);
}

Status Scores::bindPremix(const Arguments &arguments) {
  premix = op->premix.value_or(Premix());
  if (Status read = readAll({{premix.mixer, mixer},
                             {premix.w1, w1},
                             {premix.b1, b1},
                             {premix.w2, w2},
                             {premix.b2, b2}},
                            arguments);
      !read)
    return read;
  int64_t hidden = b1.rank() == 1 ? b1.shape[0] : 0;
  Shape mixerShape = {sources()};
  if (mixer.rank() == 2)
    mixerShape.push_back(heads());
  const std::pair<Operand, Shape> operands[] = {
      {{premix.mixer, mixer}, mixerShape},
      {{premix.w1, w1}, {sources(), hidden}},
      {{premix.w2, w2}, {hidden, heads()}}};
  for (const auto &[operand, shape] : operands)
    if (Status fits = expectShape(operand, shape); !fits)
      return fits;
  return Success();
}

int64_t Scores::batches() const {
  return isGiven() ? given.shape[0] : components.batches();
}
int64_t Scores::sources() const {
  return isGiven() ? given.shape[1] : components.heads();
}
int64_t Scores::queries() const {
  return isGiven() ? given.shape[2] : components.queries();
}
int64_t Scores::keys() const {
  return isGiven() ? given.shape[3] : components.keys();
}

int64_t Scores::heads() const {
  if (!op->premix)
    return sources();
  if (premix.kind == Premix::Kind::Mlp)
    return b2.shape[0];
  return mixer.rank() == 2 ? mixer.shape[1] : valueHeads;
}

/// The score of a query head: given, or its components combined.
double Scores::source(int64_t b, int64_t h, int64_t i, int64_t j,
                      Largest &size) const {
  if (isGiven()) {
    double score = given(b, h, i, j);
    size.note(op->scale * score);
    return score;
  }
  std::vector<double> sizes, scores = components.at(b, h, i, j, sizes);
  if (op->combine == Combine::None) {
    size.note(op->scale * sizes.front());
    return scores.front();
  }
  SumOfExp sum(scores);
  double score = op->combine == Combine::Maximum ? sum.most : sum.log();
  for (size_t r = 0; r < scores.size(); ++r)
    if (matters(scores[r] - score, sizes[r]))
      size.note(op->scale * sizes[r]);
  if (!op->gaussian)
    size.note(op->scale * score);
  return score;
}

static double relu(double x) { return x < 0 ? 0 : x; }

/// Output head a of the linear mixers; a local noise is that of head a in the
/// term of every query head.
double Scores::mixed(const std::vector<double> &scores, int64_t b, int64_t a,
                     int64_t i, int64_t j) const {
  double sum = 0;
  for (size_t k = 0; k < scores.size(); ++k) {
    double score = scores[k];
    if (op->noise && op->noise->isLocal)
      score += noise.at(static_cast<int64_t>(k), b, a, i, j);
    double share = (mixer.rank() == 2 ? mixer(k, a) : mixer(k)) * score;
    sum += premix.kind == Premix::Kind::ReluPerKey ? relu(share) : share;
  }
  return sum;
}

/// Each hidden head of the perceptron.
std::vector<double> Scores::hidden(const std::vector<double> &scores) const {
  std::vector<double> units = b1.values;
  for (size_t l = 0; l < units.size(); ++l) {
    for (size_t k = 0; k < scores.size(); ++k)
      units[l] += w1(k, l) * scores[k];
    units[l] = relu(units[l]);
  }
  return units;
}

/// Output head a of the perceptron.
double Scores::perceptron(const std::vector<double> &units, int64_t a) const {
  double sum = b2(a);
  for (size_t l = 0; l < units.size(); ++l)
    sum += w2(l, a) * units[l];
  return sum;
}

std::vector<double> Scores::at(int64_t b, int64_t i, int64_t j,
                               const std::vector<bool> &seen,
                               std::vector<Largest> &sizes) const {
  double before = op->scaleBefore ? op->scale : 1;
  double after = op->scaleBefore ? 1 : op->scale;
  std::vector<double> scores(sources(), 0.0);
  // A mixer reads these scores for all output heads.
  Largest mixedSize;
  for (size_t k = 0; k < scores.size(); ++k) {
    if (!op->premix && !seen[k])
      continue;
    scores[k] = before * source(b, static_cast<int64_t>(k), i, j,
                                op->premix ? mixedSize : sizes[k]);
    // Without a mixer, a head's own noise is that of its one term.
    if (op->noise && !(op->noise->isLocal && op->premix))
      scores[k] +=
          noise.at(static_cast<int64_t>(k), b, static_cast<int64_t>(k), i, j);
  }
  bool isPerceptron = op->premix && premix.kind == Premix::Kind::Mlp;
  if (isPerceptron)
    scores = hidden(scores);
  std::vector<double> result(heads(), 0.0);
  for (size_t a = 0; a < result.size(); ++a) {
    if (!seen[a])
      continue;
    int64_t head = static_cast<int64_t>(a);
    double score = !op->premix    ? scores[a]
                   : isPerceptron ? perceptron(scores, head)
                                  : mixed(scores, b, head, i, j);
    result[a] = after * score;
    sizes[a].note(mixedSize.value());
    if (op->premix || op->noise)
      sizes[a].note(result[a]);
  }
  return result;
}
