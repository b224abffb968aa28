// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a library that holds code for a CPU and for GPUs, as LLVM IR.
#include "lib/Target/DispatchObjects.h"

#include "lib/Runtime/Manifest.h"
#include "lib/Target/HeldObject.h"
#include "lib/Target/Object.h"
#include "lib/Target/TableConstants.h"

#include "llvm/IR/IRBuilder.h"

using namespace mixattn;

MIXATTN_HELD_OBJECT(dispatch, MIXATTN_DISPATCH)

namespace {

/// Writes the three functions of each entry, and its mixattn_both.
class DispatchWriter : TableConstants {
public:
  using TableConstants::holdManifest;
  using TableConstants::TableConstants;

  void add(const Entry &entry);

private:
  /// A function of the ABI, by the parts of its name: `NAME`, `workspace_NAME`
  /// and `prepare_NAME` come after `mixattn_`.
  struct Kind {
    std::string prefix;
    llvm::SmallVector<llvm::Type *> parameters;
  };

  /// The three of the entry's code whose names begin with `prefix`.
  llvm::Constant *halfOf(const Entry &entry, llvm::StringRef prefix);

  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::Type *i32 = llvm::Type::getInt32Ty(context);
  Kind kinds[3] = {{"", {pointer, i32, pointer}},
                   {"workspace_", {pointer, i32, pointer, pointer}},
                   {"prepare_", {i32, pointer}}};
};

} // namespace

llvm::Constant *DispatchWriter::halfOf(const Entry &entry,
                                       llvm::StringRef prefix) {
  Constants functions;
  for (const Kind &kind : kinds)
    functions.push_back(
        declare(prefix.str() + "mixattn_" + kind.prefix + entry.name, i32,
                kind.parameters));
  return structOf(functions);
}

void DispatchWriter::add(const Entry &entry) {
  Constants titles;
  for (const Parameter &each : entry.arguments)
    titles.push_back(text("argument '" + each.name + "'"));
  for (const Parameter &each : entry.results)
    titles.push_back(text("result '" + each.name + "'"));
  llvm::Constant *row =
      pointerTo(structOf({halfOf(entry, hostPrefix), halfOf(entry, cudaPrefix),
                          listOf(titles), narrow(int64_t(titles.size()))}));
  constexpr const char *callees[] = {"call", "workspace", "prepare"};
  for (auto [kind, name] : llvm::zip(kinds, callees))
    forward("mixattn_" + kind.prefix + entry.name,
            std::string("mixattn_dispatch_") + name, {row}, kind.parameters);
}

std::vector<std::string>
mixattn::makeDispatchObjects(const Manifest &manifest,
                             llvm::StringRef manifestText) {
  llvm::LLVMContext context;
  llvm::Module module("mixattn_dispatch", context);
  DispatchWriter writer(module);
  for (const Entry &entry : manifest.entries)
    writer.add(entry);
  writer.holdManifest(manifest.entries.front().name, manifestText);
  return {emitObject(module), dispatch().str()};
}
