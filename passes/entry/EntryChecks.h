// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of an entry of the C ABI: reads DLPack tensors and checks them.

#ifndef MIXATTN_PASSES_ENTRY_ENTRY_CHECKS_H
#define MIXATTN_PASSES_ENTRY_ENTRY_CHECKS_H

#include "passes/entry/DimRules.h"
#include "passes/entry/EntryReport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace mixattn {

/// A tensor of an entry, as its caller must pass it.
struct EntryTensor {
  /// "argument 'q'" or "result 'o'".
  std::string title;
  /// Whether the entry writes it.
  bool isWritten = false;
  /// The buffer that the kernel takes; i1 is held as i8.
  mlir::MemRefType type;
  /// DLPack's type code and width in bits, and our name of the element type.
  unsigned code = 0, bits = 0;
  std::string dtype;
  /// Names of the dynamic dims.
  mlir::ArrayAttr dims;
  /// Bounds of the values, or null.
  mlir::ArrayAttr range;
  /// Further conditions on the values, `attn.holds`, or null.
  mlir::DictionaryAttr holds;
};

/// Builds the checks of one entry, block after block. A check that fails
/// leaves a sentence in the caller's message and returns its code.
class EntryChecks {
public:
  /// Starts the body of `wrapper`, whose last argument is the call: that of an
  /// entry has the type (tensors, count, call) -> i32.
  EntryChecks(mlir::ModuleOp module, mlir::func::FuncOp wrapper,
              DimRules rules = {});

  /// Checks the size of `call`.
  void checkCall();

  /// Checks that `count` tensors are there: the first two arguments.
  void checkCount(int64_t count);

  /// Checks that `bytes`, an address, is there for a number of bytes; and that
  /// `total`, which goes there, is one: not below 0.
  void checkPlace(mlir::Value bytes);
  void checkBytes(mlir::Value total);

  /// Checks that the process may use what the code uses.
  void checkMachine();

  /// Checks tensor `index` and returns its buffer.
  mlir::Value readTensor(unsigned index, const EntryTensor &tensor);

  /// Checks the rank and the sizes of tensor `index`, and returns a buffer of
  /// these, with no memory. Of one whose sizes are all known nothing is read.
  mlir::Value readShape(unsigned index, const EntryTensor &tensor);

  /// Checks that dims which are computed from others have that size. All dims
  /// have been read.
  void checkComputedDims();

  /// Checks that the values of `buffer` lie in the tensor's range and are what
  /// the tensor must hold. All dims have been read.
  void checkValues(unsigned index, const EntryTensor &tensor,
                   mlir::Value buffer);

  /// The memory that `field` of the call gives, from the first address in it on
  /// that 64 divides, as `memref<?xi8>`: of no bytes where it gives none. The
  /// next field has its size.
  mlir::Value readMemory(CallField field);

  mlir::ImplicitLocOpBuilder &builder() { return b; }

private:
  /// Begins a block for where `holds`, an i1, is false; gives the one for where
  /// it is true.
  mlir::Block *branch(mlir::Value holds);
  /// Goes on where `holds`, an i1; else returns `code` with the message that
  /// snprintf makes of `format` and up to three `numbers`, of type i64, after
  /// the `title`. Emits nothing for a tensor that is checked already.
  void require(mlir::Value holds, const llvm::Twine &format,
               mlir::ValueRange numbers = {});
  void startTensor(unsigned index, const EntryTensor &expected);
  /// Checks the size of a dim that has a name.
  void checkNamedDim(const EntryTensor &expected, llvm::StringRef name,
                     mlir::Value size);
  /// Checks the sizes of dims that the size of dim `name` tells.
  void checkToldDims(const EntryTensor &expected, llvm::StringRef name,
                     mlir::Value size);
  /// The address of tensor `index`.
  mlir::Value addressOf(unsigned index);
  /// Checks `tensor` and returns its buffer.
  mlir::Value checkTensor(const EntryTensor &expected, mlir::Value tensor);
  mlir::func::FuncOp getOrCreateCheck(const EntryTensor &expected);

  /// Sizes and strides of a tensor, as i64, and whether a size is 0, as i1.
  struct Shape {
    llvm::SmallVector<mlir::Value> sizes, strides;
    mlir::Value isEmpty;
  };
  mlir::Value readField(mlir::Value tensor, int32_t field, mlir::Type type);
  void checkHeader(const EntryTensor &expected, mlir::Value tensor);
  void checkRank(const EntryTensor &expected, mlir::Value tensor);
  /// Reads the sizes of a tensor of rank 1 or more, at `shape`.
  void checkSizes(const EntryTensor &expected, mlir::Value shape,
                  Shape &result);
  /// The address of the sizes of `tensor`.
  mlir::Value readSizes(mlir::Value tensor);
  mlir::Value element(mlir::Value array, int32_t index);
  void checkBytes(const EntryTensor &expected, mlir::Value isRowMajor,
                  const Shape &shape);
  Shape checkShape(const EntryTensor &expected, mlir::Value tensor);
  mlir::Value checkData(const EntryTensor &expected, mlir::Value tensor,
                        const Shape &shape);
  mlir::Value makeBuffer(mlir::MemRefType type, mlir::Value data,
                         const Shape &shape);
  /// A number, or the size of the dim of that name.
  mlir::Value boundOf(mlir::Attribute bound);

  mlir::Value i64(int64_t value);
  mlir::Value i32(int32_t value);
  mlir::Value same(mlir::Value a, mlir::Value b);

  mlir::ModuleOp module;
  /// The wrapper, or a function that checks tensors for it.
  mlir::func::FuncOp function;
  mlir::ImplicitLocOpBuilder b;
  /// The caller's mixattn_call; the address of the title of the tensor that is
  /// checked, or null before the first; and the code of a check that fails.
  mlir::Value call, title, code;
  bool isChecked = false;
  unsigned messages = 0, titles = 0;
  /// A named dim: its size, and the tensor that gave it, by its title as text
  /// and in memory, and the code of an error in it.
  struct ReadDim {
    mlir::Value size;
    std::string owner;
    mlir::Value title, code;
  };
  llvm::StringMap<ReadDim> dims;
  DimRules rules;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_ENTRY_CHECKS_H
