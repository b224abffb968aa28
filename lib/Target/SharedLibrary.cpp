// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From objects to a shared library, with lld in this process.
#include "lib/Target/SharedLibrary.h"

#include "lib/Target/Imports.h"
#include "lib/Target/TemporaryFolder.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

using namespace mixattn;
using llvm::StringRef;

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
  auto exports = folder.add("exports.map",
                            "{ global: mixattn_*; __tvm_ffi_*; local: *; };\n");
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
  // No more than twice the objects: a few pages, and their tables once more.
  uint64_t bytes = 64 << 10;
  for (const std::string &object : objects)
    bytes += 2 * object.size();
  if (Status hasRoom = folder.reserve(bytes); !hasRoom)
    return hasRoom.error();
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
  return TemporaryFolder::read(output);
}
