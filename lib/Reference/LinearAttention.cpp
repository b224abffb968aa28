// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear attention as the formulas say it: sums over the keys that a query
// sees, of features and of features times values, mixed, and one quotient.
#include "lib/Reference/Features.h"
#include "lib/Reference/Oracles.h"
#include "lib/Reference/States.h"
#include <algorithm>
#include <cmath>

using namespace mixattn;

namespace {

/// One linear attention with its operands; the members are those of the
/// manifest.
class Oracle {
public:
  Status bind(const LinearAttention &linear, const Arguments &arguments);
  ReferenceReport run();

private:
  Status checkShapes();
  int64_t components() const;
  int64_t visible(int64_t b, int64_t i) const;
  std::vector<double> features(int64_t b, int64_t head, int64_t j) const;
  void add(int64_t b, int64_t j, std::vector<State> &states) const;
  void rowOf(const State &state, int64_t b, int64_t h, int64_t i);

  const LinearAttention *op = nullptr;
  Array query, key, value, shifts, prior, lengths, projection;
  StateMixer mixer;
  int64_t batches = 0, heads = 0, queries = 0, keys = 0, keyHeads = 0;
  /// By batch, head and query.
  std::vector<std::vector<double>> rows;
  std::vector<std::pair<double, double>> denominators;
};

} // namespace

Status Oracle::bind(const LinearAttention &linear, const Arguments &arguments) {
  op = &linear;
  if (Status read = readAll({{op->query, query},
                             {op->key, key},
                             {op->value, value},
                             {op->shifts, shifts},
                             {op->prior, prior},
                             {op->lengths, lengths},
                             {op->featureMap.projection, projection}},
                            arguments);
      !read)
    return read;
  batches = query.shape[0];
  heads = query.shape[1];
  queries = query.shape[2];
  keys = key.shape[key.rank() - 2];
  keyHeads = key.shape[1];
  if (Status fits = checkShapes(); !fits || !op->premix)
    return fits;
  return mixer.bind(*op->premix, keyHeads, heads, arguments);
}

/// The manifest's parser has looked at ranks; here, at sizes.
Status Oracle::checkShapes() {
  int64_t features = query.shape[3];
  int64_t columns = projection.rank() == 2 ? projection.shape[1] : 0;
  Shape keyShape = {batches, keyHeads, keys, features};
  if (key.rank() == 5)
    keyShape.insert(keyShape.begin() + 2, key.shape[2]);
  Shape priorShape = {keyHeads, components()};
  if (prior.rank() == 3)
    priorShape.push_back(keys);
  const std::pair<Operand, Shape> operands[] = {
      {{op->key, key}, keyShape},
      {{op->value, value}, {batches, value.shape[1], keys, value.shape[3]}},
      {{op->shifts, shifts}, {keyHeads, components(), features}},
      {{op->prior, prior}, priorShape},
      {{op->lengths, lengths}, {batches}},
      {{op->featureMap.projection, projection}, {features, columns}}};
  for (const auto &[operand, shape] : operands)
    if (Status fits = expectShape(operand, shape); !fits)
      return fits;
  return Success();
}

int64_t Oracle::components() const {
  return key.rank() == 5      ? key.shape[2]
         : shifts.rank() == 3 ? shifts.shape[1]
                              : 1;
}

/// How many keys query i sees: the first ones.
int64_t Oracle::visible(int64_t b, int64_t i) const {
  int64_t count = keys;
  if (op->causal)
    count = std::min(count, i + (keys - queries) + 1);
  if (!op->lengths.empty())
    count = std::min(count, static_cast<int64_t>(lengths(b)));
  return std::max<int64_t>(count, 0);
}

