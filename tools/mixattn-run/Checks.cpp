// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --check and --expect.
#include "tools/mixattn-run/Checks.h"
#include "lib/Reference/Reference.h"
#include "lib/Runtime/Accuracy.h"
#include "lib/Runtime/Files.h"
#include "lib/Runtime/Npy.h"
#include <algorithm>
#include <cstdio>

using namespace mixattn;

std::string Comparison::toString() const {
  char text[128];
  snprintf(text, sizeof(text), ": max error %.3g (limit %.3g): %s", error,
           limit,
           isOk()            ? "ok"
           : provesNothing() ? "FAILED: a limit of 1 or more proves nothing"
                             : "FAILED");
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
  std::vector<Parameter> outputs = entry.outputs();
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string &name = outputs[i].name;
    auto expected = report->results.find(name);
    if (expected == report->results.end())
      return makeError("result '{}': expected --expect={}=FILE.npy, because "
                       "--check does not know the result",
                       name, name);
    auto quotient = report->quotients.find(name);
    bool isQuotient = quotient != report->quotients.end();
    double growth =
        isQuotient ? quotient->second.kappa() : report->largestScore;
    std::vector<bool> leftOut;
    if (isQuotient)
      leftOut = quotient->second.leftOut;
    double scale = largestMagnitude(expected->second, leftOut);
    if (report->logarithms.count(name))
      scale = std::max(scale, 1.0);
    comparisons.push_back(
        {name, relativeError(results[i], expected->second, scale, leftOut),
         errorLimit(results[i].dtype(), growth, scale)});
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
  std::vector<Parameter> outputs = entry.outputs();
  for (const NamedFile &file : options.expected) {
    // requireResults has seen the name.
    size_t index = 0;
    while (outputs[index].name != file.name)
      ++index;
    const Tensor &result = results[index];
    Result<std::vector<double>> expected = readExpected(file, result);
    if (!expected)
      return expected.error();
    double scale = largestMagnitude(*expected);
    comparisons.push_back(
        {file.name, relativeError(result, *expected, scale),
         options.tolerance.value_or(errorLimit(result.dtype(), 0, scale))});
  }
  return comparisons;
}
