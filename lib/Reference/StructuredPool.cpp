// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values times a band or the identity, plus sparse elements: rows as lists of
// columns and weights.
#include "lib/Reference/Oracles.h"
#include <cmath>
#include <map>

using namespace mixattn;

namespace {

/// One structured_pool with its operands, named as in the manifest.
class Oracle {
public:
  Status bind(const StructuredPool &pool, const Entry &entry,
              const Arguments &arguments);
  ReferenceReport run() const;

private:
  /// Weights by column.
  using Row = std::map<int64_t, double>;

  Status checkShapes();
  Status bindWindows();
  Status bindErrors();
  Row row(int64_t h, int64_t i) const;

  const StructuredPool *op = nullptr;
  Array value, band, windows, errorIndex, errorValue;
  int64_t heads = 0, length = 0;
  /// The column that a row of the identity reads.
  std::vector<int64_t> columns;
  /// The sparse elements of each head's rows.
  std::vector<Row> errors;
};

} // namespace

Status Oracle::bind(const StructuredPool &pool, const Entry &entry,
                    const Arguments &arguments) {
  op = &pool;
  if (Status read = readAll({{op->value, value},
                             {op->band, band},
                             {op->windows, windows},
                             {op->errorIndex, errorIndex},
                             {op->errorValue, errorValue}},
                            arguments);
      !read)
    return read;
  // The parser has seen that this size is static.
  heads = entry.result(op->result)->shape[1].value;
  length = value.shape[2];
  if (Status fits = checkShapes(); !fits)
    return fits;
  if (Status bound = bindWindows(); !bound)
    return bound;
  return bindErrors();
}

Status Oracle::checkShapes() {
  int64_t width = band.rank() == 3 ? band.shape[2] : 0;
  int64_t rows = windows.rank() == 2 ? windows.shape[0] : 0;
  int64_t count = errorIndex.rank() == 2 ? errorIndex.shape[0] : 0;
  const std::pair<Operand, Shape> operands[] = {
      {{op->band, band}, {heads, length, width}},
      {{op->windows, windows}, {rows, 3}},
      {{op->errorIndex, errorIndex}, {count, 3}},
      {{op->errorValue, errorValue}, {count}}};
  for (const auto &[operand, shape] : operands)
    if (Status fits = expectShape(operand, shape); !fits)
      return fits;
  return Success();
}

static Error outside(const std::string &name, int64_t row) {
  return makeError("the attention op expected '{}' to stay inside the matrix, "
                   "but row {} does not",
                   name, row);
}

/// Rows of the identity, but those of a window read its column.
Status Oracle::bindWindows() {
  for (int64_t i = 0; i < length; ++i)
    columns.push_back(i);
  for (int64_t t = 0; windows.isPresent() && t < windows.shape[0]; ++t) {
    double column = windows(t, 0), first = windows(t, 1), rows = windows(t, 2);
    double end = static_cast<double>(length);
    if (column < 0 || column >= end || first < 0 || rows < 0 ||
        first + rows > end)
      return outside(op->windows, t);
    for (int64_t i = 0; i < length; ++i)
      if (static_cast<double>(i) >= first &&
          static_cast<double>(i) < first + rows)
        columns[i] = static_cast<int64_t>(column);
  }
  return Success();
}

Status Oracle::bindErrors() {
  errors.resize(heads * length);
  for (int64_t e = 0; errorIndex.isPresent() && e < errorIndex.shape[0]; ++e) {
    double h = errorIndex(e, 0), i = errorIndex(e, 1), j = errorIndex(e, 2);
    double end = static_cast<double>(length);
    if (h < 0 || h >= static_cast<double>(heads) || i < 0 || i >= end ||
        j < 0 || j >= end)
      return outside(op->errorIndex, e);
    int64_t place = static_cast<int64_t>(h) * length + static_cast<int64_t>(i);
    errors[place][static_cast<int64_t>(j)] += errorValue(e);
  }
  return Success();
}

/// Row i of P + E of head h.
Oracle::Row Oracle::row(int64_t h, int64_t i) const {
  Row weights = errors[h * length + i];
  if (op->band.empty()) {
    weights[columns[i]] += 1;
    return weights;
  }
  int64_t width = band.shape[2] / 2;
  for (int64_t t = 0; t < band.shape[2]; ++t) {
    int64_t j = i + t - width;
    if (j >= 0 && j < length)
      weights[j] += band(h, i, t);
  }
  return weights;
}

ReferenceReport Oracle::run() const {
  int64_t batches = value.shape[0], features = value.shape[3];
  std::vector<double> o;
  QuotientRows quotient;
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < length; ++i) {
        int64_t valueHead = h * value.shape[1] / heads;
        double sum = 0, magnitudes = 0;
        std::vector<double> pooled(features, 0.0);
        for (auto [j, weight] : row(h, i)) {
          sum += weight;
          magnitudes += std::fabs(weight);
          for (int64_t d = 0; d < features && weight != 0; ++d)
            pooled[d] += weight * value(b, valueHead, j, d);
        }
        if (op->rowNormalise) {
          quotient.add(magnitudes, sum);
          for (double &element : pooled)
            element = sum == 0 ? 0 : element / sum;
        }
        o.insert(o.end(), pooled.begin(), pooled.end());
      }
  ReferenceReport report;
  report.results[op->result] = std::move(o);
  if (op->rowNormalise)
    report.quotients[op->result] = std::move(quotient);
  return report;
}

Result<ReferenceReport> mixattn::runOracle(const StructuredPool &op,
                                           const Entry &entry,
                                           const Arguments &arguments) {
  Oracle oracle;
  if (Status bound = oracle.bind(op, entry, arguments); !bound)
    return bound.error();
  return oracle.run();
}
