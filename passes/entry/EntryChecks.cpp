// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the checks of an entry of the C ABI.

#include "passes/entry/EntryChecks.h"

#include "lib/Runtime/abi.h"
#include "passes/entry/EntryReport.h"
#include "passes/entry/EntryValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mixattn;

/// Fields of DLTensor, in order: data, device, ndim, dtype, shape, strides,
/// byte_offset.
enum TensorField { kData, kDevice, kRank, kDtype, kShape, kStrides, kOffset };

static LLVM::LLVMStructType structOf(MLIRContext *context,
                                     ArrayRef<Type> fields) {
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

static LLVM::LLVMStructType tensorType(OpBuilder &b) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type();
  Type device = structOf(b.getContext(), {i32, i32});
  // DLDataType as one word: code, bits, lanes from the lowest byte up.
  return structOf(b.getContext(),
                  {ptr, device, i32, i32, ptr, ptr, b.getI64Type()});
}

EntryChecks::EntryChecks(ModuleOp module, func::FuncOp wrapper, DimRules rules)
    : module(module), function(wrapper),
      b(wrapper.getLoc(), wrapper.getContext()), rules(std::move(rules)) {
  b.setInsertionPointToStart(wrapper.addEntryBlock());
  call = wrapper.getArguments().back();
}

Value EntryChecks::i64(int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

Value EntryChecks::i32(int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

Value EntryChecks::same(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
}

Block *EntryChecks::branch(Value holds) {
  Block *pass = b.createBlock(&function.getBody());
  Block *fail = b.createBlock(&function.getBody());
  b.setInsertionPointToEnd(holds.getParentBlock());
  cf::CondBranchOp::create(b, holds, pass, fail);
  b.setInsertionPointToEnd(fail);
  return pass;
}

void EntryChecks::require(Value holds, const Twine &format,
                          ValueRange numbers) {
  if (isChecked)
    return;
  Block *pass = branch(holds);
  emitReport(b, module, function.getName() + ".message." + Twine(messages++),
             call, title, format, numbers);
  func::ReturnOp::create(b, code);
  b.setInsertionPointToEnd(pass);
}

Value EntryChecks::readField(Value tensor, int32_t field, Type type) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value address = LLVM::GEPOp::create(b, ptr, tensorType(b), tensor,
                                      ArrayRef<LLVM::GEPArg>{0, field});
  return LLVM::LoadOp::create(b, type, address);
}

/// Device, element type and rank.
void EntryChecks::checkHeader(const EntryTensor &expected, Value tensor) {
  auto wide = [&](Value value) -> Value {
    return arith::ExtUIOp::create(b, b.getI64Type(), value);
  };
  auto part = [&](Value word, unsigned shift, unsigned mask) -> Value {
    Value low = arith::ShRUIOp::create(b, word, i32(shift));
    return wide(arith::AndIOp::create(b, low, i32(mask)));
  };
  Value device = readField(tensor, kDevice, b.getI32Type());
  require(same(device, i32(kDLCPU)),
          "expected a tensor in host memory, but got DLPack device %lld",
          wide(device));
  Value dtype = readField(tensor, kDtype, b.getI32Type());
  int32_t word = expected.code | expected.bits << 8 | 1u << 16;
  Value matches = same(dtype, i32(word));
  SmallVector<Value> parts = {part(dtype, 0, 0xff), part(dtype, 8, 0xff),
                              part(dtype, 16, 0xffff)};
  require(matches,
          "expected " + expected.dtype +
              ", but got DLPack type code %lld with %lld bits and %lld lanes",
          parts);
  checkRank(expected, tensor);
}

void EntryChecks::checkRank(const EntryTensor &expected, Value tensor) {
  Value rank = readField(tensor, kRank, b.getI32Type());
  require(same(rank, i32(expected.type.getRank())),
          "expected rank " + Twine(expected.type.getRank()) + ", but got %lld",
          arith::ExtSIOp::create(b, b.getI64Type(), rank).getResult());
}

Value EntryChecks::element(Value array, int32_t index) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value address = LLVM::GEPOp::create(b, ptr, b.getI64Type(), array,
                                      ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(b, b.getI64Type(), address);
}

Value EntryChecks::readSizes(Value tensor) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value shape = readField(tensor, kShape, ptr);
  Value null = LLVM::ZeroOp::create(b, ptr);
  require(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, shape, null),
          "expected a shape, but got NULL");
  return shape;
}

