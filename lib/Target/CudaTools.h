// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's tools: ptxas makes cubins, fatbinary makes one file of several.
#ifndef MIXATTN_LIB_TARGET_CUDATOOLS_H
#define MIXATTN_LIB_TARGET_CUDATOOLS_H

#include "lib/Runtime/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mixattn {

/// Code for one architecture, "sm_80": a cubin or PTX.
struct GpuCode {
  enum class Kind { Cubin, Ptx };
  Kind kind;
  std::string chip, bytes;
};

/// NVIDIA's tools on this machine. `folder` is that of `--cuda-path`, or empty.
/// Each is looked for there alone if a folder is given, else under CUDA_HOME
/// and in PATH.
class CudaTools {
public:
  explicit CudaTools(std::string folder) : folder(std::move(folder)) {}

  /// The cubin for `chip` that ptxas makes of `ptx`.
  Result<std::string> assemble(llvm::StringRef ptx, llvm::StringRef chip) const;

  /// One file of all of `codes`, of which a driver takes what fits its GPU.
  Result<std::string> join(llvm::ArrayRef<GpuCode> codes) const;

private:
  Result<std::string> find(llvm::StringRef name) const;

  std::string folder;
};

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_CUDATOOLS_H
