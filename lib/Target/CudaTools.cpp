// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's tools: ptxas makes cubins, fatbinary makes one file of several.
#include "lib/Target/CudaTools.h"

#include "lib/Target/TemporaryFolder.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mixattn;
using llvm::StringRef;

Result<std::string> CudaTools::find(StringRef name) const {
  auto in = [&](StringRef toolkit) {
    llvm::SmallString<128> binaries(toolkit);
    llvm::sys::path::append(binaries, "bin");
    return llvm::sys::findProgramByName(name, {toolkit, binaries});
  };
  const char *home = std::getenv("CUDA_HOME");
  std::string toolkit = !folder.empty() ? folder : home ? home : "";
  if (!toolkit.empty())
    if (auto found = in(toolkit))
      return *found;
  if (folder.empty())
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  std::string places =
      folder.empty() ? "CUDA_HOME and PATH have" : "'" + folder + "' has";
  return makeError("expected NVIDIA's tool '{}', but {} none: name the folder "
                   "of a CUDA toolkit with '--cuda-path', or take .ptx, which "
                   "needs no tool",
                   name.str(), places);
}

/// Runs the program `tool`. What it has to say becomes the error's text.
static Status run(TemporaryFolder &folder, const std::string &tool,
                  const std::vector<std::string> &arguments) {
  llvm::SmallVector<StringRef> all = {tool};
  all.append(arguments.begin(), arguments.end());
  std::string said = folder.add("said");
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(said),
                                          StringRef(said)};
  std::string error;
  int code = llvm::sys::ExecuteAndWait(tool, all, /*Env=*/std::nullopt,
                                       redirects, /*SecondsToWait=*/0,
                                       /*MemoryLimit=*/0, &error);
  if (code == 0)
    return Success{};
  auto text = TemporaryFolder::read(said);
  StringRef reason = error;
  if (text && reason.empty())
    reason = StringRef(*text).trim().split('\n').first;
  return makeError("'{}' failed: {}", tool, reason.str());
}

Result<std::string> CudaTools::assemble(StringRef ptx, StringRef chip) const {
  auto tool = find("ptxas");
  if (!tool)
    return tool.error();
  TemporaryFolder folder;
  if (Status made = folder.create(); !made)
    return made.error();
  auto text = folder.add("kernels.ptx", ptx);
  if (!text)
    return text.error();
  std::string cubin = folder.add("kernels.cubin");
  if (Status done =
          run(folder, *tool, {"-arch=" + chip.str(), *text, "-o", cubin});
      !done)
    return done.error();
  return TemporaryFolder::read(cubin);
}

Result<std::string> CudaTools::join(llvm::ArrayRef<GpuCode> codes) const {
  auto tool = find("fatbinary");
  if (!tool)
    return tool.error();
  TemporaryFolder folder;
  if (Status made = folder.create(); !made)
    return made.error();
  std::string joined = folder.add("kernels.fatbin");
  std::vector<std::string> arguments = {"--create=" + joined, "--64"};
  for (const GpuCode &code : codes) {
    bool isPtx = code.kind == GpuCode::Kind::Ptx;
    auto file = folder.add(code.chip + (isPtx ? ".ptx" : ".cubin"), code.bytes);
    if (!file)
      return file.error();
    StringRef number = StringRef(code.chip).drop_front(strlen("sm_"));
    arguments.push_back(std::string("--image3=kind=") +
                        (isPtx ? "ptx" : "elf") + ",sm=" + number.str() +
                        ",file=" + *file);
  }
  if (Status done = run(folder, *tool, arguments); !done)
    return done.error();
  return TemporaryFolder::read(joined);
}
