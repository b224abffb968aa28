// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as the formulas say it: for each batch and query, the scores of all
// heads, their softmax, the mixed heads, the sum of the values.
#include "lib/Reference/Reference.h"
#include "lib/Reference/Array.h"
#include "lib/Reference/Expression.h"
#include "lib/Reference/Scores.h"

using namespace mixattn;

namespace {

/// Weights or scores of one query: a row of keys for each head.
using Rows = std::vector<std::vector<double>>;

/// One attention op with its operands; the members are those of the manifest.
class Oracle {
public:
  Status bind(const Attention &attention, const Arguments &arguments);
  ReferenceReport run();

private:
  Status checkShapes();
  bool isVisible(int64_t b, int64_t h, int64_t i, int64_t j) const;
  double modified(double score, int64_t b, int64_t h, int64_t i, int64_t j);
  Rows scoreRows(int64_t b, int64_t i);
  double mixer(int64_t b, int64_t i, int64_t c, int64_t a) const;
  Rows mixed(int64_t b, int64_t i, const Rows &weights) const;
  std::vector<double> pooled(int64_t b, int64_t a,
                             const std::vector<double> &weights) const;

  const Attention *op = nullptr;
  Scores scores;
  Array value, bias, mask, lengths, mixerOf, source, w, b;
  Postmix postmix;
  ScoreMod scoreMod;
  int64_t batches = 0, heads = 0, queries = 0, keys = 0;
  Largest largest;
};

} // namespace

Status Oracle::bind(const Attention &attention, const Arguments &arguments) {
  op = &attention;
  postmix = attention.postmix.value_or(Postmix());
  if (Status status = scores.bind(attention, arguments); !status)
    return status;
  if (Status status = readAll({{op->value, value},
                               {op->bias, bias},
                               {op->mask, mask},
                               {op->lengths, lengths},
                               {postmix.mixer, mixerOf},
                               {postmix.source, source},
                               {postmix.w, w},
                               {postmix.b, b}},
                              arguments);
      !status)
    return status;
  if (op->scoreMod) {
    Result<ScoreMod> function = compileScoreMod(*op->scoreMod, arguments);
    if (!function)
      return function.error();
    scoreMod = std::move(*function);
  }
  batches = scores.batches();
  heads = scores.heads();
  queries = scores.queries();
  keys = scores.keys();
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
Status Oracle::checkShapes() {
  const Shape all = {batches, heads, queries, keys};
  int64_t wide = postmix.byRow ? w.shape[0] : 0;
  const std::pair<Operand, Shape> operands[] = {
      {{op->value, value}, {batches, value.shape[1], keys, value.shape[3]}},
      {{op->bias, bias}, repeated(bias.shape, all)},
      {{op->mask, mask}, repeated(mask.shape, all)},
      {{op->lengths, lengths}, {batches}},
      {{postmix.mixer, mixerOf}, {heads, heads}},
      {{postmix.source, source}, {batches, heads, queries, wide}},
      {{postmix.w, w}, {wide, heads}},
      {{postmix.b, b}, {heads, heads}}};
  for (const auto &[operand, shape] : operands)
    if (Status status = expectShape(operand, shape); !status)
      return status;
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

/// score_mod(score + bias).
double Oracle::modified(double score, int64_t b, int64_t h, int64_t i,
                        int64_t j) {
  if (bias.isPresent())
    score = largest.note(score + bias.broadcast(b, h, i, j));
  if (scoreMod)
    score = largest.note(scoreMod({score, b, h, i, j}));
  return score;
}

/// The scores of a query, -inf where it does not see the key.
Rows Oracle::scoreRows(int64_t b, int64_t i) {
  Rows rows(heads, std::vector<double>(keys, -infinity));
  std::vector<bool> seen(heads);
  for (int64_t j = 0; j < keys; ++j) {
    bool isSeen = false;
    for (int64_t h = 0; h < heads; ++h)
      isSeen |= seen[h] = isVisible(b, h, i, j);
    if (!isSeen)
      continue;
    std::vector<double> column = scores.at(b, i, j, seen, largest);
    for (int64_t h = 0; h < heads; ++h)
      if (seen[h])
        rows[h][j] = modified(column[h], b, h, i, j);
  }
  return rows;
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

/// The sum of output head a's values; what has no weight adds nothing.
std::vector<double> Oracle::pooled(int64_t b, int64_t a,
                                   const std::vector<double> &weights) const {
  int64_t valueHead = a * value.shape[1] / heads;
  std::vector<double> sum(value.shape[3], 0.0);
  for (int64_t j = 0; j < keys; ++j)
    for (size_t d = 0; d < sum.size() && weights[j] != 0; ++d)
      sum[d] += weights[j] * value(b, valueHead, j, d);
  return sum;
}

/// Puts `row` where row i of head h of batch b has its place.
static void store(const std::vector<double> &row, int64_t place,
                  std::vector<double> &result) {
  std::copy(row.begin(), row.end(),
            result.begin() + place * static_cast<int64_t>(row.size()));
}

ReferenceReport Oracle::run() {
  int64_t all = batches * heads * queries;
  std::vector<double> o(all * value.shape[3]), weights, lse(all);
  if (!op->weights.empty())
    weights.resize(all * keys);
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t i = 0; i < queries; ++i) {
      auto place = [&](int64_t h) { return (b * heads + h) * queries + i; };
      Rows rows = scoreRows(b, i);
      for (int64_t h = 0; h < heads; ++h) {
        SumOfExp sum(rows[h]);
        lse[place(h)] = sum.log();
        for (double &weight : rows[h])
          weight = sum.share(weight);
      }
      if (op->postmix)
        rows = mixed(b, i, rows);
      for (int64_t a = 0; a < heads; ++a) {
        store(pooled(b, a, rows[a]), place(a), o);
        if (!op->weights.empty())
          store(rows[a], place(a), weights);
      }
    }
  ReferenceReport report;
  report.largestScore = largest.value();
  report.results[op->result] = std::move(o);
  if (!op->weights.empty())
    report.results[op->weights] = std::move(weights);
  if (!op->lse.empty())
    report.results[op->lse] = std::move(lse);
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
