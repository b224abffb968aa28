// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and distances of queries and keys, as the formulas say them.
#include "lib/Reference/ComponentScores.h"

using namespace mixattn;

Status ComponentScores::bind(const Components &components,
                             const Arguments &arguments) {
  op = &components;
  Array keyProjection;
  if (Status read = readAll({{op->query, query},
                             {op->key, key},
                             {op->keyProjection, keyProjection},
                             {op->shifts, shifts},
                             {op->prior, prior},
                             {op->queryTerm, queryTerm},
                             {op->keyTerm, keyTerm}},
                            arguments);
      !read)
    return read;
  if (Status done = project({op->keyProjection, keyProjection}, key); !done)
    return done;
  return checkShapes();
}

/// The manifest's parser has looked at ranks; here, at sizes.
Status ComponentScores::checkShapes() {
  int64_t features = query.shape[3];
  Shape keyShape = {batches(), key.shape[1], keys(), features};
  if (key.rank() == 5)
    keyShape.insert(keyShape.begin() + 2, key.shape[2]);
  Shape priorShape = {heads(), count()};
  if (prior.rank() == 3)
    priorShape.push_back(keys());
  auto termShape = [&](const Array &term, int64_t heads, int64_t length) {
    Shape shape = {batches(), heads, length};
    if (term.rank() == 4)
      shape.insert(shape.begin() + 2, count());
    return shape;
  };
  const std::pair<Operand, Shape> operands[] = {
      {{op->key, key}, keyShape},
      {{op->shifts, shifts}, {key.shape[1], count(), features}},
      {{op->prior, prior}, priorShape},
      {{op->queryTerm, queryTerm}, termShape(queryTerm, heads(), queries())},
      {{op->keyTerm, keyTerm}, termShape(keyTerm, key.shape[1], keys())}};
  for (const auto &[operand, shape] : operands)
    if (Status status = expectShape(operand, shape); !status)
      return status;
  return Success();
}

int64_t ComponentScores::count() const {
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
double ComponentScores::keyAt(int64_t b, int64_t h, int64_t r, int64_t j,
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

double ComponentScores::variance(int64_t r) const {
  return op->variances.empty() ? 1 : op->variances[r];
}

/// q . k_r / variance.
double ComponentScores::product(int64_t b, int64_t h, int64_t r, int64_t i,
                                int64_t j, Largest &size) const {
  double sum = 0;
  for (int64_t d = 0; d < query.shape[3]; ++d)
    sum += query(b, h, i, d) * keyAt(b, h, r, j, d);
  return size.note(sum / variance(r));
}

/// -|q - k_r|^2 / (2 variance).
double ComponentScores::gaussian(int64_t b, int64_t h, int64_t r, int64_t i,
                                 int64_t j, Largest &size) const {
  double distance = 0, norms = 0;
  for (int64_t d = 0; d < query.shape[3]; ++d) {
    double x = query(b, h, i, d), y = keyAt(b, h, r, j, d);
    distance += (x - y) * (x - y);
    norms += x * x + y * y;
  }
  size.note(norms / (2 * variance(r)));
  return -distance / (2 * variance(r));
}

double ComponentScores::score(int64_t b, int64_t h, int64_t r, int64_t i,
                              int64_t j, Largest &size) const {
  double score = op->gaussian ? gaussian(b, h, r, i, j, size)
                              : product(b, h, r, i, j, size);
  int64_t head = h * key.shape[1] / query.shape[1];
  score += termAt(queryTerm, b, h, r, i) + termAt(keyTerm, b, head, r, j);
  if (!op->gaussian)
    size.note(score);
  return score;
}

std::vector<double> ComponentScores::at(int64_t b, int64_t h, int64_t i,
                                        int64_t j,
                                        std::vector<double> &sizes) const {
  std::vector<double> scores;
  sizes.clear();
  for (int64_t r = 0; r < count(); ++r) {
    Largest size;
    scores.push_back(score(b, h, r, i, j, size));
    sizes.push_back(size.value());
    if (prior.rank() == 2)
      scores.back() += prior(h, r);
    else if (prior.rank() == 3)
      scores.back() += prior(h, r, j);
  }
  return scores;
}
