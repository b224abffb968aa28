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

/// Memory for parameters that are packed once; none where calls are to pack
/// them.
static Result<Tensor> makePacked(const Entry &entry,
                                 const Arguments &arguments) {
  auto bytes = arguments.packsEachCall ? 0 : int64_t(entry.packed);
  Result<Tensor> memory = Tensor::allocate(DType::I8, {bytes});
  if (!memory)
    return inPlace("packed parameters", memory.error());
  std::memset(memory->data(), 0, memory->bytes());
  return memory;
}

static Call makeCall(const Entry &entry, const LoadedEntry &loaded,
                     Arguments &arguments, std::vector<Tensor> &results,
                     Tensor &workspace, Tensor &packed) {
  Call call(entry, loaded.function);
  call.giveWorkspace(workspace.data(), workspace.bytes());
  call.givePacked(packed.data(), packed.bytes());
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
  Result<Tensor> packed = makePacked(entry, arguments);
  if (!packed)
    return packed.error();
  Call call = makeCall(entry, loaded, arguments, results, *workspace, *packed);
  if (Status run = call.run(); !run)
    return run.error();
  return results;
}

Result<Timing> mixattn::runTimed(const Entry &entry, const LoadedEntry &loaded,
                                 Arguments &arguments,
                                 std::vector<Tensor> &results, int64_t repeat) {
  Timing timing;
  std::optional<Recorder> recorder;
  if (loaded.profile) {
    recorder.emplace(loaded.profile);
    repeat = std::max(repeat, int64_t(1));
  }
  Result<Tensor> workspace = makeWorkspace(entry, loaded, arguments);
  if (!workspace)
    return workspace.error();
  Result<Tensor> packed = makePacked(entry, arguments);
  if (!packed)
    return packed.error();
  Call call = makeCall(entry, loaded, arguments, results, *workspace, *packed);
  if (recorder || (repeat > 0 && packed->bytes() > 0)) {
    // A call for which there is no room says how much it takes, and the first
    // one packs parameters.
    if (Status run = call.run(); !run)
      return run.error();
    if (recorder)
      recorder->makeRoom();
  }
  Progress progress(repeat);
  for (int64_t i = 0; i < repeat; ++i) {
    if (recorder)
      recorder->beginCall();
    double start = secondsNow();
    Status run = call.run();
    timing.milliseconds.push_back(1000 * (secondsNow() - start));
    if (!run)
      return run.error();
    if (recorder)
      recorder->endCall();
    progress.step(i + 1);
  }
  std::sort(timing.milliseconds.begin(), timing.milliseconds.end());
  if (recorder)
    timing.profile = recorder->finish();
  return timing;
}
