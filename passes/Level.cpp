// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of levels.

#include "passes/Level.h"

#include "llvm/ADT/STLExtras.h"

using namespace mixattn;

static constexpr llvm::StringLiteral names[] = {
    "graph", "normal", "planned", "bufferized", "tiled", "llvm"};

llvm::StringRef mixattn::nameOf(Level level) { return names[unsigned(level)]; }

std::optional<Level> mixattn::parseLevel(llvm::StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return Level(found - names);
}
