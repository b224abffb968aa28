// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// mixattn-philox: prints a private function for each piece of the noise that
// passes/body/Philox.h emits; tests call them in entries of their own.
//
// mixattn-philox [LANES]: on vectors of that many lanes, or on scalars.
#include "passes/body/Philox.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits results of arguments.
using Values = SmallVector<Value>;
using Body = llvm::function_ref<Values(OpBuilder &, Location, ValueRange)>;

/// Adds functions to a module.
class Functions {
public:
  Functions(ModuleOp module, int64_t lanes)
      : b(OpBuilder::atBlockEnd(module.getBody())), lanes(lanes) {}

  void add(StringRef name, ArrayRef<Type> arguments, Body body) {
    SmallVector<Type> inputs;
    for (Type type : arguments)
      inputs.push_back(lanes ? Type(VectorType::get({lanes}, type)) : type);
    Location loc = b.getUnknownLoc();
    auto function =
        func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, {}));
    function.setPrivate();
    OpBuilder inner = OpBuilder::atBlockEnd(function.addEntryBlock());
    Values results = body(inner, loc, function.getArguments());
    func::ReturnOp::create(inner, loc, results);
    function.setType(b.getFunctionType(inputs, TypeRange(results)));
  }

private:
  OpBuilder b;
  int64_t lanes;
};

} // namespace

static void addAll(Functions functions, Builder b) {
  Type word = b.getI32Type(), wide = b.getI64Type(), place = b.getIndexType();

  functions.add(
      "philox", {word, word, word, word, word, word},
      [](OpBuilder &b, Location loc, ValueRange args) {
        return Values(ArrayRef<Value>(emitPhilox(
            b, loc, {args[0], args[1], args[2], args[3]}, {args[4], args[5]})));
      });
  functions.add("radius", {word},
                [](OpBuilder &b, Location loc, ValueRange args) {
                  return Values{emitRadius(b, loc, args[0])};
                });
  functions.add("cos_sin", {word},
                [](OpBuilder &b, Location loc, ValueRange args) {
                  CosSin both = emitCosSin(b, loc, args[0]);
                  return Values{both.cos, both.sin};
                });
  functions.add("normals", {word, word, word, word},
                [](OpBuilder &b, Location loc, ValueRange args) {
                  return Values(ArrayRef<Value>(emitNormals(
                      b, loc, {args[0], args[1], args[2], args[3]})));
                });
  functions.add("normal", {place, place, place, place, place, wide, wide},
                [](OpBuilder &b, Location loc, ValueRange args) {
                  return Values{emitNormal(b, loc,
                                           {args[0], args[1], args[2], args[3],
                                            args[4], args[5], args[6]})};
                });
}

int main(int argc, char **argv) {
  int64_t lanes = 0;
  if (argc > 2 || (argc == 2 && StringRef(argv[1]).getAsInteger(10, lanes))) {
    llvm::errs() << "usage: mixattn-philox [LANES]\n";
    return 2;
  }
  MLIRContext context;
  context
      .loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  addAll(Functions(*module, lanes), Builder(&context));
  if (failed(verify(*module)))
    return 1;
  // Without "module {": the text of a test's own functions may follow.
  for (Operation &function : *module->getBody())
    llvm::outs() << function << "\n";
  return 0;
}
