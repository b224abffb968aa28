// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a module in the LLVM dialect to LLVM IR, assembly or an object.
#ifndef MIXATTN_LIB_TARGET_OBJECT_H
#define MIXATTN_LIB_TARGET_OBJECT_H

#include "lib/Runtime/Sanitizer.h"
#include "lib/Target/Machine.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir {
class DialectRegistry;
class ModuleOp;
} // namespace mlir

namespace mixattn {

/// The forms of generated code: the texts .ll and .s, or the ELF object .o.
enum class CodeKind { LlvmIr, Assembly, Object };

/// The section of a module's manifest.
inline constexpr llvm::StringLiteral manifestSection = ".mixattn.manifest";

/// How a module is turned into code.
struct CodeOptions {
  Machine machine;
  CodeKind kind = CodeKind::Object;
  /// LLVM's -O3, or -O0.
  bool isOptimized = true;
  /// The sanitizer that watches the accesses of the code.
  Sanitizer sanitizer = Sanitizer::None;
  /// Whether the code may be several objects, for a linker: large modules are
  /// compiled on all threads then.
  bool mayBeParts = false;
  /// The prefix of the names that the code defines, where it is for a
  /// library that has functions of these names in front of it, and the
  /// manifest; else empty.
  std::string prefix;
};

/// Adds to `registry` the translations that `emitCode` needs.
void registerCodeTranslations(mlir::DialectRegistry &registry);

/// Turns `module`, which holds nothing but the LLVM dialect (and omp), into
/// position-independent code for Linux. The bytes depend on the module and the
/// options only: no path, no time, no thread count. One text or object, or the
/// objects of its parts. What MLIR has to say about the module goes to its
/// diagnostic handlers.
Result<std::vector<std::string>> emitCode(mlir::ModuleOp module,
                                          const CodeOptions &options);

/// The object of `module`, which is for any 64-bit x86 CPU.
std::string emitObject(llvm::Module &module);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_OBJECT_H
