// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of mixattn-compile.
#ifndef MIXATTN_TOOLS_COMPILE_OPTIONS_H
#define MIXATTN_TOOLS_COMPILE_OPTIONS_H

#include "lib/Import/Pt2.h"
#include "lib/Target/Artifact.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/entry/SizePolynomial.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace mixattn {

/// The options of the command line.
struct Options {
  enum class Action { Compile, Help, Version };

  Action action = Action::Compile;
  /// The file to read, and the one to write; "-" is stdin and stdout.
  std::string input, output = "-";
  /// Names of open dims of a model's inputs.
  InputDimNames dimNames;
  /// A report is all that is wanted: of costs, or of plans.
  enum class Report { None, Text, Json };
  Report cost = Report::None, explanation = Report::None;
  /// The sizes that are given for dims in the report.
  GivenSizes sizes;
  /// Nothing: MLIR text at `level`.
  std::optional<ArtifactKind> kind;
  Level level = Level::Llvm;
  std::string target = "native";
  /// The file that has numbers of predictions; none where empty.
  std::string targetFile;
  /// The only function to compile; empty: every public one.
  std::string entry;
  bool isOptimized = true;
  Sanitizer sanitizer = Sanitizer::None;
  /// Threads that calls are planned for; 0: as many as cores.
  int64_t threads = 0;
  /// The plan of every attention; the model's choice where empty.
  std::string plan;
  /// The code tells when its kernels begin and end.
  bool isProfiled = false;
  /// Every pass says what it did, and what it did not and why.
  bool hasRemarks = false;
  /// Whether the artifact holds the weights, and the file that they are read
  /// from; empty for those of a model.
  bool embeds = false;
  std::string embedded;
  /// The mark of the file of weights that is written; no option sets it.
  std::string weightsMark;
  /// Whether linalg that computes an attention becomes one op.
  bool isRaised = true;

  /// The folder of a CUDA toolkit; empty: CUDA_HOME and PATH.
  std::string cudaPath;

  bool isReport() const {
    return cost != Report::None || explanation != Report::None;
  }
};

/// Reads the command line, without the program's name.
Result<Options> parseOptions(llvm::ArrayRef<const char *> arguments);

/// The text of --help.
extern const char *const helpText;

} // namespace mixattn

#endif // MIXATTN_TOOLS_COMPILE_OPTIONS_H
