// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as the formulas say it: for each batch and query, the scores of all
// heads, their softmax, the mixed heads, the sum of the values.
#include "lib/Reference/Reference.h"
#include "lib/Reference/Expression.h"
#include <cmath>
#include <limits>
#include <tuple>

using namespace mixattn;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {

using Arguments = std::map<std::string, const Tensor *>;

/// A tensor of numbers in row-major order, its indices taken one by one.
struct Array {
  Shape shape;
  std::vector<double> values;

  bool isPresent() const { return !values.empty(); }

  template <typename... Index> double operator()(Index... index) const {
    size_t dim = 0, position = 0;
    ((position = position * shape[dim++] + index), ...);
    return values[position];
  }

  /// The element at [b,h,i,j], broadcast from the right: a dim of size 1 or an
  /// absent one repeats.
  double broadcast(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t index[] = {b, h, i, j};
    size_t position = 0, absent = 4 - shape.size();
    for (size_t dim = 0; dim < shape.size(); ++dim)
      position =
          position * shape[dim] + (shape[dim] == 1 ? 0 : index[absent + dim]);
    return values[position];
  }
};

/// Weights or scores of one query: a row of keys for each head.
using Rows = std::vector<std::vector<double>>;

/// One attention op with its operands; the members are those of the manifest.
class Oracle {
public:
  Status bind(const Attention &attention, const Arguments &arguments);
  ReferenceReport run();

private:
  Status checkShapes() const;
  bool isVisible(int64_t b, int64_t h, int64_t i, int64_t j) const;
  double score(int64_t b, int64_t h, int64_t i, int64_t j);
  std::vector<double> weights(int64_t b, int64_t h, int64_t i);
  double mixer(int64_t b, int64_t i, int64_t c, int64_t a) const;
  Rows mixed(int64_t b, int64_t i, const Rows &weights) const;
  double note(double score);

  const Attention *op = nullptr;
  Array query, key, value, bias, mask, lengths, mixerOf, source, w, b;
  Postmix postmix;
  ScoreMod scoreMod;
  int64_t batches = 0, heads = 0, queries = 0, keys = 0;
  double largestScore = 0;
};

} // namespace

/// Reads the argument of that name, nothing where there is no name.
static Status read(const std::string &name, const Arguments &arguments,
                   Array &array) {
  if (name.empty())
    return Success();
  auto argument = arguments.find(name);
  if (argument == arguments.end())
    return makeError("the attention op reads '{}', which is no argument", name);
  const Tensor &tensor = *argument->second;
  array.shape = tensor.shape();
  array.values.resize(tensor.elements());
  for (int64_t n = 0; n < tensor.elements(); ++n)
    array.values[n] = tensor.number(n);
  return Success();
}

Status Oracle::bind(const Attention &attention, const Arguments &arguments) {
  op = &attention;
  postmix = attention.postmix.value_or(Postmix());
  const std::pair<std::string, Array *> operands[] = {
      {op->query, &query},       {op->key, &key},
      {op->value, &value},       {op->bias, &bias},
      {op->mask, &mask},         {op->lengths, &lengths},
      {postmix.mixer, &mixerOf}, {postmix.source, &source},
      {postmix.w, &w},           {postmix.b, &b}};
  for (const auto &[name, array] : operands)
    if (Status status = read(name, arguments, *array); !status)
      return status;
  if (op->scoreMod) {
    Result<ScoreMod> function = compileScoreMod(*op->scoreMod, arguments);
    if (!function)
      return function.error();
    scoreMod = std::move(*function);
  }
  batches = query.shape[0];
  heads = query.shape[1];
  queries = query.shape[2];
  keys = key.shape[2];
  return checkShapes();
}

/// The sizes that an operand of `shape` has where it broadcasts to `full`.
static Shape repeated(const Shape &shape, const Shape &full) {
  Shape result(full.end() - shape.size(), full.end());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] == 1)
      result[dim] = 1;
  return result;
}

/// The manifest's parser has looked at ranks; here, at sizes.
Status Oracle::checkShapes() const {
  const Shape scores = {batches, heads, queries, keys};
  int64_t wide = postmix.byRow ? w.shape[0] : 0;
  const std::tuple<const std::string &, const Array &, Shape> operands[] = {
      {op->key, key, {batches, key.shape[1], keys, query.shape[3]}},
      {op->value, value, {batches, value.shape[1], keys, value.shape[3]}},
      {op->bias, bias, repeated(bias.shape, scores)},
      {op->mask, mask, repeated(mask.shape, scores)},
      {op->lengths, lengths, {batches}},
      {postmix.mixer, mixerOf, {heads, heads}},
      {postmix.source, source, {batches, heads, queries, wide}},
      {postmix.w, w, {wide, heads}},
      {postmix.b, b, {heads, heads}}};
  for (const auto &[name, array, shape] : operands)
    if (!name.empty() && array.shape != shape)
      return makeError("the attention op expected '{}' of shape {}, but got {}",
                       name, toString(shape), toString(array.shape));
  return Success();
}

