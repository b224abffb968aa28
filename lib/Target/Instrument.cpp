// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code whose memory accesses a sanitizer watches.
#include "lib/Target/Instrument.h"
#include "lib/Target/ModuleAnalyses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"

using namespace mixattn;

namespace {
/// An access of several lanes.
struct WideAccess {
  llvm::Instruction *instruction;
  llvm::Value *pointer;
  llvm::Type *type;
  bool isWrite;
  /// Which lanes are accessed; null: all.
  llvm::Value *mask = nullptr;
};
} // namespace

/// The access of `each`, if LLVM's thread sanitizer does not see it: one of
/// vectors of more than 128 bits, or one with a mask.
static std::optional<WideAccess>
findWideAccess(llvm::Instruction &each, const llvm::DataLayout &layout) {
  auto isWide = [&](llvm::Type *type) {
    return layout.getTypeStoreSizeInBits(type).getFixedValue() > 128;
  };
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&each))
    if (isWide(load->getType()))
      return WideAccess{load, load->getPointerOperand(), load->getType(),
                        /*isWrite=*/false};
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&each)) {
    llvm::Type *type = store->getValueOperand()->getType();
    if (isWide(type))
      return WideAccess{store, store->getPointerOperand(), type,
                        /*isWrite=*/true};
  }
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
  if (!call)
    return std::nullopt;
  switch (call->getIntrinsicID()) {
  case llvm::Intrinsic::masked_load:
  case llvm::Intrinsic::masked_gather:
    return WideAccess{call, call->getArgOperand(0), call->getType(),
                      /*isWrite=*/false, call->getArgOperand(1)};
  case llvm::Intrinsic::masked_store:
  case llvm::Intrinsic::masked_scatter:
    return WideAccess{call, call->getArgOperand(1),
                      call->getArgOperand(0)->getType(), /*isWrite=*/true,
                      call->getArgOperand(2)};
  default:
    return std::nullopt;
  }
}

/// Tells the thread sanitizer of `access`.
static void report(const WideAccess &access, const llvm::DataLayout &layout) {
  llvm::IRBuilder<> b(access.instruction);
  llvm::Module &code = *access.instruction->getModule();
  llvm::FunctionCallee range = code.getOrInsertFunction(
      access.isWrite ? "__tsan_write_range" : "__tsan_read_range",
      b.getVoidTy(), b.getPtrTy(), b.getInt64Ty());
  auto bytes = [&](llvm::Type *type) {
    return b.getInt64(layout.getTypeStoreSize(type).getFixedValue());
  };
  if (!access.mask) {
    b.CreateCall(range, {access.pointer, bytes(access.type)});
    return;
  }
  auto *lanes = llvm::cast<llvm::FixedVectorType>(access.type);
  llvm::Value *element = bytes(lanes->getElementType());
  llvm::Type *bits = b.getIntNTy(lanes->getNumElements());
  llvm::Value *mask = b.CreateBitCast(access.mask, bits);
  if (access.pointer->getType()->isVectorTy()) {
    for (unsigned i = 0; i < lanes->getNumElements(); ++i) {
      llvm::Value *isOn =
          b.CreateZExt(b.CreateExtractElement(access.mask, i), b.getInt64Ty());
      b.CreateCall(range, {b.CreateExtractElement(access.pointer, i),
                           b.CreateMul(isOn, element)});
    }
    return;
  }
  llvm::Value *first =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask, b.getInt1(false));
  llvm::Value *count = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask);
  auto scaled = [&](llvm::Value *value) {
    return b.CreateMul(b.CreateZExt(value, b.getInt64Ty()), element);
  };
  b.CreateCall(range,
               {b.CreateGEP(b.getInt8Ty(), access.pointer, scaled(first)),
                scaled(count)});
}

static void reportWideAccesses(llvm::Module &code) {
  const llvm::DataLayout &layout = code.getDataLayout();
  std::vector<WideAccess> found;
  for (llvm::Function &function : code)
    for (llvm::Instruction &each : llvm::instructions(function))
      if (auto access = findWideAccess(each, layout))
        found.push_back(*access);
  for (const WideAccess &access : found)
    report(access, layout);
}

/// Keeps sanitizers from changing texts that others read out of the file.
static void keepSections(llvm::Module &code) {
  for (llvm::GlobalVariable &global : code.globals())
    if (global.hasSection()) {
      llvm::GlobalVariable::SanitizerMetadata data;
      data.NoAddress = true;
      global.setSanitizerMetadata(data);
    }
}

void mixattn::instrument(llvm::Module &code, llvm::TargetMachine &generator,
                         Sanitizer sanitizer) {
  if (sanitizer == Sanitizer::None)
    return;
  bool isAddress = sanitizer == Sanitizer::Address;
  for (llvm::Function &function : code)
    if (!function.isDeclaration()) {
      function.addFnAttr(isAddress ? llvm::Attribute::SanitizeAddress
                                   : llvm::Attribute::SanitizeThread);
      // Or it is told of the way out that an exception takes.
      function.setDoesNotThrow();
    }
  llvm::ModulePassManager passes;
  if (isAddress) {
    keepSections(code);
    // Checks in place would make compiling several times as long.
    llvm::AddressSanitizerOptions options;
    options.InstrumentationWithCallsThreshold = 0;
    passes.addPass(llvm::AddressSanitizerPass(options));
  } else {
    reportWideAccesses(code);
    passes.addPass(llvm::ModuleThreadSanitizerPass());
    passes.addPass(
        createModuleToFunctionPassAdaptor(llvm::ThreadSanitizerPass()));
  }
  ModuleAnalyses(generator).run(passes, code);
}
