// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts a module of LLVM IR into parts, and compiles them on all threads.
#include "lib/Target/Parts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <map>

using namespace mixattn;
using llvm::GlobalValue;

static constexpr size_t instructionsOfPart = 4000;
static constexpr size_t mostParts = 8;

unsigned mixattn::countParts(const llvm::Module &code) {
  size_t parts = code.getInstructionCount() / instructionsOfPart;
  return std::clamp<size_t>(parts, 1, mostParts);
}

/// Whether each part that reads `value` has it: numbers that code may know.
static bool isOfEachPart(const GlobalValue &value) {
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
  return variable && variable->isConstant() && variable->hasLocalLinkage();
}

/// Lets parts name what only the module could, and keep what only others use.
static void shareNames(llvm::Module &code) {
  for (GlobalValue &value : code.global_values()) {
    bool isOwn = value.hasLocalLinkage() || value.hasLinkOnceLinkage();
    if (!isOwn || isOfEachPart(value))
      continue;
    value.setLinkage(GlobalValue::ExternalLinkage);
    value.setVisibility(GlobalValue::HiddenVisibility);
    if (!value.hasName())
      value.setName("part");
  }
}

/// The part of each function: large ones first, each to the part that has the
/// fewest instructions.
static llvm::DenseMap<const GlobalValue *, unsigned>
assignFunctions(const llvm::Module &code, unsigned count) {
  // Of equal size, in the order of the text.
  std::multimap<size_t, const llvm::Function *, std::greater<>> functions;
  for (const llvm::Function &function : code)
    if (!function.isDeclaration())
      functions.emplace(function.getInstructionCount(), &function);
  llvm::DenseMap<const GlobalValue *, unsigned> parts;
  std::vector<size_t> sizes(count);
  for (auto [size, function] : functions) {
    auto least = llvm::min_element(sizes);
    *least += size;
    parts[function] = unsigned(least - sizes.begin());
  }
  return parts;
}

/// Removes what `part` neither uses nor gives to others.
static void dropUnused(llvm::Module &part) {
  auto drop = [](auto &&values) {
    for (auto &value : llvm::make_early_inc_range(values))
      if (value.use_empty() && (value.isDeclaration() || isOfEachPart(value)))
        value.eraseFromParent();
  };
  drop(part.functions());
  drop(part.globals());
}

std::vector<std::string>
mixattn::compileParts(llvm::Module &code, unsigned count,
                      llvm::function_ref<std::string(llvm::Module &)> compile) {
  shareNames(code);
  auto parts = assignFunctions(code, count);
  std::vector<std::string> compiled(count);
  llvm::DefaultThreadPool threads;
  for (unsigned number = 0; number < count; ++number) {
    llvm::ValueToValueMapTy map;
    std::unique_ptr<llvm::Module> part =
        llvm::CloneModule(code, map, [&](const GlobalValue *value) {
          return isOfEachPart(*value) || parts.lookup(value) == number;
        });
    dropUnused(*part);
    // Threads share no context: each reads its part anew.
    llvm::SmallString<0> bytes;
    llvm::raw_svector_ostream stream(bytes);
    llvm::WriteBitcodeToFile(*part, stream);
    threads.async([&, number, bytes = std::move(bytes)] {
      llvm::LLVMContext context;
      auto own = llvm::cantFail(llvm::parseBitcodeFile(
          llvm::MemoryBufferRef(bytes, code.getModuleIdentifier()), context));
      compiled[number] = compile(*own);
    });
  }
  threads.wait();
  return compiled;
}
