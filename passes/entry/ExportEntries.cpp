// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-export-entries: wraps entries in the C ABI.

#include "lib/Runtime/abi.h"
#include "passes/Passes.h"
#include "passes/entry/Entries.h"
#include "passes/entry/EntryQueries.h"
#include "passes/entry/Workspace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPORTENTRIESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The memory that `entry` takes besides tensors, as its last arguments.
static SmallVector<CallField> memoryOf(func::FuncOp entry) {
  SmallVector<CallField> fields;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    if (entry.getArgAttr(i, "attn.packed"))
      fields.push_back(CallField::Packed);
    if (entry.getArgAttr(i, "attn.workspace"))
      fields.push_back(CallField::Workspace);
  }
  return fields;
}

/// How many arguments of `entry` are tensors.
static unsigned numTensors(func::FuncOp entry) {
  return entry.getNumArguments() - memoryOf(entry).size();
}

/// Whether every argument of `entry` is a buffer with names, as
/// attn-take-buffers leaves them.
static bool takesNamedBuffers(func::FuncOp entry) {
  llvm::StringSet<> dims;
  for (unsigned i = 0; i < numTensors(entry); ++i) {
    auto type = dyn_cast<MemRefType>(entry.getArgumentTypes()[i]);
    auto names = entry.getArgAttrOfType<ArrayAttr>(i, "attn.dims");
    if (!type || !entry.getArgAttrOfType<StringAttr>(i, "attn.name") ||
        (type.getNumDynamicDims() != 0 && !names))
      return false;
    auto tensor = RankedTensorType::get(type.getShape(), type.getElementType());
    if (!isEntryType(tensor) || type != getEntryBuffer(tensor))
      return false;
    for (Attribute name : names ? names.getValue() : ArrayRef<Attribute>())
      dims.insert(cast<StringAttr>(name).getValue());
  }
  for (unsigned i = 0; i < numTensors(entry); ++i)
    for (Attribute bound : getValueBounds(entry, i))
      if (auto name = dyn_cast<StringAttr>(bound);
          name && !dims.contains(name.getValue()))
        return false;
  return entry.getNumResults() == 0;
}

static EntryTensor describe(func::FuncOp entry, unsigned index) {
  auto type = cast<MemRefType>(entry.getArgumentTypes()[index]);
  Type element = type.getElementType();
  bool isBoolean = entry.getArgAttr(index, "attn.boolean") != nullptr;
  bool isResult = entry.getArgAttr(index, "attn.result") != nullptr;
  StringRef name =
      entry.getArgAttrOfType<StringAttr>(index, "attn.name").getValue();

  EntryTensor result;
  result.title = ((isResult ? "result '" : "argument '") + name + "'").str();
  result.type = type;
  DLDataTypeCode code = isa<BFloat16Type>(element) ? kDLBfloat
                        : isa<FloatType>(element)  ? kDLFloat
                                                   : kDLInt;
  result.code = isBoolean ? MIXATTN_DL_BOOL : static_cast<uint32_t>(code);
  result.bits = element.getIntOrFloatBitWidth();
  llvm::raw_string_ostream(result.dtype)
      << (isBoolean ? IntegerType::get(entry.getContext(), 1) : element);
  result.isWritten =
      isResult || entry.getArgAttr(index, "attn.updates") != nullptr;
  result.dims = entry.getArgAttrOfType<ArrayAttr>(index, "attn.dims");
  result.range = entry.getArgAttrOfType<ArrayAttr>(index, "attn.range");
  result.holds = entry.getArgAttrOfType<DictionaryAttr>(index, "attn.holds");
  return result;
}

/// Makes `mixattn_NAME` for entry NAME, which becomes private and gets a name
/// that no C program has.
static void exportEntry(ModuleOp module, func::FuncOp entry) {
  OpBuilder b(entry);
  std::string name = entry.getName().str();
  entry.setName(name + ".kernel");
  entry.setPrivate();
  // Checks and computation stay apart: attn-check-allocations finds the kernel.
  entry.setNoInline(true);
  entry->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                     b.getContext(), LLVM::Linkage::Internal));

  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type = b.getFunctionType({ptr, b.getI32Type(), ptr}, b.getI32Type());
  auto wrapper =
      func::FuncOp::create(b, entry.getLoc(), "mixattn_" + name, type);
  DimRules rules = getDimRules(entry);
  EntryChecks checks(module, wrapper, rules);
  SmallVector<EntryTensor> tensors;
  for (unsigned i = 0; i < numTensors(entry); ++i)
    tensors.push_back(describe(entry, i));
  SmallVector<CallField> memory = memoryOf(entry);
  auto bytes = module.lookupSymbol<func::FuncOp>(getBytesFunctionName(name));
  entry.removeArgAttrsAttr();
  entry->removeAttr("attn.sizes");
  exportWorkspaceQuery(b, module, entry.getLoc(), name, tensors, rules, bytes);
  exportPreparation(b, module, entry.getLoc(), name);

  checks.checkCall();
  checks.checkCount(tensors.size());
  checks.checkMachine();
  SmallVector<Value> buffers;
  for (auto [index, tensor] : llvm::enumerate(tensors))
    buffers.push_back(checks.readTensor(index, tensor));
  checks.checkComputedDims();
  for (auto [index, tensor] : llvm::enumerate(tensors))
    checks.checkValues(index, tensor, buffers[index]);
  for (CallField field : memory)
    buffers.push_back(checks.readMemory(field));
  ImplicitLocOpBuilder &body = checks.builder();
  func::CallOp::create(body, entry, buffers);
  Value zero = arith::ConstantOp::create(body, body.getI32IntegerAttr(0));
  func::ReturnOp::create(body, zero);
}

/// The manifest as a symbol, so that a program which links the artifact finds
/// it, in a section, so that a reader need not load the artifact.
static void exportManifest(ModuleOp module, StringAttr manifest,
                           StringRef firstEntry) {
  OpBuilder b(module.getBodyRegion());
  std::string text = manifest.str();
  text.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), text.size());
  auto global = LLVM::GlobalOp::create(
      b, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::External,
      ("mixattn_manifest_of_" + firstEntry).str(), b.getStringAttr(text));
  global.setSection(".mixattn.manifest");
}

namespace {

struct ExportEntriesPass
    : mixattn::impl::ExportEntriesPassBase<ExportEntriesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto manifest = module->getAttrOfType<StringAttr>("attn.manifest");
    if (!manifest) {
      emitError(module.getLoc(), "expected 'attn.manifest' on the module");
      return signalPassFailure();
    }
    SmallVector<func::FuncOp> entries = getEntries(module);
    if (entries.empty())
      return;
    for (func::FuncOp entry : entries)
      if (!takesNamedBuffers(entry)) {
        entry.emitError("expected entry '")
            << entry.getName() << "' to take buffers with names";
        return signalPassFailure();
      }
    exportManifest(module, manifest, entries.front().getName());
    for (func::FuncOp entry : entries)
      exportEntry(module, entry);
  }
};

} // namespace
