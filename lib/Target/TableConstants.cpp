// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of LLVM IR that tables are made of.
#include "lib/Target/TableConstants.h"

#include "lib/Target/Object.h"
#include "lib/Target/launcher/table.h"

#include "llvm/IR/IRBuilder.h"

using namespace mixattn;
using llvm::Constant;

Constant *TableConstants::pointerTo(Constant *value, uint64_t alignment) {
  auto *global =
      new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::PrivateLinkage, value);
  global->setAlignment(llvm::Align(alignment));
  return global;
}

Constant *TableConstants::listOf(llvm::ArrayRef<Constant *> values) {
  if (values.empty())
    return null();
  auto *type = llvm::ArrayType::get(values.front()->getType(), values.size());
  return pointerTo(llvm::ConstantArray::get(type, values));
}

Constant *TableConstants::counts(const std::array<uint32_t, 3> &values) {
  return llvm::ConstantDataArray::get(context, values);
}

llvm::Function *
TableConstants::declare(const std::string &name, llvm::Type *result,
                        llvm::ArrayRef<llvm::Type *> parameters) {
  auto *type = llvm::FunctionType::get(result, parameters, /*isVarArg=*/false);
  return llvm::cast<llvm::Function>(
      module.getOrInsertFunction(name, type).getCallee());
}

void TableConstants::forward(const std::string &name, const std::string &callee,
                             llvm::ArrayRef<Constant *> given,
                             llvm::ArrayRef<llvm::Type *> parameters) {
  llvm::Type *i32 = llvm::Type::getInt32Ty(context);
  llvm::SmallVector<llvm::Type *> types;
  for (Constant *each : given)
    types.push_back(each->getType());
  types.append(parameters.begin(), parameters.end());
  llvm::Function *called = declare(callee, i32, types);
  called->setVisibility(llvm::GlobalValue::HiddenVisibility);
  llvm::Function *function = declare(name, i32, parameters);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", function));
  llvm::SmallVector<llvm::Value *> arguments(given.begin(), given.end());
  for (llvm::Argument &argument : function->args())
    arguments.push_back(&argument);
  b.CreateRet(b.CreateCall(called, arguments));
}

void TableConstants::holdManifest(const std::string &firstEntry,
                                  llvm::StringRef text) {
  Constant *bytes = llvm::ConstantDataArray::getString(context, text);
  auto *held =
      new llvm::GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                               llvm::GlobalValue::ExternalLinkage, bytes,
                               "mixattn_manifest_of_" + firstEntry);
  held->setSection(manifestSection);
}

static int64_t stepOf(SizeExpression::Kind kind) {
  using Kind = SizeExpression::Kind;
  switch (kind) {
  case Kind::Number:
  // One thread launches: nothing of OpenMP runs on a GPU.
  case Kind::Threads:
    return MIXATTN_STEP_NUMBER;
  case Kind::Dim:
    return MIXATTN_STEP_DIM;
  case Kind::Multiprocessors:
    return MIXATTN_STEP_MULTIPROCESSORS;
  case Kind::Add:
    return MIXATTN_STEP_ADD;
  case Kind::Subtract:
    return MIXATTN_STEP_SUBTRACT;
  case Kind::Multiply:
    return MIXATTN_STEP_MULTIPLY;
  case Kind::Divide:
    return MIXATTN_STEP_DIVIDE;
  case Kind::Remainder:
    return MIXATTN_STEP_REMAINDER;
  case Kind::Minimum:
    return MIXATTN_STEP_MINIMUM;
  case Kind::Maximum:
    return MIXATTN_STEP_MAXIMUM;
  case Kind::Above:
    return MIXATTN_STEP_ABOVE;
  case Kind::AtMost:
    return MIXATTN_STEP_AT_MOST;
  }
  llvm_unreachable("all kinds are known");
}

/// In postfix order: operations of several operands come after each but the
/// first.
void TableConstants::addSteps(const SizeExpression &size, const Numbers &dims,
                              Constants &steps) {
  using Kind = SizeExpression::Kind;
  int64_t operation = stepOf(size.kind);
  if (size.operands.empty()) {
    int64_t value = size.kind == Kind::Dim       ? dims.at(size.dim)
                    : size.kind == Kind::Number  ? size.number
                    : size.kind == Kind::Threads ? 1
                                                 : 0;
    steps.push_back(structOf({wide(operation), wide(value)}));
    return;
  }
  addSteps(size.operands.front(), dims, steps);
  for (size_t i = 1; i < size.operands.size(); ++i) {
    addSteps(size.operands[i], dims, steps);
    steps.push_back(structOf({wide(operation), wide(0)}));
  }
}

Constant *TableConstants::expression(const SizeExpression &size,
                                     const Numbers &dims) {
  Constants steps;
  addSteps(size, dims, steps);
  return structOf({listOf(steps), wide(steps.size())});
}

Constant *TableConstants::memory(int64_t count, llvm::Type *element) {
  auto *type = llvm::ArrayType::get(element, count);
  auto *global = new llvm::GlobalVariable(
      module, type, /*isConstant=*/false, llvm::GlobalValue::PrivateLinkage,
      llvm::ConstantAggregateZero::get(type));
  global->setAlignment(llvm::Align(16));
  return global;
}
