// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The run in guarded memory.
#include "lib/Runtime/Binding.h"
#include "tools/mixattn-run/Console.h"
#include "tools/mixattn-run/Execute.h"

using namespace mixattn;

namespace {
/// A call whose tensors all lie in guarded memory.
class GuardedCall {
public:
  GuardedCall(const Executable &executable, Flush flush)
      : executable(executable), call(executable.entry, executable.loaded,
                                     executable.device->dlpackDevice()),
        flush(flush) {}

  /// Adds an argument; from now on its elements are read-only, but where the
  /// call updates it.
  Status addArgument(const Parameter &argument, const Tensor &tensor);
  /// Adds a result whose bytes are all `filling`.
  Status addResult(const Parameter &result, const DimSizes &dims, int filling);
  /// Adds memory for intermediate values, whose bytes are all `filling`.
  Status addWorkspace(uint64_t bytes, int filling);
  /// Adds memory for packed parameters.
  Status addPacked(uint64_t bytes);
  /// Fills the call with the arguments and with room for the results, and runs
  /// it.
  Status run(const Arguments &arguments, uint64_t workspace, int filling);
  /// Reads output number `index`.
  Result<Buffer> read(size_t index) const;

private:
  struct Block {
    /// As errors call it.
    std::string name;
    std::unique_ptr<Memory> memory;
  };
  Result<Memory *> add(const std::string &name, uint64_t bytes);
  Status checkGuards() const;

  const Executable &executable;
  Call call;
  Flush flush;
  std::vector<Block> blocks;
  /// Where the outputs are among them.
  std::vector<size_t> outputs;
};
} // namespace

Result<Memory *> GuardedCall::add(const std::string &name, uint64_t bytes) {
  auto memory = executable.device->allocateGuarded(bytes, flush);
  if (!memory)
    return inPlace(name, memory.error());
  blocks.push_back({name, std::move(*memory)});
  return blocks.back().memory.get();
}

Status GuardedCall::addArgument(const Parameter &argument,
                                const Tensor &tensor) {
  Result<Memory *> memory =
      add("argument '" + argument.name + "'", tensor.bytes());
  if (!memory)
    return memory.error();
  call.add(tensor.dtype(), tensor.shape(), (*memory)->address());
  if (Status written = (*memory)->write(tensor.data()); !written)
    return written;
  return argument.isUpdated ? Status(Success()) : (*memory)->protect();
}

Status GuardedCall::addResult(const Parameter &result, const DimSizes &dims,
                              int filling) {
  Shape shape = shapeOf(result, dims);
  Result<size_t> bytes = byteCount(result.dtype, shape);
  if (!bytes)
    return bytes.error();
  Result<Memory *> memory = add("result '" + result.name + "'", *bytes);
  if (!memory)
    return memory.error();
  call.add(result.dtype, shape, (*memory)->address());
  return (*memory)->fill(static_cast<unsigned char>(filling));
}

Status GuardedCall::addWorkspace(uint64_t bytes, int filling) {
  Result<Memory *> memory = add("intermediate values", bytes);
  if (!memory)
    return memory.error();
  call.giveWorkspace((*memory)->address(), bytes);
  return (*memory)->fill(static_cast<unsigned char>(filling));
}

Status GuardedCall::addPacked(uint64_t bytes) {
  Result<Memory *> memory = add("packed parameters", bytes);
  if (!memory)
    return memory.error();
  call.givePacked((*memory)->address(), bytes);
  return (*memory)->fill(0);
}

Status GuardedCall::checkGuards() const {
  for (const Block &block : blocks)
    if (Status good = block.memory->checkGuard(); !good)
      return inPlace("entry '" + executable.entry.name + "': " + block.name,
                     good.error());
  return Success();
}

Status GuardedCall::run(const Arguments &arguments, uint64_t workspace,
                        int filling) {
  const Entry &entry = executable.entry;
  if (Status added = addWorkspace(workspace, filling); !added)
    return added;
  std::vector<size_t> updated;
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    if (entry.arguments[i].isUpdated)
      updated.push_back(blocks.size());
    if (Status added = addArgument(entry.arguments[i], arguments.tensors[i]);
        !added)
      return added;
  }
  for (const Parameter &result : entry.results) {
    outputs.push_back(blocks.size());
    if (Status added = addResult(result, arguments.dims, filling); !added)
      return added;
  }
  outputs.insert(outputs.end(), updated.begin(), updated.end());
  Error access = makeError(
      "entry '{}': accessed memory outside its tensors, or wrote to an "
      "argument, with inaccessible pages at their {}",
      entry.name, flush == Flush::AtEnd ? "end" : "start");
  if (Status run = executable.device->runGuarded(call, errorLine(access)); !run)
    return run;
  return checkGuards();
}

Result<Buffer> GuardedCall::read(size_t index) const {
  const Memory &memory = *blocks[outputs[index]].memory;
  Result<Buffer> buffer = Buffer::allocate(memory.bytes());
  if (!buffer)
    return buffer.error();
  if (Status copied = memory.read(buffer->data()); !copied)
    return copied.error();
  return buffer;
}

Status mixattn::runGuarded(const Executable &executable,
                           const Arguments &arguments) {
  const Entry &entry = executable.entry;
  Result<uint64_t> workspace =
      executable.loaded.workspaceOf(entry, arguments.dims);
  if (!workspace)
    return workspace.error();
  GuardedCall atEnd(executable, Flush::AtEnd);
  if (Status added = atEnd.addPacked(entry.packed); !added)
    return added;
  if (Status run = atEnd.run(arguments, *workspace, 0xff); !run)
    return run;
  // Another filling: what the entry leaves unwritten differs. And parameters
  // that the call packs: they give the same as packed ones.
  GuardedCall atStart(executable, Flush::AtStart);
  if (Status run = atStart.run(arguments, *workspace, 0x00); !run)
    return run;
  std::vector<Parameter> outputs = entry.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    Result<Buffer> first = atEnd.read(i), second = atStart.read(i);
    if (!first || !second)
      return first ? second.error() : first.error();
    if (first->view() != second->view())
      return makeError("result '{}': expected equal bytes from both guarded "
                       "runs, but got others",
                       outputs[i].name);
  }
  return Success();
}
