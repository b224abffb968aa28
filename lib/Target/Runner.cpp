// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled runner: mixattn-run with an artifact inside.
#include "lib/Target/Runner.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mixattn;

Result<SizedBytes> mixattn::makeRunner(const std::string &runner,
                                       SizedBytes library) {
  auto program = llvm::MemoryBuffer::getFile(runner, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!program)
    return makeError("cannot read the runner '{}': {}", runner,
                     program.getError().message());
  char size[8];
  llvm::support::endian::write64le(size, library.size);
  std::string start = (*program)->getBuffer().str();
  std::string end = std::string(size, sizeof(size)) + "MIXATTN1";
  return SizedBytes{start.size() + library.size + end.size(),
                    [=](const ByteSink &sink) {
                      return sink(start) && library.bytes(sink) && sink(end);
                    }};
}

std::string mixattn::findRunner() {
  llvm::SmallString<128> path("/proc/self/exe");
  llvm::sys::fs::real_path("/proc/self/exe", path);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "mixattn-run");
  return path.str().str();
}
