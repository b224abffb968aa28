// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --check and --expect.
#include "tools/mixattn-run/Checks.h"
#include "lib/Reference/Reference.h"
#include "lib/Runtime/Accuracy.h"
#include "lib/Runtime/Files.h"
#include "lib/Runtime/Npy.h"
#include <cstdio>

using namespace mixattn;

std::string Comparison::toString() const {
  char text[128];
  snprintf(text, sizeof(text), ": max error %.3g (limit %.3g): %s", error,
           limit, isOk() ? "ok" : "FAILED");
  return result + text;
}

Result<std::vector<Comparison>>
mixattn::compareWithReference(const Entry &entry, const Arguments &arguments,
                              const std::vector<Tensor> &results) {
  if (!entry.op)
    return makeError("entry '{}': expected --expect=NAME=FILE.npy, because "
                     "--check does not know the entry: {}",
                     entry.name, entry.attentionReason);
  Result<ReferenceReport> report = runReference(entry, arguments.byName(entry));
  if (!report)
    return inPlace("reference", report.error());
  std::vector<Comparison> comparisons;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string &name = entry.results[i].name;
    auto expected = report->results.find(name);
    if (expected == report->results.end())
      return makeError("result '{}': expected --expect={}=FILE.npy, because "
                       "--check does not know the result",
                       name, name);
    auto quotient = report->quotients.find(name);
    bool isQuotient = quotient != report->quotients.end();
    comparisons.push_back(
        {name,
         relativeError(results[i], expected->second,
                       isQuotient ? quotient->second.leftOut
                                  : std::vector<bool>()),
         errorLimit(results[i].dtype(), isQuotient ? quotient->second.kappa
                                                   : report->largestScore)});
  }
  return comparisons;
}

/// Reads the values that a result should have.
static Result<std::vector<double>> readExpected(const NamedFile &file,
                                                const Tensor &result) {
  Result<Buffer> bytes = readFile(file.path);
  if (!bytes)
    return bytes.error();
  Result<Tensor> tensor = readNpy(bytes->view());
  if (!tensor)
    return inPlace(file.path, tensor.error());
  if (tensor->shape() != result.shape())
    return makeError("{}: expected shape {} of result '{}', but got {}",
                     file.path, toString(result.shape()), file.name,
                     toString(tensor->shape()));
  if (tensor->dtype() != result.dtype() &&
      !(isFloat(tensor->dtype()) && isFloat(result.dtype())))
    return makeError("{}: expected dtype {} of result '{}', but got {}",
                     file.path, nameOf(result.dtype()), file.name,
                     nameOf(tensor->dtype()));
  std::vector<double> values;
  for (int64_t i = 0; i < tensor->elements(); ++i)
    values.push_back(tensor->number(i));
  return values;
}

Result<std::vector<Comparison>>
mixattn::compareWithFiles(const Entry &entry,
                          const std::vector<Tensor> &results,
                          const Options &options) {
  std::vector<Comparison> comparisons;
  for (const NamedFile &file : options.expected) {
    // requireResults has seen the name.
    size_t index =
        static_cast<size_t>(entry.result(file.name) - entry.results.data());
    const Tensor &result = results[index];
    Result<std::vector<double>> expected = readExpected(file, result);
    if (!expected)
      return expected.error();
    comparisons.push_back(
        {file.name, relativeError(result, *expected),
         options.tolerance.value_or(errorLimit(result.dtype(), 0))});
  }
  return comparisons;
}