void EntryChecks::checkSizes(const EntryTensor &expected, Value shape,
                             Shape &result) {
  unsigned nextName = 0;
  for (unsigned dim = 0; dim < expected.type.getRank(); ++dim) {
    Value size =
        isChecked ? i64(expected.type.getDimSize(dim)) : element(shape, dim);
    result.sizes.push_back(size);
    if (!expected.type.isDynamicDim(dim)) {
      int64_t fixed = expected.type.getDimSize(dim);
      require(same(size, i64(fixed)),
              "expected dimension " + Twine(dim) + " to be " + Twine(fixed) +
                  ", but got %lld",
              size);
      continue;
    }
    checkNamedDim(expected,
                  cast<StringAttr>(expected.dims[nextName++]).getValue(), size);
  }

  // Not by the product of the sizes, which may be 0 modulo 2^64.
  for (Value size : result.sizes)
    result.isEmpty =
        arith::OrIOp::create(b, result.isEmpty, same(size, i64(0)));
}

/// The strides of a tensor that has none are products of its sizes: no memory
/// is so large that these leave 64 bits. Floats say so, which do not wrap.
void EntryChecks::checkBytes(const EntryTensor &expected, Value isRowMajor,
                             const Shape &shape) {
  if (expected.type.hasStaticShape())
    return;
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  Value bytes = number(expected.bits / 8);
  for (Value size : shape.sizes) {
    size = arith::SIToFPOp::create(b, b.getF64Type(), size);
    bytes = arith::MulFOp::create(b, bytes, size);
  }
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, bytes,
                                        number(0x1p62));
  Value isStrided = arith::XOrIOp::create(
      b, isRowMajor, arith::ConstantOp::create(b, b.getBoolAttr(true)));
  require(arith::OrIOp::create(b, isSmall, isStrided),
          "expected a tensor of less than 2^62 bytes");
}

EntryChecks::Shape EntryChecks::checkShape(const EntryTensor &expected,
                                           Value tensor) {
  Shape result;
  result.isEmpty = arith::ConstantOp::create(b, b.getBoolAttr(false));
  unsigned rank = expected.type.getRank();
  if (rank == 0)
    return result;
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value shape = readSizes(tensor);
  checkSizes(expected, shape, result);

  // Strides are read where they are given; else the tensor is row-major.
  Value strides = readField(tensor, kStrides, ptr);
  Value null = LLVM::ZeroOp::create(b, ptr);
  Value isRowMajor =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, strides, null);
  checkBytes(expected, isRowMajor, result);
  Value readable = LLVM::SelectOp::create(b, isRowMajor, shape, strides);
  Value step = i64(1);
  result.strides.resize(rank);
  for (unsigned dim = rank; dim-- > 0;) {
    Value given = element(readable, dim);
    result.strides[dim] = arith::SelectOp::create(b, isRowMajor, step, given);
    step = arith::MulIOp::create(b, step, result.sizes[dim]);
  }
  Value innermost = result.strides[rank - 1];
  Value isUnit = same(innermost, i64(1));
  // A dimension of size 1, or a tensor without elements, steps nowhere.
  Value isSingle = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                         result.sizes[rank - 1], i64(1));
  Value isStill = arith::OrIOp::create(b, isSingle, result.isEmpty);
  require(arith::OrIOp::create(b, isUnit, isStill),
          "expected the innermost dimension to be "
          "contiguous, but got a stride of %lld",
          innermost);
  // Arguments may repeat with a stride of 0; what is written would overlap
  // itself.
  for (unsigned dim = 0; expected.isWritten && dim + 1 < rank; ++dim) {
    Value moves = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                        result.strides[dim], i64(0));
    Value isStill =
        arith::OrIOp::create(b, result.isEmpty,
                             arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                                   result.sizes[dim], i64(1)));
    require(arith::OrIOp::create(b, moves, isStill),
            "expected dimension " + Twine(dim) +
                " to have a stride other than 0");
  }
  return result;
}

Value EntryChecks::checkData(const EntryTensor &expected, Value tensor,
                             const Shape &shape) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value base = readField(tensor, kData, ptr);
  Value offset = readField(tensor, kOffset, b.getI64Type());
  Value data = LLVM::GEPOp::create(b, ptr, b.getI8Type(), base,
                                   ArrayRef<LLVM::GEPArg>{offset});
  Value null = LLVM::ZeroOp::create(b, ptr);
  Value isThere = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, base, null);
  require(arith::OrIOp::create(b, isThere, shape.isEmpty),
          "expected data, but got NULL");

  int64_t bytes = expected.bits / 8;
  if (bytes > 1) {
    Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), data);
    Value low = arith::AndIOp::create(b, address, i64(bytes - 1));
    Value aligned = same(low, i64(0));
    require(arith::OrIOp::create(b, aligned, shape.isEmpty),
            "expected an address that is a multiple of " + Twine(bytes) +
                ", but got one that is %lld above",
            low);
  }
  return data;
}

