// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a library under TVM FFI's calling convention, as LLVM IR.
#include "lib/Target/FfiObjects.h"

#include "lib/Runtime/Manifest.h"
#include "lib/Target/HeldObject.h"
#include "lib/Target/Object.h"
#include "lib/Target/TableConstants.h"

#include "llvm/IR/IRBuilder.h"

using namespace mixattn;

MIXATTN_HELD_OBJECT(ffi, MIXATTN_FFI)

namespace {

/// Writes a function for each entry, and its mixattn_ffi_entry.
class FfiWriter : TableConstants {
public:
  using TableConstants::TableConstants;

  void add(const Entry &entry);

private:
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::Type *i32 = llvm::Type::getInt32Ty(context);
};

} // namespace

void FfiWriter::add(const Entry &entry) {
  llvm::Function *call =
      declare("mixattn_" + entry.name, i32, {pointer, i32, pointer});
  // Code that was not made from an entry's op may lack it.
  llvm::Function *workspace = declare("mixattn_workspace_" + entry.name, i32,
                                      {pointer, i32, pointer, pointer});
  workspace->setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
  Constants names;
  for (const auto *list : {&entry.arguments, &entry.results})
    for (const Parameter &each : *list)
      names.push_back(text(each.name));
  llvm::Constant *row = pointerTo(structOf(
      {call, workspace, listOf(names), narrow(int64_t(names.size()))}));

  llvm::Function *callee =
      declare("mixattn_ffi_call", i32, {pointer, pointer, i32});
  callee->setVisibility(llvm::GlobalValue::HiddenVisibility);
  // TVMFFISafeCallType: a handle, values, their number, the result, which stays
  // nothing.
  llvm::Function *function =
      declare("__tvm_ffi_" + entry.name, i32, {pointer, pointer, i32, pointer});
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", function));
  b.CreateRet(
      b.CreateCall(callee, {row, function->getArg(1), function->getArg(2)}));
}

std::vector<std::string> mixattn::makeFfiObjects(const Manifest &manifest) {
  llvm::LLVMContext context;
  llvm::Module module("mixattn_ffi", context);
  FfiWriter writer(module);
  for (const Entry &entry : manifest.entries)
    writer.add(entry);
  return {emitObject(module), ffi().str()};
}
