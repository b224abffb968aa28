// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file that a compilation leaves when it fails through no fault of its
// input: mixattn-opt repeats the failure with it.
#include "tools/mixattn-compile/Reproducer.h"

#include "lib/Runtime/TemporaryFiles.h"
#include "mixattn/Version.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace mixattn;

/// The compilation in progress.
static const Reproducer *current = nullptr;

/// Writes with the system's calls only: the process may have crashed inside
/// malloc.
static bool writeAll(int file, const char *data, size_t size) {
  while (size > 0) {
    ssize_t done = ::write(file, data, size);
    if (done <= 0)
      return false;
    data += done;
    size -= done;
  }
  return true;
}

/// Ends a process that cannot go on, without the outputs that it has begun.
static void stop(const char *reason) {
  removeTemporaryFiles();
  if (current)
    current->report(reason);
  ::_exit(1);
}

Reproducer::Reproducer(std::string source, const std::string &output)
    : source(std::move(source)) {
  llvm::SmallString<128> name(output == "-" ? "mixattn" : output);
  llvm::sys::path::replace_extension(name, "reproducer.mlir");
  path = name.str().str();
  current = this;
  [[maybe_unused]] static bool once = [] {
    llvm::sys::AddSignalHandler([](void *) { stop("the process crashed"); },
                                nullptr);
    llvm::install_fatal_error_handler(
        [](void *, const char *reason, bool) { stop(reason); });
    // LLVM counts it among crashes; here the write fails, and says why.
    std::signal(SIGXFSZ, SIG_IGN);
    return true;
  }();
}

Reproducer::~Reproducer() { current = nullptr; }

void Reproducer::setPipeline(const std::string &pipeline) {
  ending = "\n// mixattn-compile " MIXATTN_VERSION " failed on this; "
           "`mixattn-opt --run-reproducer FILE` repeats the passes.\n"
           "{-#\n  external_resources: {\n    mlir_reproducer: {\n"
           "      pipeline: \"";
  llvm::raw_string_ostream stream(ending);
  llvm::printEscapedString(pipeline, stream);
  ending += "\",\n      disable_threading: true,\n      verify_each: true\n"
            "    }\n  }\n#-}\n";
}

void Reproducer::report(const std::string &reason) const {
  int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  bool isWritten = file >= 0 && writeAll(file, source.data(), source.size()) &&
                   writeAll(file, ending.data(), ending.size());
  if (file >= 0)
    ::close(file);
  auto say = [](llvm::StringRef text) {
    writeAll(STDERR_FILENO, text.data(), text.size());
  };
  say("mixattn-compile: error: internal failure: ");
  say(reason);
  say(isWritten ? "; what repeats it is in '" : "; cannot write '");
  say(path);
  say("'\n");
}
