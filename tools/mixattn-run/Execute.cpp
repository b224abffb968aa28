// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain and the timed run.
#include "tools/mixattn-run/Execute.h"
#include "lib/Runtime/Binding.h"
#include "lib/Runtime/Call.h"
#include "tools/mixattn-run/Console.h"
#include <algorithm>
#include <cstring>

using namespace mixattn;

/// Memory for intermediate values, which are NaN in every type of float: what
/// is read before it is written shows.
static Result<Tensor> makeWorkspace(const Entry &entry,
                                    const LoadedEntry &loaded,
                                    const Arguments &arguments) {
  auto bytes = int64_t(loaded.workspaceOf(entry, arguments.dims));
  Result<Tensor> memory = Tensor::allocate(DType::I8, {bytes});
  if (!memory)
    return inPlace("intermediate values", memory.error());
  std::memset(memory->data(), 0xff, memory->bytes());
  return memory;
}

static Call makeCall(const Entry &entry, const LoadedEntry &loaded,
                     Arguments &arguments, std::vector<Tensor> &results,
                     Tensor &workspace) {
  Call call(entry, loaded.function);
  call.giveWorkspace(workspace.data(), workspace.bytes());
  for (Tensor &tensor : arguments.tensors)
    call.add(tensor.dtype(), tensor.shape(), tensor.data());
  for (Tensor &tensor : results)
    call.add(tensor.dtype(), tensor.shape(), tensor.data());
  return call;
}

Result<std::vector<Tensor>> mixattn::runOnce(const Entry &entry,
                                             const LoadedEntry &loaded,
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
  Result<Tensor> workspace = makeWorkspace(entry, loaded, arguments);
  if (!workspace)
    return workspace.error();
  Call call = makeCall(entry, loaded, arguments, results, *workspace);
  if (Status run = call.run(); !run)
    return run.error();
  return results;
}

Result<std::vector<double>> mixattn::runTimed(const Entry &entry,
                                              const LoadedEntry &loaded,
                                              Arguments &arguments,
                                              std::vector<Tensor> &results,
                                              int64_t repeat) {
  Result<Tensor> workspace = makeWorkspace(entry, loaded, arguments);
  if (!workspace)
    return workspace.error();
  Call call = makeCall(entry, loaded, arguments, results, *workspace);
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