/// Whether query i may attend to key j.
bool Oracle::isVisible(int64_t b, int64_t h, int64_t i, int64_t j) const {
  // Queries and keys are aligned at their ends.
  int64_t row = i + (keys - queries);
  if (op->causal && j > row)
    return false;
  if (op->band && (row - j > op->band->lower || j - row > op->band->upper))
    return false;
  if (lengths.isPresent() && j >= lengths(b))
    return false;
  return !mask.isPresent() || mask.broadcast(b, h, i, j) != 0;
}

double Oracle::note(double score) {
  if (std::isfinite(score))
    largestScore = std::fmax(largestScore, std::fabs(score));
  return score;
}

/// score_mod(scale q_i . k_j + bias); query head h reads key head h Hk div H.
double Oracle::score(int64_t b, int64_t h, int64_t i, int64_t j) {
  int64_t keyHead = h * key.shape[1] / heads;
  double product = 0;
  for (int64_t d = 0; d < query.shape[3]; ++d)
    product += query(b, h, i, d) * key(b, keyHead, j, d);
  double score = note(op->scale * product);
  if (bias.isPresent())
    score = note(score + bias.broadcast(b, h, i, j));
  if (scoreMod)
    score = note(scoreMod({score, b, h, i, j}));
  return score;
}

/// softmax over the visible j; zeros where there is none.
std::vector<double> Oracle::weights(int64_t b, int64_t h, int64_t i) {
  std::vector<double> row(keys, -infinity);
  double maximum = -infinity;
  for (int64_t j = 0; j < keys; ++j) {
    if (!isVisible(b, h, i, j))
      continue;
    row[j] = score(b, h, i, j);
    // A NaN stays the maximum, and makes the whole row NaN.
    if (row[j] > maximum || std::isnan(row[j]))
      maximum = row[j];
  }
  if (maximum == -infinity)
    return std::vector<double>(keys, 0.0);
  double sum = 0;
  for (double &weight : row)
    sum += weight = std::exp(weight - maximum);
  for (double &weight : row)
    weight /= sum;
  return row;
}

/// The share of source head c in output head a, at query i.
double Oracle::mixer(int64_t batch, int64_t i, int64_t c, int64_t a) const {
  if (!postmix.byRow)
    return mixerOf(c, a);
  double share = b(c, a);
  for (int64_t d = 0; d < source.shape[3]; ++d)
    share += source(batch, c, i, d) * w(d, a);
  return share;
}

/// weight'[a,j] = sum over c of mixer[c,a] weight[c,j].
Rows Oracle::mixed(int64_t b, int64_t i, const Rows &weights) const {
  Rows result(heads, std::vector<double>(keys, 0.0));
  for (int64_t c = 0; c < heads; ++c)
    for (int64_t a = 0; a < heads; ++a) {
      double share = mixer(b, i, c, a);
      for (int64_t j = 0; j < keys; ++j)
        if (weights[c][j] != 0)
          result[a][j] += share * weights[c][j];
    }
  return result;
}

ReferenceReport Oracle::run() {
  int64_t features = value.shape[3];
  ReferenceReport report;
  std::vector<double> &output = report.results[op->result];
  output.assign(batches * heads * queries * features, 0.0);
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < queries; ++i) {
      Rows rows;
      for (int64_t h = 0; h < heads; ++h)
        rows.push_back(weights(b, h, i));
      if (op->postmix)
        rows = mixed(b, i, rows);
      for (int64_t a = 0; a < heads; ++a) {
        int64_t valueHead = a * value.shape[1] / heads;
        double *o = &output[((b * heads + a) * queries + i) * features];
        for (int64_t j = 0; j < keys; ++j)
          for (int64_t d = 0; d < features && rows[a][j] != 0; ++d)
            o[d] += rows[a][j] * value(b, valueHead, j, d);
      }
    }
  report.largestScore = largestScore;
  return report;
}

Result<ReferenceReport> mixattn::runReference(const Entry &entry,
                                              const Arguments &arguments) {
  if (!entry.attention)
    return makeError("entry '{}' has no attention op to compare with: {}",
                     entry.name, entry.attentionReason);
  if (entry.attention->normaliser != "softmax")
    return makeError("expected the normaliser 'softmax', but got '{}'",
                     entry.attention->normaliser);
  Oracle oracle;
  if (Status status = oracle.bind(*entry.attention, arguments); !status)
    return status.error();
  return oracle.run();
}
