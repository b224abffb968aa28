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

  /// Adds all that the call is given. `outputs` are the entry's, those that are
  /// updated with their values before.
  Status add(Arguments &arguments, std::vector<Tensor> &outputs);
  /// Copies what the call wrote to the outputs that were added.
  Status read(std::vector<Tensor> &outputs) const;
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
  /// Where the outputs are among the tensors.
  std::vector<size_t> places;
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

Status PlacedCall::add(Arguments &arguments, std::vector<Tensor> &outputs) {
  const Entry &entry = executable.entry;
  if (Status added = addWorkspace(arguments.dims); !added)
    return added;
  if (Status added = addPacked(arguments.packsEachCall); !added)
    return added;
  size_t numResults = entry.results.size(), next = numResults;
  for (size_t i = 0; i < numResults; ++i)
    places.push_back(entry.arguments.size() + i);
  for (size_t i = 0; i < arguments.tensors.size(); ++i) {
    bool isUpdated = entry.arguments[i].isUpdated;
    if (isUpdated)
      places.push_back(i);
    Tensor &tensor = isUpdated ? outputs[next++] : arguments.tensors[i];
    if (Status added = addTensor(tensor, "argument", entry.arguments[i].name);
        !added)
      return added;
  }
  for (size_t i = 0; i < numResults; ++i)
    if (Status added = addTensor(outputs[i], "result", entry.results[i].name);
        !added)
      return added;
  return Success();
}

Status PlacedCall::read(std::vector<Tensor> &outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i)
    if (Status copied = tensors[places[i]]->read(outputs[i].data()); !copied)
      return copied;
  return Success();
}

/// Tensors for what a call writes, in the order of the entry's outputs.
static Result<std::vector<Tensor>> makeOutputs(const Entry &entry,
                                               const Arguments &arguments) {
  std::vector<Tensor> outputs;
  auto add = [&](const Parameter &output, const Tensor *before) -> Status {
    Result<Tensor> tensor =
        Tensor::allocate(output.dtype, shapeOf(output, arguments.dims));
    if (!tensor)
      return tensor.error();
    if (before)
      std::memcpy(tensor->data(), before->data(), tensor->bytes());
    else
      // NaN in every type of float: what is not written shows.
      std::memset(tensor->data(), 0xff, tensor->bytes());
    outputs.push_back(std::move(*tensor));
    return Success();
  };
  for (const Parameter &result : entry.results)
    if (Status added = add(result, nullptr); !added)
      return inPlace("result '" + result.name + "'", added.error());
  // Calls update copies: what was given is compared with, and given again.
  for (size_t i = 0; i < entry.arguments.size(); ++i)
    if (entry.arguments[i].isUpdated)
      if (Status added = add(entry.arguments[i], &arguments.tensors[i]); !added)
        return inPlace("argument '" + entry.arguments[i].name + "'",
                       added.error());
  return outputs;
}

Result<std::vector<Tensor>> mixattn::runOnce(const Executable &executable,
                                             Arguments &arguments) {
  Result<std::vector<Tensor>> outputs =
      makeOutputs(executable.entry, arguments);
  if (!outputs)
    return outputs;
  PlacedCall call(executable);
  if (Status added = call.add(arguments, *outputs); !added)
    return added.error();
  if (Status run = executable.device->run(call.get()); !run)
    return run.error();
  if (Status copied = call.read(*outputs); !copied)
    return copied.error();
  return outputs;
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
