// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain and the timed run.
#include "tools/mixattn-run/Execute.h"
#include "lib/Runtime/Binding.h"
#include "tools/mixattn-run/Console.h"
#include <algorithm>
#include <cstring>

using namespace mixattn;

namespace {
/// A call whose tensors lie where its device has them.
class PlacedCall {
public:
  explicit PlacedCall(const Executable &executable)
      : executable(executable), call(executable.entry, executable.loaded,
                                     executable.device->dlpackDevice()) {}

  /// Adds all that the call is given.
  Status add(Arguments &arguments, std::vector<Tensor> &results);
  /// Copies the results to the tensors that were added.
  Status read(std::vector<Tensor> &results) const;
  /// Whether the call packs parameters once.
  bool packsOnce() const { return packed->bytes() > 0; }
  const Call &get() const { return call; }

private:
  Status addTensor(Tensor &tensor, const char *kind, const std::string &name);
  Status addWorkspace(const DimSizes &dims);
  Status addPacked(bool packsEachCall);

  const Executable &executable;
  Call call;
  std::vector<std::unique_ptr<Memory>> tensors;
  std::unique_ptr<Memory> workspace, packed;
};
} // namespace

Status PlacedCall::addTensor(Tensor &tensor, const char *kind,
                             const std::string &name) {
  auto memory = executable.device->place(tensor);
  if (!memory)
    return inPlace(kind + (" '" + name + "'"), memory.error());
  tensors.push_back(std::move(*memory));
  call.add(tensor.dtype(), tensor.shape(), tensors.back()->address());
  return Success();
}

/// Memory for intermediate values, which are NaN in every type of float: what
/// is read before it is written shows.
Status PlacedCall::addWorkspace(const DimSizes &dims) {
  Result<uint64_t> bytes =
      executable.loaded.workspaceOf(executable.entry, dims);
  if (!bytes)
    return bytes.error();
  auto memory = executable.device->allocate(*bytes);
  if (!memory)
    return inPlace("intermediate values", memory.error());
  workspace = std::move(*memory);
  call.giveWorkspace(workspace->address(), *bytes);
  return workspace->fill(0xff);
}

/// Memory for parameters that are packed once; none where calls are to pack
/// them.
Status PlacedCall::addPacked(bool packsEachCall) {
  uint64_t bytes = packsEachCall ? 0 : executable.entry.packed;
  auto memory = executable.device->allocate(bytes);
  if (!memory)
    return inPlace("packed parameters", memory.error());
  packed = std::move(*memory);
  call.givePacked(packed->address(), bytes);
  return packed->fill(0);
}

Status PlacedCall::add(Arguments &arguments, std::vector<Tensor> &results) {
  const Entry &entry = executable.entry;
  if (Status added = addWorkspace(arguments.dims); !added)
    return added;
  if (Status added = addPacked(arguments.packsEachCall); !added)
    return added;
  for (size_t i = 0; i < arguments.tensors.size(); ++i)
    if (Status added = addTensor(arguments.tensors[i], "argument",
                                 entry.arguments[i].name);
        !added)
      return added;
  for (size_t i = 0; i < results.size(); ++i)
    if (Status added = addTensor(results[i], "result", entry.results[i].name);
        !added)
      return added;
  return Success();
}

Status PlacedCall::read(std::vector<Tensor> &results) const {
  size_t first = executable.entry.arguments.size();
  for (size_t i = 0; i < results.size(); ++i)
    if (Status copied = tensors[first + i]->read(results[i].data()); !copied)
      return copied;
  return Success();
}

Result<std::vector<Tensor>> mixattn::runOnce(const Executable &executable,
                                             Arguments &arguments) {
  std::vector<Tensor> results;
  for (const Parameter &result : executable.entry.results) {
    Result<Tensor> tensor =
        Tensor::allocate(result.dtype, shapeOf(result, arguments.dims));
    if (!tensor)
      return inPlace("result '" + result.name + "'", tensor.error());
    // NaN in every type of float: what is not written shows.
    std::memset(tensor->data(), 0xff, tensor->bytes());
    results.push_back(std::move(*tensor));
  }
  PlacedCall call(executable);
  if (Status added = call.add(arguments, results); !added)
    return added.error();
  if (Status run = executable.device->run(call.get()); !run)
    return run.error();
  if (Status copied = call.read(results); !copied)
    return copied.error();
  return results;
}

Result<Timing> mixattn::runTimed(const Executable &executable,
                                 Arguments &arguments,
                                 std::vector<Tensor> &results, int64_t repeat) {
  Timing timing;
  std::optional<Recorder> recorder;
  if (executable.loaded.profile) {
    recorder.emplace(executable.loaded.profile);
    repeat = std::max(repeat, int64_t(1));
  }
  if (repeat == 0)
    return timing;
  PlacedCall call(executable);
  if (Status added = call.add(arguments, results); !added)
    return added.error();
  if (recorder || call.packsOnce()) {
    // A call for which there is no room says how much it takes, and the first
    // one packs parameters.
    if (Status run = executable.device->run(call.get()); !run)
      return run.error();
    if (recorder)
      recorder->makeRoom();
  }
  Progress progress(repeat);
  for (int64_t done = 0; done < repeat;) {
    if (recorder)
      recorder->beginCall();
    auto some =
        executable.device->time(call.get(), recorder ? 1 : repeat - done);
    if (!some)
      return some.error();
    if (recorder)
      recorder->endCall();
    timing.milliseconds.insert(timing.milliseconds.end(), some->begin(),
                               some->end());
    done += int64_t(some->size());
    progress.step(done);
  }
  std::sort(timing.milliseconds.begin(), timing.milliseconds.end());
  if (recorder)
    timing.profile = recorder->finish();
  return timing;
}
