// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-reference: writes what lib/Reference computes, in double precision,
// for tests that compare it with another oracle.
#include "lib/Reference/Reference.h"
#include "lib/Runtime/Binding.h"
#include "lib/Runtime/Files.h"
#include "lib/Runtime/Json.h"
#include "lib/Runtime/Npy.h"
#include "lib/Runtime/Npz.h"
#include <cstdio>

using namespace mixattn;

/// The result as an array of the shape that the arguments imply.
static Result<std::string> toNpy(const Parameter &result, const DimSizes &sizes,
                                 const std::vector<double> &values) {
  Result<Tensor> tensor = Tensor::allocate(DType::F64, shapeOf(result, sizes));
  if (!tensor)
    return tensor.error();
  for (size_t n = 0; n < values.size(); ++n)
    tensor->setNumber(static_cast<int64_t>(n), values[n]);
  return writeNpy(*tensor);
}

/// The sizes that the arguments give to named dims.
static DimSizes sizesOf(const Entry &entry,
                        const std::map<std::string, const Tensor *> &tensors) {
  DimSizes sizes;
  for (const Parameter &argument : entry.arguments)
    for (size_t dim = 0; dim < argument.shape.size(); ++dim)
      if (argument.shape[dim].isDynamic())
        sizes[argument.shape[dim].name] =
            tensors.at(argument.name)->shape()[dim];
  return sizes;
}

/// Largest score, and of every result the largest kappa of its rows and the
/// rows left out; null and none where it is no quotient.
static Result<std::string> toJson(const Entry &entry,
                                  const ReferenceReport &report) {
  Json results = Json::object();
  for (const Parameter &result : entry.results) {
    Json kappa, leftOut = Json::array();
    if (auto found = report.quotients.find(result.name);
        found != report.quotients.end()) {
      kappa = found->second.kappa();
      for (size_t row = 0; row < found->second.leftOut.size(); ++row)
        if (found->second.leftOut[row])
          leftOut.push_back(row);
    }
    results[result.name] = {{"kappa", kappa}, {"left_out", leftOut}};
  }
  Json json = {{"largest_score", report.largestScore}, {"results", results}};
  return json.dump() + "\n";
}

/// Writes the results of the manifest's first entry to the files of `outputs`,
/// each RESULT=FILE.npy, or --report=FILE.json; gives the largest score.
static Result<double> dump(const char *manifestPath, const char *inputsPath,
                           const std::vector<std::string> &outputs) {
  Result<Buffer> text = readFile(manifestPath);
  if (!text)
    return text.error();
  Result<Manifest> manifest = parseManifest(text->view());
  if (!manifest)
    return manifest.error();
  Result<Buffer> file = readFile(inputsPath);
  if (!file)
    return file.error();
  auto tensors = readNpz(file->view());
  if (!tensors)
    return tensors.error();
  std::map<std::string, const Tensor *> arguments;
  for (const auto &[name, tensor] : *tensors)
    arguments[name] = &tensor;
  const Entry &entry = manifest->entries.front();
  Result<ReferenceReport> report = runReference(entry, arguments);
  if (!report)
    return report.error();
  OutputFiles files;
  for (const std::string &output : outputs) {
    std::string name = output.substr(0, output.find('='));
    Result<std::string> content =
        name == "--report"
            ? toJson(entry, *report)
            : toNpy(*entry.result(name), sizesOf(entry, arguments),
                    report->results.at(name));
    if (!content)
      return content.error();
    if (Status added =
            files.add(output.substr(name.size() + 1), std::move(*content));
        !added)
      return added.error();
  }
  if (Status status = files.commit(); !status)
    return status.error();
  return report->largestScore;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "usage: %s MANIFEST.json INPUTS.npz [--report=REPORT.json] "
                 "RESULT=OUTPUT.npy...\n",
                 argv[0]);
    return 2;
  }
  Result<double> largestScore = dump(argv[1], argv[2], {argv + 3, argv + argc});
  if (!largestScore) {
    std::fprintf(stderr, "mixattn-reference: error: %s\n",
                 largestScore.message().c_str());
    return 1;
  }
  std::printf("%.17g\n", *largestScore);
  return 0;
}
