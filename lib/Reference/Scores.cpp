// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components, combination, mixer and scale of scores, as the formulas say them.
#include "lib/Reference/Scores.h"

using namespace mixattn;

Status Scores::bind(const Attention &attention, const Arguments &arguments) {
  op = &attention;
  premix = attention.premix.value_or(Premix());
  if (Status status = readAll({{op->query, query},
                               {op->key, key},
                               {op->shifts, shifts},
                               {op->prior, prior},
                               {op->queryTerm, queryTerm},
                               {op->keyTerm, keyTerm},
                               {premix.mixer, mixer},
                               {premix.w1, w1},
                               {premix.b1, b1},
                               {premix.w2, w2},
                               {premix.b2, b2}},
                              arguments);
      !status)
    return status;
  return checkShapes();
}

/// The manifest's parser has looked at ranks; here, at sizes.
Status Scores::checkShapes() {
  int64_t sources = query.shape[1], features = query.shape[3];
  int64_t hidden = b1.rank() == 1 ? b1.shape[0] : 0;
  Shape keyShape = {batches(), key.shape[1], keys(), features};
  if (key.rank() == 5)
    keyShape.insert(keyShape.begin() + 2, key.shape[2]);
  Shape priorShape = {sources, components()};
  if (prior.rank() == 3)
    priorShape.push_back(keys());
  auto termShape = [&](const Array &term, int64_t heads, int64_t length) {
    Shape shape = {batches(), heads, length};
    if (term.rank() == 4)
      shape.insert(shape.begin() + 2, components());
    return shape;
  };
  const std::pair<Operand, Shape> operands[] = {
      {{op->key, key}, keyShape},
      {{op->shifts, shifts}, {key.shape[1], components(), features}},
      {{op->prior, prior}, priorShape},
      {{op->queryTerm, queryTerm}, termShape(queryTerm, sources, queries())},
      {{op->keyTerm, keyTerm}, termShape(keyTerm, key.shape[1], keys())},
      {{premix.mixer, mixer}, {sources, heads()}},
      {{premix.w1, w1}, {sources, hidden}},
      {{premix.w2, w2}, {hidden, heads()}}};
  for (const auto &[operand, shape] : operands)
    if (Status status = expectShape(operand, shape); !status)
      return status;
  return Success();
}

int64_t Scores::heads() const {
  if (!op->premix)
    return query.shape[1];
  return premix.kind == Premix::Kind::Mlp ? b2.shape[0] : mixer.shape[1];
}

int64_t Scores::components() const {
  if (key.rank() == 5)
    return key.shape[2];
  if (!op->shifts.empty())
    return shifts.shape[1];
  for (const Array *term : {&queryTerm, &keyTerm})
    if (term->rank() == 4)
      return term->shape[2];
  return 1;
}

/// Query head h reads key head h Hk div H.
double Scores::keyAt(int64_t b, int64_t h, int64_t r, int64_t j,
                     int64_t d) const {
  int64_t head = h * key.shape[1] / query.shape[1];
  if (key.rank() == 5)
    return key(b, head, r, j, d);
  double shift = op->shifts.empty() ? 0 : shifts(head, r, d);
  return key(b, head, j, d) + shift;
}

/// A term of a score, 0 where there is none.
static double termAt(const Array &term, int64_t b, int64_t h, int64_t r,
                     int64_t place) {
  if (term.rank() == 4)
    return term(b, h, r, place);
  return term.rank() == 3 ? term(b, h, place) : 0;
}

double Scores::variance(int64_t r) const {
  return op->variances.empty() ? 1 : op->variances[r];
}

/// q . k_r / variance.
double Scores::product(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                       Largest &largest) const {
  double sum = 0;
  for (int64_t d = 0; d < query.shape[3]; ++d)
    sum += query(b, h, i, d) * keyAt(b, h, r, j, d);
  largest.note(op->scale * sum / variance(r));
  return sum / variance(r);
}

