// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The symbols that an object needs: those of libc, libm and OpenMP, no more.
#include "lib/Target/Imports.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Object/ObjectFile.h"

#include <algorithm>
#include <set>

using namespace mixattn;
using llvm::StringRef;

/// The functions of the C library that generated code may call.
static constexpr StringRef libcFunctions[] = {
    "abort",    "aligned_alloc",  "calloc",  "free",
    "malloc",   "memcmp",         "memcpy",  "memmove",
    "memset",   "posix_memalign", "printf",  "realloc",
    "snprintf", "strlen",         "syscall", "__tls_get_addr"};

/// Those that the launcher of GPU artifacts calls; of libc since glibc 2.34.
static constexpr StringRef launcherFunctions[] = {"dlclose",
                                                  "dlerror",
                                                  "dlopen",
                                                  "dlsym",
                                                  "getenv",
                                                  "pthread_mutex_lock",
                                                  "pthread_mutex_unlock",
                                                  "vsnprintf"};

/// libm's functions of doubles; an `f` after the name makes it one of floats.
static constexpr StringRef libmFunctions[] = {
    "acos",    "acosh",     "asin",      "asinh",    "atan",      "atan2",
    "atanh",   "cbrt",      "ceil",      "copysign", "cos",       "cosh",
    "erf",     "erfc",      "exp",       "exp10",    "exp2",      "expm1",
    "fabs",    "fdim",      "floor",     "fma",      "fmax",      "fmin",
    "fmod",    "frexp",     "hypot",     "ldexp",    "lgamma",    "llrint",
    "llround", "log",       "log10",     "log1p",    "log2",      "lrint",
    "lround",  "modf",      "nearbyint", "pow",      "remainder", "rint",
    "round",   "roundeven", "sin",       "sincos",   "sinh",      "sqrt",
    "tan",     "tanh",      "tgamma",    "trunc"};

static bool isLibmFunction(StringRef name) {
  return llvm::is_contained(libmFunctions, name) ||
         (name.consume_back("f") && llvm::is_contained(libmFunctions, name));
}

static bool isOpenMPFunction(StringRef name) {
  return name.starts_with("__kmpc_") || name.starts_with("omp_");
}

bool mixattn::isImported(StringRef name) {
  return llvm::is_contained(libcFunctions, name) || isLibmFunction(name) ||
         isOpenMPFunction(name);
}

/// Whether `sanitizer` puts calls of that function, or uses of that symbol,
/// into code; the two ends of a section are the linker's.
static bool isSanitizerSymbol(StringRef name, Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::Thread)
    return name.starts_with("__tsan_");
  return sanitizer == Sanitizer::Address &&
         (name.starts_with("__asan_") || name == "__start_asan_globals" ||
          name == "__stop_asan_globals");
}

std::vector<std::string>
mixattn::listUndefinedSymbols(llvm::ArrayRef<std::string> objects) {
  std::set<std::string> used, had;
  for (StringRef object : objects) {
    auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(object, "object")));
    for (const llvm::object::SymbolRef &symbol : file->symbols()) {
      uint32_t flags = llvm::cantFail(symbol.getFlags());
      StringRef name = llvm::cantFail(symbol.getName());
      // The first symbol of every table is undefined and has no name.
      bool isWeak = flags & llvm::object::SymbolRef::SF_Undefined &&
                    flags & llvm::object::SymbolRef::SF_Weak;
      if (!name.empty() && !isWeak)
        (flags & llvm::object::SymbolRef::SF_Undefined ? used : had)
            .insert(name.str());
    }
  }
  std::vector<std::string> names;
  std::set_difference(used.begin(), used.end(), had.begin(), had.end(),
                      std::back_inserter(names));
  return names;
}

Result<std::vector<std::string>>
mixattn::findNeededLibraries(llvm::ArrayRef<std::string> objects,
                             Sanitizer sanitizer) {
  bool needsLibm = false, needsOpenMP = false;
  for (const std::string &name : listUndefinedSymbols(objects)) {
    if (llvm::is_contained(libcFunctions, name) ||
        llvm::is_contained(launcherFunctions, name) ||
        isSanitizerSymbol(name, sanitizer))
      continue;
    if (isLibmFunction(name))
      needsLibm = true;
    else if (isOpenMPFunction(name))
      needsOpenMP = true;
    else
      return makeError(
          "expected symbols of libc, libm and OpenMP only, but got '{}'", name);
  }
  std::vector<std::string> libraries;
  if (needsLibm)
    libraries.push_back("libm.so.6");
  if (needsOpenMP)
    libraries.push_back("libomp.so.5");
  libraries.push_back("libc.so.6");
  return libraries;
}
