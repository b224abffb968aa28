// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a library that holds code for several targets, as LLVM IR.
#include "lib/Target/DispatchObjects.h"

#include "lib/Runtime/CpuFeatures.h"
#include "lib/Target/HeldObject.h"
#include "lib/Target/Object.h"
#include "lib/Target/TableConstants.h"

#include "llvm/IR/IRBuilder.h"

using namespace mixattn;

MIXATTN_HELD_OBJECT(dispatch, MIXATTN_DISPATCH)

namespace {

/// Writes the functions of each entry, and its mixattn_targets.
class DispatchWriter : TableConstants {
public:
  using TableConstants::holdManifest;

  DispatchWriter(llvm::Module &module, const Manifest &manifest)
      : TableConstants(module), manifest(manifest) {}

  void add(const Entry &entry);

private:
  /// A function of the ABI, by the parts of its name: `NAME`, `workspace_NAME`
  /// and `prepare_NAME` come after `mixattn_`.
  struct Kind {
    std::string prefix;
    llvm::SmallVector<llvm::Type *> parameters;
  };

  /// The three of the entry's code whose names begin with `prefix`.
  llvm::Constant *codeOf(const Entry &entry, llvm::StringRef prefix);
  /// The answers of a machine that runs code for `cpu`.
  Constants featuresOf(const Target &cpu);
  llvm::Constant *versionsOf(const Entry &entry);

  const Manifest &manifest;
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::Type *i32 = llvm::Type::getInt32Ty(context);
  Kind kinds[3] = {{"", {pointer, i32, pointer}},
                   {"workspace_", {pointer, i32, pointer, pointer}},
                   {"prepare_", {i32, pointer}}};
};

} // namespace

std::string mixattn::hostPrefix(size_t number) {
  return "host" + (number ? std::to_string(number) : "") + ".";
}

/// The CPUs that there is code for.
static std::vector<Target> cpusOf(const Manifest &manifest) {
  return manifest.versions.empty() ? std::vector{manifest.target}
                                   : manifest.versions;
}

llvm::Constant *DispatchWriter::codeOf(const Entry &entry,
                                       llvm::StringRef prefix) {
  Constants functions;
  for (const Kind &kind : kinds)
    functions.push_back(
        declare(prefix.str() + "mixattn_" + kind.prefix + entry.name, i32,
                kind.parameters));
  return structOf(functions);
}

TableConstants::Constants DispatchWriter::featuresOf(const Target &cpu) {
  Constants features;
  for (const std::string &feature : cpu.features) {
    auto answers = answersWith(feature);
    for (const CpuAnswer &answer : *answers)
      features.push_back(structOf(
          {text(feature), narrow(answer.leaf), narrow(answer.subleaf),
           narrow(answer.reg), narrow(answer.mask), narrow(answer.least),
           narrow(answer.state)}));
  }
  return features;
}

llvm::Constant *DispatchWriter::versionsOf(const Entry &entry) {
  Constants versions;
  for (const auto &[number, cpu] : llvm::enumerate(cpusOf(manifest))) {
    // Of one alone nobody asks.
    Constants features;
    if (!manifest.versions.empty())
      features = featuresOf(cpu);
    versions.push_back(
        structOf({text(cpu.cpu), codeOf(entry, hostPrefix(number)),
                  listOf(features), wide(int64_t(features.size()))}));
  }
  return listOf(versions);
}

void DispatchWriter::add(const Entry &entry) {
  Constants titles;
  for (const Parameter &each : entry.arguments)
    titles.push_back(text("argument '" + each.name + "'"));
  for (const Parameter &each : entry.results)
    titles.push_back(text("result '" + each.name + "'"));
  llvm::Constant *row = pointerTo(
      structOf({versionsOf(entry), wide(int64_t(cpusOf(manifest).size())),
                manifest.gpu ? pointerTo(codeOf(entry, cudaPrefix)) : null(),
                listOf(titles), wide(int64_t(titles.size())), memory(1, i32)}));
  constexpr const char *callees[] = {"call", "workspace", "prepare"};
  for (auto [kind, name] : llvm::zip(kinds, callees))
    forward("mixattn_" + kind.prefix + entry.name,
            std::string("mixattn_dispatch_") + name, {row}, kind.parameters);
  if (!manifest.versions.empty())
    forward("mixattn_version_" + entry.name, "mixattn_dispatch_version", {row},
            {pointer});
}

std::vector<std::string>
mixattn::makeDispatchObjects(const Manifest &manifest,
                             llvm::StringRef manifestText) {
  llvm::LLVMContext context;
  llvm::Module module("mixattn_dispatch", context);
  DispatchWriter writer(module, manifest);
  for (const Entry &entry : manifest.entries)
    writer.add(entry);
  writer.holdManifest(manifest.entries.front().name, manifestText);
  return {emitObject(module), dispatch().str()};
}
