// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an artifact says about itself; lib/Runtime/manifest.md is the schema.
#ifndef MIXATTN_LIB_RUNTIME_MANIFEST_H
#define MIXATTN_LIB_RUNTIME_MANIFEST_H

#include "lib/Runtime/DType.h"
#include "lib/Runtime/Result.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixattn {

/// Sizes of named dims.
using DimSizes = std::map<std::string, int64_t>;

/// An integer, or the name of a dynamic dim that stands for its size.
struct Dim {
  /// Empty where `value` holds.
  std::string name;
  int64_t value = 0;

  bool isDynamic() const { return !name.empty(); }
  /// The integer; the name must be in `sizes`.
  int64_t in(const DimSizes &sizes) const;
  /// The name, or the integer in decimals.
  std::string toString() const;
};

/// The values that an integer argument may hold, both ends included.
struct Range {
  Dim low, high;
};

/// An argument or a result of an entry.
struct Parameter {
  std::string name;
  DType dtype = DType::F32;
  std::vector<Dim> shape;
  std::optional<Range> range;
};

/// A sum of coefficient times the product of dims.
struct Polynomial {
  struct Term {
    double coefficient;
    std::vector<std::string> dims;
  };
  std::vector<Term> terms;

  double in(const DimSizes &sizes) const;
};

/// A score_mod in prefix form; every float is computed in f32.
struct Expression {
  /// `score b h i j constant dim extract`, or the name of an MLIR op.
  std::string op;
  /// Type of the value: `f32 i1 i8 i16 i32 i64 index`.
  std::string type;
  /// Predicate of a comparison, else empty.
  std::string predicate;
  /// The argument that `dim` and `extract` look at, else empty.
  std::string argument;
  /// Value of a constant of a float type.
  double number = 0;
  /// Value of a constant of an integer type; the position of a `dim`.
  int64_t integer = 0;
  std::vector<Expression> operands;
};

/// What becomes of the scores of several keys at one position.
enum class Combine { None, LogSumExp, Maximum };

/// Mixes query heads into output heads, before the softmax.
struct Premix {
  /// Linear and ReluPerKey have a `mixer`, Mlp has `w1 b1 w2 b2`.
  enum class Kind { Linear, ReluPerKey, Mlp };
  Kind kind = Kind::Linear;
  std::string mixer;
  std::string w1, b1, w2, b2;
};

/// Mixes the heads of the normalised weights.
struct Postmix {
  /// Per query row: `source`, `w` and `b` hold; otherwise `mixer`.
  bool byRow = false;
  std::string mixer;
  std::string source, w, b;
};

/// Offsets that `-upper <= i + (S - N) - j <= lower` allows.
struct Band {
  int64_t lower = 0, upper = 0;
};

/// The one attention op of an entry, all that an oracle needs. Texts are
/// names of arguments, empty where absent; ranks and heads are checked.
struct Attention {
  std::string query, key, value;
  /// Added to the key, one per component.
  std::string shifts;
  /// Minus half the squared distance, instead of the product.
  bool gaussian = false;
  /// Added to the raw score, per query and per key, perhaps per component.
  std::string queryTerm, keyTerm;
  /// One per component divides its score; none of a product need be there.
  std::vector<double> variances;
  Combine combine = Combine::None;
  /// Logarithms, by query head and component, perhaps by key.
  std::string prior;
  std::optional<Premix> premix;
  double scale = 1;
  /// Whether the scale comes before the premix.
  bool scaleBefore = false;
  std::string bias;
  std::optional<Expression> scoreMod;
  std::string mask, lengths;
  bool causal = false;
  std::optional<Band> band;
  std::string normaliser;
  std::optional<Postmix> postmix;
  /// Names of results: pooled values, and where asked for, the weights that
  /// multiply them and the logarithms of the softmax's sums.
  std::string result, weights, lse;
};

/// A function that the artifact exports.
struct Entry {
  std::string name, symbol;
  std::vector<Parameter> arguments, results;
  std::optional<Polynomial> flops, bytes;
  std::optional<Attention> attention;
  /// Why there is no `attention`.
  std::string attentionReason;

  /// The argument of that name, or null.
  const Parameter *argument(std::string_view name) const;
  /// The result of that name, or null.
  const Parameter *result(std::string_view name) const;
};

/// The machine that the code was made for.
struct Target {
  std::string arch, cpu;
  /// LLVM's names, sorted.
  std::vector<std::string> features;
};

/// A whole manifest.
struct Manifest {
  int64_t abi = 0;
  std::string producer;
  Target target;
  std::vector<Entry> entries;
};

/// Reads and checks a manifest's JSON text. Errors say where: `manifest:
/// entries[0].arguments[1].dtype: expected …, but got …`. A text of another
/// ABI version is an error before anything else in it is looked at.
Result<Manifest> parseManifest(std::string_view text);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_MANIFEST_H