/// -|q - k_r|^2 / (2 variance).
double Scores::gaussian(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                        Largest &largest) const {
  double distance = 0, norms = 0;
  for (int64_t d = 0; d < query.shape[3]; ++d) {
    double x = query(b, h, i, d), y = keyAt(b, h, r, j, d);
    distance += (x - y) * (x - y);
    norms += x * x + y * y;
  }
  largest.note(op->scale * norms / (2 * variance(r)));
  return -distance / (2 * variance(r));
}

double Scores::component(int64_t b, int64_t h, int64_t r, int64_t i, int64_t j,
                         Largest &largest) const {
  double score = op->gaussian ? gaussian(b, h, r, i, j, largest)
                              : product(b, h, r, i, j, largest);
  int64_t head = h * key.shape[1] / query.shape[1];
  score += termAt(queryTerm, b, h, r, i) + termAt(keyTerm, b, head, r, j);
  if (!op->gaussian)
    largest.note(op->scale * score);
  return score;
}

/// The larger one; NaN if either is.
static double larger(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}

SumOfExp::SumOfExp(const std::vector<double> &scores) {
  for (double score : scores)
    most = larger(most, score);
  for (double score : scores)
    sum += most == -infinity ? 0 : std::exp(score - most);
}

/// The score of a query head: its components, weighed by the prior.
double Scores::combined(int64_t b, int64_t h, int64_t i, int64_t j,
                        Largest &largest) const {
  if (op->combine == Combine::None)
    return component(b, h, 0, i, j, largest);
  std::vector<double> scores;
  for (int64_t r = 0; r < components(); ++r) {
    scores.push_back(component(b, h, r, i, j, largest));
    if (prior.rank() == 2)
      scores.back() += prior(h, r);
    else if (prior.rank() == 3)
      scores.back() += prior(h, r, j);
  }
  SumOfExp sum(scores);
  double score = op->combine == Combine::Maximum ? sum.most : sum.log();
  if (!op->gaussian)
    largest.note(op->scale * score);
  return score;
}

static double relu(double x) { return x < 0 ? 0 : x; }

/// Adds weights[k,a] scores[k], rectified if `isPerKey`, to the sum of each a.
static std::vector<double> mixed(const std::vector<double> &scores,
                                 const Array &weights, std::vector<double> sums,
                                 bool isPerKey = false) {
  for (size_t k = 0; k < scores.size(); ++k)
    for (size_t a = 0; a < sums.size(); ++a) {
      double share = weights(k, a) * scores[k];
      sums[a] += isPerKey ? relu(share) : share;
    }
  return sums;
}

/// From query heads to output heads, perhaps through hidden heads.
std::vector<double> Scores::premixed(const std::vector<double> &scores) const {
  if (premix.kind != Premix::Kind::Mlp)
    return mixed(scores, mixer, std::vector<double>(heads(), 0.0),
                 premix.kind == Premix::Kind::ReluPerKey);
  std::vector<double> hidden = mixed(scores, w1, b1.values);
  for (double &unit : hidden)
    unit = relu(unit);
  return mixed(hidden, w2, b2.values);
}

std::vector<double> Scores::at(int64_t b, int64_t i, int64_t j,
                               const std::vector<bool> &seen,
                               Largest &largest) const {
  std::vector<double> scores(query.shape[1], 0.0);
  for (size_t h = 0; h < scores.size(); ++h)
    if (op->premix || seen[h])
      scores[h] = combined(b, h, i, j, largest);
  if (op->scaleBefore)
    for (double &score : scores)
      score *= op->scale;
  if (op->premix)
    scores = premixed(scores);
  if (!op->scaleBefore)
    for (double &score : scores)
      score *= op->scale;
  if (op->premix)
    for (size_t a = 0; a < scores.size(); ++a)
      if (seen[a])
        largest.note(scores[a]);
  return scores;
}