Value EntryChecks::makeBuffer(MemRefType type, Value data, const Shape &shape) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  int64_t rank = type.getRank();
  SmallVector<Type> fields = {ptr, ptr, b.getI64Type()};
  if (rank != 0)
    fields.append(2, LLVM::LLVMArrayType::get(b.getI64Type(), rank));
  Value descriptor =
      LLVM::PoisonOp::create(b, structOf(b.getContext(), fields));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(b, descriptor, value, position);
  };
  insert(data, 0);
  insert(data, 1);
  insert(i64(0), 2);
  for (int64_t dim = 0; dim < rank; ++dim) {
    insert(shape.sizes[dim], {3, dim});
    insert(shape.strides[dim], {4, dim});
  }
  return UnrealizedConversionCastOp::create(b, type, descriptor).getResult(0);
}

/// Starts to check `expected`, tensor `index`.
void EntryChecks::startTensor(unsigned index, const EntryTensor &expected) {
  code = i32(1 + index);
  title = emitText(b, function.getName() + ".title." + Twine(titles++),
                   expected.title);
}

Value EntryChecks::checkTensor(const EntryTensor &expected, Value tensor) {
  Value null =
      LLVM::ZeroOp::create(b, LLVM::LLVMPointerType::get(b.getContext()));
  require(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, tensor, null),
          "expected a tensor, but got NULL");
  if (!isChecked)
    checkHeader(expected, tensor);
  Shape shape = checkShape(expected, tensor);
  Value data = checkData(expected, tensor, shape);
  return makeBuffer(expected.type, data, shape);
}

/// The function of (tensor, call, title, code) -> i32 that checks a tensor
/// which must be like `expected`, whose sizes are known: 0, or the code.
func::FuncOp EntryChecks::getOrCreateCheck(const EntryTensor &expected) {
  std::string name = "mixattn.check." + expected.dtype;
  for (int64_t size : expected.type.getShape())
    name += "." + std::to_string(size);
  if (expected.isWritten)
    name += ".written";
  if (auto made = module.lookupSymbol<func::FuncOp>(name))
    return made;
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  OpBuilder outside(function);
  auto made = func::FuncOp::create(
      outside, function.getLoc(), name,
      b.getFunctionType({ptr, ptr, ptr, b.getI32Type()}, b.getI32Type()));
  made.setPrivate();
  // Once for all tensors of a kind: models have hundreds.
  made.setNoInline(true);
  made->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                    b.getContext(), LLVM::Linkage::Internal));
  EntryChecks checks(module, made);
  checks.call = made.getArgument(1);
  checks.title = made.getArgument(2);
  checks.code = made.getArgument(3);
  checks.checkTensor(expected, made.getArgument(0));
  func::ReturnOp::create(checks.b, checks.i32(0));
  return made;
}

Value EntryChecks::addressOf(unsigned index) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value address = LLVM::GEPOp::create(b, ptr, ptr, function.getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{int32_t(index)});
  return LLVM::LoadOp::create(b, ptr, address);
}

Value EntryChecks::readShape(unsigned index, const EntryTensor &expected) {
  Shape shape;
  int64_t rank = expected.type.getRank();
  shape.isEmpty = arith::ConstantOp::create(b, b.getBoolAttr(false));
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Value null = LLVM::ZeroOp::create(b, ptr);
  if (expected.type.hasStaticShape()) {
    for (int64_t size : expected.type.getShape())
      shape.sizes.push_back(i64(size));
  } else {
    Value tensor = addressOf(index);
    startTensor(index, expected);
    require(LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, tensor, null),
            "expected a tensor, but got NULL");
    checkRank(expected, tensor);
    checkSizes(expected, readSizes(tensor), shape);
  }
  shape.strides.assign(rank, i64(1));
  return makeBuffer(expected.type, LLVM::ZeroOp::create(b, ptr), shape);
}

Value EntryChecks::readTensor(unsigned index, const EntryTensor &expected) {
  Value tensor = addressOf(index);
  startTensor(index, expected);
  if (!expected.type.hasStaticShape())
    return checkTensor(expected, tensor);
  Value status = func::CallOp::create(b, getOrCreateCheck(expected),
                                      ValueRange{tensor, call, title, code})
                     .getResult(0);
  Block *pass = branch(same(status, i32(0)));
  func::ReturnOp::create(b, status);
  b.setInsertionPointToEnd(pass);
  isChecked = true;
  Value buffer = checkTensor(expected, tensor);
  isChecked = false;
  return buffer;
}

Value EntryChecks::boundOf(Attribute bound) {
  if (auto number = dyn_cast<IntegerAttr>(bound))
    return i64(number.getInt());
  return dims.lookup(cast<StringAttr>(bound).getValue()).size;
}

void EntryChecks::checkValues(unsigned index, const EntryTensor &tensor,
                              Value buffer) {
  if (!tensor.range && !tensor.holds)
    return;
  startTensor(index, tensor);
  emitValueChecks(
      b, buffer, tensor.range, tensor.holds,
      [&](Attribute bound) { return boundOf(bound); },
      [&](Value holds, const Twine &expected, ValueRange numbers) {
        require(holds, expected, numbers);
      });
}
