// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C ABI of an entry, from the caller's side.
#include "lib/Runtime/Call.h"

using namespace mixattn;

uint64_t LoadedEntry::workspaceOf(const Entry &entry,
                                  const DimSizes &dims) const {
  if (!entry.workspace)
    return 0;
  return static_cast<uint64_t>(entry.workspace->in(dims, threads).value_or(0));
}

void Call::add(DType dtype, Shape shape, void *data) {
  shapes.push_back(std::move(shape));
  DLTensor tensor = {};
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int>(shapes.back().size());
  tensor.dtype = dlpackType(dtype);
  tensor.shape = shapes.back().data();
  tensors.push_back(tensor);
  pointers.push_back(&tensors.back());
}

Status Call::run() const {
  char message[512] = "";
  mixattn_call call = {};
  call.size = sizeof(call);
  call.workspace = workspace;
  call.workspace_bytes = workspaceBytes;
  call.packed = packed;
  call.packed_bytes = packedBytes;
  call.message = message;
  call.message_size = sizeof(message);
  int32_t code =
      function(pointers.data(), static_cast<int32_t>(pointers.size()), &call);
  if (code == 0)
    return Success();
  message[sizeof(message) - 1] = '\0';
  if (!message[0])
    return makeError("entry '{}': failed with code {}", entry.name, code);
  return makeError("entry '{}': {}", entry.name, message);
}
