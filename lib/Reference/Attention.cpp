// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention as the formulas say it: for each batch and query, the scores of all
// heads, their normalised weights, the mixed heads, the sum of the values.
#include "lib/Reference/Expression.h"
#include "lib/Reference/Oracles.h"
#include "lib/Reference/Scores.h"
#include "lib/Reference/Visibility.h"

using namespace mixattn;

namespace {

/// Weights or scores of one query: a row of keys for each head.
using Rows = std::vector<std::vector<double>>;
/// The sizes of these scores.
using RowSizes = std::vector<std::vector<Largest>>;

/// One attention op with its operands; the members are those of the manifest.
class Oracle {
public:
  Status bind(const Attention &attention, const Arguments &arguments);
  ReferenceReport run();

private:
  Status checkShapes();
  double modified(double score, int64_t b, int64_t h, int64_t i, int64_t j,
                  Largest &size) const;
  Rows scoreRows(int64_t b, int64_t i, RowSizes &sizes) const;
  double normalise(std::vector<double> &row, const std::vector<Largest> &sizes,
                   int64_t batch, int64_t i);
  double mixer(int64_t b, int64_t i, int64_t c, int64_t a) const;
  Rows mixed(int64_t b, int64_t i, const Rows &weights) const;
  std::vector<double> pooled(int64_t b, int64_t a,
                             const std::vector<double> &weights) const;

  const Attention *op = nullptr;
  Scores scores;
  Sight sight;
  Array value, valueProjection, bias, mixerOf, source, w, b;
  Postmix postmix;
  ScoreMod scoreMod;
  int64_t batches = 0, heads = 0, queries = 0, keys = 0;
  Largest largest;
};

} // namespace

Status Oracle::bind(const Attention &attention, const Arguments &arguments) {
  op = &attention;
  postmix = attention.postmix.value_or(Postmix());
  if (Status read = readAll({{op->value, value},
                             {op->valueProjection, valueProjection},
                             {op->bias, bias},
                             {postmix.mixer, mixerOf},
                             {postmix.source, source},
                             {postmix.w, w},
                             {postmix.b, b}},
                            arguments);
      !read)
    return read;
  if (Status done = project({op->valueProjection, valueProjection}, value);
      !done)
    return done;
  if (Status bound = scores.bind(attention, value.shape[1], arguments); !bound)
    return bound;
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
  if (Status bound =
          sight.bind(*op, {batches, heads, queries, keys}, arguments);
      !bound)
    return bound;
  return checkShapes();
}

/// The manifest's parser has looked at ranks; here, at sizes.
Status Oracle::checkShapes() {
  const Shape all = {batches, heads, queries, keys};
  int64_t wide = postmix.byRow ? w.shape[0] : 0;
  const std::pair<Operand, Shape> operands[] = {
      {{op->value, value}, {batches, value.shape[1], keys, value.shape[3]}},
      {{op->bias, bias}, broadcastShape(bias.shape, all)},
      {{postmix.mixer, mixerOf}, {heads, heads}},
      {{postmix.source, source}, {batches, heads, queries, wide}},
      {{postmix.w, w}, {wide, heads}},
      {{postmix.b, b}, {heads, heads}}};
  for (const auto &[operand, shape] : operands)
    if (Status status = expectShape(operand, shape); !status)
      return status;
  return Success();
}

/// score_mod(score + bias).
double Oracle::modified(double score, int64_t b, int64_t h, int64_t i,
                        int64_t j, Largest &size) const {
  if (bias.isPresent())
    score = size.note(score + bias.broadcast(b, h, i, j));
  if (scoreMod)
    score = size.note(scoreMod({score, b, h, i, j}));
  return score;
}

/// The scores of a query, -inf where it does not see the key.
Rows Oracle::scoreRows(int64_t b, int64_t i, RowSizes &sizes) const {
  Rows rows(heads, std::vector<double>(keys, -infinity));
  sizes.assign(heads, std::vector<Largest>(keys));
  std::vector<bool> seen(heads);
  for (int64_t j = 0; j < keys; ++j) {
    bool isSeen = false;
    for (int64_t h = 0; h < heads; ++h)
      isSeen |= seen[h] = sight.isVisible(b, h, i, j);
    if (!isSeen)
      continue;
    std::vector<Largest> column(heads);
    std::vector<double> found = scores.at(b, i, j, seen, column);
    for (int64_t h = 0; h < heads; ++h)
      if (seen[h]) {
        rows[h][j] = modified(found[h], b, h, i, j, column[h]);
        sizes[h][j] = column[h];
      }
  }
  return rows;
}

/// log(exp(a) / (1 + exp(-a))), exactly: -inf of -inf.
static double logOfSigmoidal(double a) {
  return a + (a < 0 ? a : 0) - std::log1p(std::exp(-std::fabs(a)));
}

/// Turns the scores of query i into weights, and notes the sizes of those that
/// matter; the logarithm of their sum.
double Oracle::normalise(std::vector<double> &row,
                         const std::vector<Largest> &sizes, int64_t batch,
                         int64_t i) {
  if (op->normaliser == Normaliser::Sigsoftmax)
    for (double &score : row)
      score = logOfSigmoidal(score);
  SumOfExp sum(row);
  for (int64_t j = 0; j < keys; ++j) {
    if (matters(sum.logShare(row[j]), sizes[j].value()))
      largest.note(sizes[j].value());
    bool isKept = !op->keep || sight.isInside(*op->keep, batch, i, j);
    row[j] = isKept ? sum.share(row[j]) : 0;
  }
  return sum.log();
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
      RowSizes sizes;
      Rows rows = scoreRows(b, i, sizes);
      for (int64_t h = 0; h < heads; ++h)
        lse[place(h)] = normalise(rows[h], sizes[h], b, i);
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
  if (!op->lse.empty()) {
    report.results[op->lse] = std::move(lse);
    report.logarithms.insert(op->lse);
  }
  return report;
}

Result<ReferenceReport> mixattn::runOracle(const Attention &op,
                                           const Entry &entry,
                                           const Arguments &arguments) {
  Oracle oracle;
  if (Status bound = oracle.bind(op, arguments); !bound)
    return bound.error();
  return oracle.run();
}
