// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain and the timed run.
#include "tools/mixattn-run/Execute.h"
#include "lib/Runtime/Binding.h"
#include "lib/Runtime/Call.h"
#include "tools/mixattn-run/Console.h"
#include <algorithm>
#include <cstring>

using namespace mixattn;

static Call makeCall(const Entry &entry, mixattn_entry function,
                     Arguments &arguments, std::vector<Tensor> &results) {
  Call call(entry, function);
  for (Tensor &tensor : arguments.tensors)
    call.add(tensor.dtype(), tensor.shape(), tensor.data());
  for (Tensor &tensor : results)
    call.add(tensor.dtype(), tensor.shape(), tensor.data());
  return call;
}

Result<std::vector<Tensor>> mixattn::runOnce(const Entry &entry,
                                             mixattn_entry function,
                                             Arguments &arguments) {
  std::vector<Tensor> results;
  for (const Parameter &result : entry.results) {
    Result<Tensor> tensor =
        Tensor::allocate(result.dtype, shapeOf(result, arguments.dims));
    if (!tensor)
      return inPlace("result '" + result.name + "'", tensor.error());
    // NaN in every type of float: what is not written shows.
    std::memset(tensor->data(), 0xff, tensor->bytes());
    results.push_back(std::move(*tensor));
  }
  if (Status run = makeCall(entry, function, arguments, results).run(); !run)
    return run.error();
  return results;
}

Result<std::vector<double>> mixattn::runTimed(const Entry &entry,
                                              mixattn_entry function,
                                              Arguments &arguments,
                                              std::vector<Tensor> &results,
                                              int64_t repeat) {
  Call call = makeCall(entry, function, arguments, results);
  std::vector<double> milliseconds;
  Progress progress(repeat);
  for (int64_t i = 0; i < repeat; ++i) {
    double start = secondsNow();
    Status run = call.run();
    milliseconds.push_back(1000 * (secondsNow() - start));
    if (!run)
      return run.error();
    progress.step(i + 1);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds;
}
