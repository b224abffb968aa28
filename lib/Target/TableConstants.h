// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of LLVM IR that tables are made of.
#ifndef MIXATTN_LIB_TARGET_TABLECONSTANTS_H
#define MIXATTN_LIB_TARGET_TABLECONSTANTS_H

#include "lib/Runtime/SizeExpression.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <array>
#include <map>

namespace mixattn {

/// Makes constants of a module, as lib/Target/launcher/table.h lays them out.
/// Structs are anonymous: their fields are those of the header, in its order.
class TableConstants {
public:
  using Constants = llvm::SmallVector<llvm::Constant *>;
  /// Dims of an entry, by name.
  using Numbers = std::map<std::string, int64_t>;

  explicit TableConstants(llvm::Module &module)
      : module(module), context(module.getContext()) {}

protected:
  llvm::Constant *wide(int64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
  }
  llvm::Constant *narrow(int64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  }
  llvm::Constant *null() {
    return llvm::ConstantPointerNull::get(
        llvm::PointerType::getUnqual(context));
  }
  llvm::Constant *structOf(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }
  /// A pointer to `value`, which is the module's own.
  llvm::Constant *pointerTo(llvm::Constant *value, uint64_t alignment = 8);
  /// A pointer to the first of `values`; null of none.
  llvm::Constant *listOf(llvm::ArrayRef<llvm::Constant *> values);
  /// A pointer to `text` and a zero.
  llvm::Constant *text(llvm::StringRef text, uint64_t alignment = 1) {
    return pointerTo(llvm::ConstantDataArray::getString(context, text),
                     alignment);
  }
  /// Three 32-bit numbers in a struct's place.
  llvm::Constant *counts(const std::array<uint32_t, 3> &values);
  /// A pointer to memory of zeros that the launcher writes.
  llvm::Constant *memory(int64_t count, llvm::Type *element);

  /// The function of that name and type, which is declared where there is none.
  llvm::Function *declare(const std::string &name, llvm::Type *result,
                          llvm::ArrayRef<llvm::Type *> parameters);
  /// Defines the function `name` of `parameters`, which gives what the hidden
  /// `callee` makes of `given` and then of the parameters: an i32.
  void forward(const std::string &name, const std::string &callee,
               llvm::ArrayRef<llvm::Constant *> given,
               llvm::ArrayRef<llvm::Type *> parameters);
  /// Puts the manifest's text where tools look for it, in a library whose first
  /// entry is called `firstEntry`.
  void holdManifest(const std::string &firstEntry, llvm::StringRef text);

  llvm::Constant *expression(const SizeExpression &size, const Numbers &dims);
  /// Without steps.
  llvm::Constant *noExpression() { return structOf({null(), wide(0)}); }

  llvm::Module &module;
  llvm::LLVMContext &context;

private:
  void addSteps(const SizeExpression &size, const Numbers &dims,
                Constants &steps);
};

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_TABLECONSTANTS_H
