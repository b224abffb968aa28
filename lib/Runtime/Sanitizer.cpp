// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of sanitizers, and the runtime that each of them needs.
#include "lib/Runtime/Sanitizer.h"
#include <dlfcn.h>

using namespace mixattn;

std::string_view mixattn::nameOf(Sanitizer sanitizer) {
  switch (sanitizer) {
  case Sanitizer::None:
    return "none";
  case Sanitizer::Address:
    return "address";
  case Sanitizer::Thread:
    return "thread";
  }
  return "none";
}

std::optional<Sanitizer> mixattn::sanitizerNamed(std::string_view name) {
  for (Sanitizer known :
       {Sanitizer::None, Sanitizer::Address, Sanitizer::Thread})
    if (nameOf(known) == name)
      return known;
  return std::nullopt;
}

Status mixattn::checkSanitizer(Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::None)
    return Success();
  bool isAddress = sanitizer == Sanitizer::Address;
  if (dlsym(RTLD_DEFAULT, isAddress ? "__asan_init" : "__tsan_init"))
    return Success();
  const char *runtime = isAddress ? "asan" : "tsan";
  return makeError("made with '--sanitize={}', but this process lacks that "
                   "sanitizer's runtime; run it with LD_PRELOAD=$(clang-22 "
                   "-print-file-name=libclang_rt.{}-x86_64.so), or with a "
                   "mixattn-run built with MIXATTN_SANITIZE={}",
                   nameOf(sanitizer), runtime, nameOf(sanitizer));
}