/// The sum over components of prior_r times the features of key_r.
std::vector<double> Oracle::features(int64_t b, int64_t head, int64_t j) const {
  std::vector<double> sum;
  for (int64_t r = 0; r < components(); ++r) {
    std::vector<double> x;
    for (int64_t d = 0; d < query.shape[3]; ++d)
      x.push_back(key.rank() == 5      ? key(b, head, r, j, d)
                  : shifts.rank() == 3 ? key(b, head, j, d) + shifts(head, r, d)
                                       : key(b, head, j, d));
    double weight = prior.rank() == 3   ? prior(head, r, j)
                    : prior.rank() == 2 ? prior(head, r)
                                        : 1;
    std::vector<double> phi = featuresOf(op->featureMap, projection, x);
    sum.resize(phi.size(), 0.0);
    for (size_t f = 0; f < phi.size(); ++f)
      sum[f] += weight * phi[f];
  }
  return sum;
}

/// Takes key j into the state of every key head.
void Oracle::add(int64_t b, int64_t j, std::vector<State> &states) const {
  int64_t width = value.shape[3];
  for (int64_t k = 0; k < keyHeads; ++k) {
    int64_t valueHead = k * value.shape[1] / keyHeads;
    std::vector<double> phi = features(b, k, j);
    for (size_t f = 0; f < phi.size(); ++f) {
      states[k].sums[f] += phi[f];
      states[k].magnitudes[f] += std::fabs(phi[f]);
      for (int64_t d = 0; d < width; ++d)
        states[k].products[f * width + d] += phi[f] * value(b, valueHead, j, d);
    }
  }
}

/// output_scale phi(q) S / (phi(q) . z + eps), and how the denominator sums up.
void Oracle::rowOf(const State &state, int64_t b, int64_t h, int64_t i) {
  std::vector<double> x, row(value.shape[3], 0.0);
  for (int64_t d = 0; d < query.shape[3]; ++d)
    x.push_back(query(b, h, i, d));
  std::vector<double> phi = featuresOf(op->featureMap, projection, x);
  double denominator = op->eps, terms = std::fabs(op->eps);
  for (size_t f = 0; f < phi.size(); ++f) {
    denominator += phi[f] * state.sums[f];
    terms += std::fabs(phi[f]) * state.magnitudes[f];
    for (size_t d = 0; d < row.size(); ++d)
      row[d] += phi[f] * state.products[f * row.size() + d];
  }
  for (double &element : row)
    element = denominator == 0 ? 0 : op->outputScale * element / denominator;
  int64_t place = (b * heads + h) * queries + i;
  rows[place] = row;
  denominators[place] = {terms, denominator};
}

ReferenceReport Oracle::run() {
  rows.assign(batches * heads * queries,
              std::vector<double>(value.shape[3], 0.0));
  denominators.resize(rows.size());
  int64_t width =
      static_cast<int64_t>(featuresOf(op->featureMap, projection,
                                      std::vector<double>(query.shape[3], 0.0))
                               .size());
  for (int64_t b = 0; b < batches; ++b) {
    // Queries see ever more keys.
    int64_t seen = 0;
    std::vector<State> sums(keyHeads, State(width, value.shape[3])), states;
    for (int64_t i = 0; i < queries; ++i) {
      bool isNew = seen < visible(b, i);
      for (; seen < visible(b, i); ++seen)
        add(b, seen, sums);
      if (isNew)
        states = op->premix ? mixer.mixed(sums) : sums;
      // The row of a query that sees nothing stays zero.
      for (int64_t h = 0; h < heads && seen > 0; ++h)
        rowOf(states[op->premix ? h : h * keyHeads / heads], b, h, i);
    }
  }
  ReferenceReport report;
  std::vector<double> &o = report.results[op->result];
  for (const std::vector<double> &row : rows)
    o.insert(o.end(), row.begin(), row.end());
  QuotientRows &quotient = report.quotients[op->result];
  for (auto [terms, denominator] : denominators)
    quotient.add(terms, denominator);
  return report;
}

Result<ReferenceReport> mixattn::runOracle(const LinearAttention &op,
                                           const Entry &entry,
                                           const Arguments &arguments) {
  Oracle oracle;
  if (Status bound = oracle.bind(op, arguments); !bound)
    return bound.error();
  return oracle.run();
}
