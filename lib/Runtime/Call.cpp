// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C ABI of an entry, from the caller's side.
#include "lib/Runtime/Call.h"
#include "lib/Runtime/Binding.h"

using namespace mixattn;

namespace {
/// The arguments of a function of the ABI, with room for its sentence.
struct Request {
  Request() {
    call.size = sizeof(call);
    call.message = message;
    call.message_size = sizeof(message);
  }
  /// The function's `code` as a success or an error.
  Status statusOf(const Entry &entry, int32_t code) {
    if (code == 0)
      return Success();
    message[sizeof(message) - 1] = '\0';
    if (!message[0])
      return makeError("entry '{}': failed with code {}", entry.name, code);
    return makeError("entry '{}': {}", entry.name, message);
  }

  mixattn_call call = {};
  char message[512] = "";
};
} // namespace

Result<uint64_t> LoadedEntry::workspaceOf(const Entry &entry,
                                          const DimSizes &dims) const {
  if (!workspaceQuery)
    return entry.workspace ? static_cast<uint64_t>(
                                 entry.workspace->in(dims, threads).value_or(0))
                           : 0;
  Call call(entry, *this, {kDLCUDA, 0});
  for (const std::vector<Parameter> *list : {&entry.arguments, &entry.results})
    for (const Parameter &parameter : *list)
      call.add(parameter.dtype, shapeOf(parameter, dims), nullptr);
  return call.queryWorkspace();
}

Result<std::optional<LoadedEntry::Version>> LoadedEntry::version() const {
  if (!versionQuery)
    return std::optional<Version>();
  char message[512] = "";
  mixattn_call call = {};
  call.size = sizeof(call);
  call.message = message;
  call.message_size = sizeof(message);
  int32_t number = versionQuery(&call);
  if (number < 0)
    return Error{message};
  return std::optional<Version>({size_t(number), message});
}

Status LoadedEntry::prepareFor(const Entry &entry, int device) const {
  Request request;
  return request.statusOf(entry, preparation(device, &request.call));
}

void Call::add(DType dtype, Shape shape, void *data) {
  shapes.push_back(std::move(shape));
  DLTensor tensor = {};
  tensor.data = data;
  tensor.device = device;
  tensor.ndim = static_cast<int>(shapes.back().size());
  tensor.dtype = dlpackType(dtype);
  tensor.shape = shapes.back().data();
  tensors.push_back(tensor);
  pointers.push_back(&tensors.back());
}

Status Call::run(void *stream, uint32_t *status) const {
  Request request;
  request.call.stream = stream;
  request.call.workspace = workspace;
  request.call.workspace_bytes = workspaceBytes;
  request.call.packed = packed;
  request.call.packed_bytes = packedBytes;
  request.call.status = status;
  return request.statusOf(called,
                          loaded.function(pointers.data(),
                                          static_cast<int32_t>(pointers.size()),
                                          &request.call));
}

Result<uint64_t> Call::queryWorkspace() const {
  Request request;
  uint64_t bytes = 0;
  int32_t code = loaded.workspaceQuery(pointers.data(),
                                       static_cast<int32_t>(pointers.size()),
                                       &bytes, &request.call);
  if (Status known = request.statusOf(called, code); !known)
    return known.error();
  return bytes;
}
