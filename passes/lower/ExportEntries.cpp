// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-export-entries: wraps entries in the C ABI.

#include "lib/Runtime/abi.h"
#include "passes/Passes.h"
#include "passes/lower/EntryChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPORTENTRIESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The buffer of a caller's tensor: any strides but the innermost, which is 1.
/// Booleans are bytes.
static MemRefType bufferType(RankedTensorType tensor) {
  Type element = tensor.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(tensor.getContext(), 8);
  if (tensor.getRank() < 2)
    return MemRefType::get(tensor.getShape(), element);
  SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
  strides.back() = 1;
  auto layout = StridedLayoutAttr::get(tensor.getContext(), 0, strides);
  return MemRefType::get(tensor.getShape(), element, layout);
}

static EntryTensor describe(StringRef role, StringAttr name, Type type,
                            ArrayAttr dims, ArrayAttr range) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  unsigned code = isa<BFloat16Type>(element)  ? kDLBfloat
                  : isa<FloatType>(element)   ? kDLFloat
                  : element.isInteger(1)      ? MIXATTN_DL_BOOL
                                              : kDLInt;
  EntryTensor result{(role + " '" + name.getValue() + "'").str(),
                     bufferType(tensor), code,
                     std::max(8u, element.getIntOrFloatBitWidth()), "", dims,
                     range};
  llvm::raw_string_ostream(result.dtype) << element;
  return result;
}

/// i1 from i8 (nonzero is true), or i8 from i1, element by element.
static Value convertBooleans(OpBuilder &b, Location loc, Value tensor,
                             Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, tensor), element);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), tensor, init,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &b, Location loc, ValueRange args) {
               Value value;
               if (element.isInteger(1)) {
                 Value zero = arith::ConstantIntOp::create(b, loc, 0, 8);
                 value = arith::CmpIOp::create(
                     b, loc, arith::CmpIPredicate::ne, args[0], zero);
               } else {
                 value = arith::ExtUIOp::create(b, loc, element, args[0]);
               }
               linalg::YieldOp::create(b, loc, value);
             })
      .getResult(0);
}

/// Rewrites `entry` to read its arguments from buffers and to write its
/// results into buffers; both are the caller's and do not overlap.
static void takeBuffers(func::FuncOp entry, ArrayRef<EntryTensor> tensors) {
  Block &body = entry.getBody().front();
  OpBuilder b(entry.getContext());
  b.setInsertionPointToStart(&body);
  unsigned arguments = entry.getNumArguments();
  SmallVector<Type> types;
  for (const EntryTensor &tensor : tensors)
    types.push_back(tensor.type);

  for (unsigned i = 0; i < arguments; ++i) {
    BlockArgument argument = body.getArgument(i);
    auto type = cast<RankedTensorType>(argument.getType());
    argument.setType(types[i]);
    auto held = RankedTensorType::get(type.getShape(),
                                      tensors[i].type.getElementType());
    auto read = bufferization::ToTensorOp::create(b, entry.getLoc(), held,
                                                  argument, /*restrict=*/true);
    Value value = read;
    if (type.getElementType().isInteger(1))
      value = convertBooleans(b, entry.getLoc(), value, type.getElementType());
    argument.replaceAllUsesExcept(value, read);
  }

  auto returned = cast<func::ReturnOp>(body.getTerminator());
  b.setInsertionPoint(returned);
  for (auto [index, value] : llvm::enumerate(returned.getOperands())) {
    MemRefType type = tensors[arguments + index].type;
    if (cast<RankedTensorType>(value.getType()).getElementType().isInteger(1))
      value = convertBooleans(b, entry.getLoc(), value, type.getElementType());
    Value destination = body.addArgument(type, entry.getLoc());
    auto write = bufferization::MaterializeInDestinationOp::create(
        b, entry.getLoc(), value, destination);
    write.setRestrict(true);
    write.setWritable(true);
  }
  returned->setOperands({});
  entry.removeArgAttrsAttr();
  entry.removeResAttrsAttr();
  entry.setType(FunctionType::get(entry.getContext(), types, {}));
  entry.setPrivate();
  entry->setAttr("llvm.linkage",
                 LLVM::LinkageAttr::get(entry.getContext(),
                                        LLVM::Linkage::Internal));
}

static void exportEntry(ModuleOp module, func::FuncOp entry) {
  SmallVector<EntryTensor> tensors;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    tensors.push_back(
        describe("argument", entry.getArgAttrOfType<StringAttr>(i, "attn.name"),
                 entry.getArgumentTypes()[i],
                 entry.getArgAttrOfType<ArrayAttr>(i, "attn.dims"),
                 entry.getArgAttrOfType<ArrayAttr>(i, "attn.range")));
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    tensors.push_back(
        describe("result", entry.getResultAttrOfType<StringAttr>(i, "attn.name"),
                 entry.getResultTypes()[i],
                 entry.getResultAttrOfType<ArrayAttr>(i, "attn.dims"), {}));
  takeBuffers(entry, tensors);

  OpBuilder b(entry);
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type = b.getFunctionType({ptr, b.getI32Type(), ptr}, b.getI32Type());
  auto wrapper = func::FuncOp::create(
      b, entry.getLoc(), ("mixattn_" + entry.getName()).str(), type);
  EntryChecks checks(module, wrapper);
  checks.checkCall(tensors.size());
  SmallVector<Value> buffers;
  for (auto [index, tensor] : llvm::enumerate(tensors))
    buffers.push_back(checks.readTensor(index, tensor));
  for (auto [index, tensor] : llvm::enumerate(tensors))
    checks.checkRange(index, tensor, buffers[index]);
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
    SmallVector<func::FuncOp> entries;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        entries.push_back(function);
    if (entries.empty())
      return;
    std::string first = entries.front().getName().str();
    for (func::FuncOp entry : entries)
      exportEntry(module, entry);
    exportManifest(module, manifest, first);
  }
};

} // namespace
