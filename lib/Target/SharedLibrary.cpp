// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From objects to a shared library, with lld in this process.
#include "lib/Target/SharedLibrary.h"

#include "lib/Target/Imports.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

LLD_HAS_DRIVER(elf)

using namespace mixattn;
using llvm::StringRef;

static Error cannotUse(std::error_code error) {
  return makeError("cannot use a temporary folder: {}", error.message());
}

namespace {
/// A folder for the files that lld reads and writes; goes with its contents
/// when this object goes, or when the process is interrupted.
class TemporaryFolder {
public:
  ~TemporaryFolder() {
    for (const std::string &file : files) {
      llvm::sys::fs::remove(file);
      llvm::sys::DontRemoveFileOnSignal(file);
    }
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }

  Status create() {
    if (std::error_code error =
            llvm::sys::fs::createUniqueDirectory("mixattn", path))
      return cannotUse(error);
    return Success{};
  }

  /// The path of the file `name` in this folder, which may not exist yet.
  std::string add(StringRef name) {
    llvm::SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    files.push_back(file.str().str());
    llvm::sys::RemoveFileOnSignal(file);
    return files.back();
  }

  /// Writes a file `name` into this folder and returns its path.
  Result<std::string> add(StringRef name, StringRef content) {
    std::string file = add(name);
    std::error_code error;
    llvm::raw_fd_ostream stream(file, error);
    if (!error) {
      stream << content;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      return cannotUse(error);
    return file;
  }

private:
  llvm::SmallString<128> path;
  std::vector<std::string> files;
};
} // namespace

/// Runs lld. What it has to say becomes the error's text.
static Status runLld(const std::vector<std::string> &arguments) {
  std::vector<const char *> all = {"ld.lld",
                                   "-m",
                                   "elf_x86_64",
                                   "-shared",
                                   "--threads=1",
                                   "-z",
                                   "now",
                                   "-z",
                                   "noexecstack",
                                   "--hash-style=gnu",
                                   "--build-id=none",
                                   "-Bsymbolic",
                                   "--no-as-needed"};
  for (const std::string &argument : arguments)
    all.push_back(argument.c_str());
  std::string said;
  llvm::raw_string_ostream stream(said);
  lld::Result result =
      lld::lldMain(all, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return Error{"linking failed: " + StringRef(said).trim().str()};
  return Success{};
}

Result<std::string>
mixattn::linkSharedLibrary(llvm::ArrayRef<std::string> objects,
                           Sanitizer sanitizer) {
  auto libraries = findNeededLibraries(objects, sanitizer);
  if (!libraries)
    return libraries.error();
  TemporaryFolder folder;
  if (Status made = folder.create(); !made)
    return made.error();
  auto exports =
      folder.add("exports.map", "{ global: mixattn_*; local: *; };\n");
  if (!exports)
    return exports.error();
  auto nothing = folder.add("nothing.ld", "/* no input */\n");
  if (!nothing)
    return nothing.error();

  // No soname: the loader takes two libraries of one soname for one library,
  // and a program may well hold several artifacts.
  std::string output = folder.add("library.so");
  std::vector<std::string> arguments = {"-o", output,
                                        "--version-script=" + *exports};
  for (auto [number, object] : llvm::enumerate(objects)) {
    auto file = folder.add("object" + std::to_string(number) + ".o", object);
    if (!file)
      return file.error();
    arguments.push_back(*file);
  }
  // An empty library of the right name stands for each library of the system:
  // symbols are looked up when the artifact is loaded.
  for (const std::string &library : *libraries) {
    std::string stub = folder.add(library);
    if (Status made = runLld({"-o", stub, "--soname=" + library, *nothing});
        !made)
      return made.error();
    arguments.push_back(stub);
  }
  if (Status linked = runLld(arguments); !linked)
    return linked.error();
  auto bytes = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return cannotUse(bytes.getError());
  return (*bytes)->getBuffer().str();
}
