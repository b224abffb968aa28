// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops that a manifest describes, each all that an oracle needs. Texts are
// names of arguments, empty where absent; ranks and heads are checked.
#ifndef MIXATTN_LIB_RUNTIME_MANIFESTOPS_H
#define MIXATTN_LIB_RUNTIME_MANIFESTOPS_H

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mixattn {

/// One step of a score_mod; every float is computed in f32.
struct Step {
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
  /// The steps before this one whose values it takes.
  std::vector<size_t> operands;
};

/// A score_mod, one step at least; the last one's value is the new score.
using Expression = std::vector<Step>;

/// How the scores of several keys at one position are combined.
enum class Combine { None, LogSumExp, Maximum };

/// The weights of a perceptron over heads, one hidden layer wide.
struct Perceptron {
  std::string w1, b1, w2, b2;
};

/// Mixes query heads into output heads, before the softmax.
struct Premix : Perceptron {
  /// Linear and ReluPerKey have a `mixer`, Mlp has `w1 b1 w2 b2`.
  enum class Kind { Linear, ReluPerKey, Mlp };
  Kind kind = Kind::Linear;
  /// By query and output head; by query head only, it is that of every output
  /// head, and there are as many as value heads.
  std::string mixer;
};

/// Adds sigma_k times noise to the score of query head k, before the premix.
struct Noise {
  /// Whether there is one noise for each output head, in the terms of which it
  /// stands for all query heads; else one for each query head.
  bool isLocal = false;
  std::string sigma;
  /// Either the noise, or seed and offset of its Philox stream.
  std::string noise, seed, offset;
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

/// How scores become weights: exp(a), or exp(a) / (1 + exp(-a)), over their
/// sum.
enum class Normaliser { Softmax, Sigsoftmax };

/// A query, a key of one or several components, and what their score is.
struct Components {
  std::string query, key;
  /// A matrix that makes few keys of many.
  std::string keyProjection;
  /// Added to the key, one per component.
  std::string shifts;
  /// Minus half the squared distance, instead of the product.
  bool gaussian = false;
  /// One per component divides its score; none of a product need be there.
  std::vector<double> variances;
  /// Added to the raw score, per query and per key, perhaps per component.
  std::string queryTerm, keyTerm;
  /// Logarithms, by query head and component, perhaps by key.
  std::string prior;
};

/// Which keys a query sees: all that none of these hides.
struct Visibility {
  std::string mask, lengths;
  /// By batch row the key that query 0 stands at; else keys less queries.
  std::string start;
  bool causal = false;
  std::optional<Band> band;
};

/// Attention by scores, their softmax and a sum of values.
struct Attention : Components, Visibility {
  /// Given instead of a query and a key.
  std::string scores;
  std::string value;
  /// A matrix that makes as many values of many as there are keys.
  std::string valueProjection;
  Combine combine = Combine::None;
  std::optional<Premix> premix;
  std::optional<Noise> noise;
  double scale = 1;
  /// Whether the scale comes before the noise and the premix.
  bool scaleBefore = false;
  std::string bias;
  std::optional<Expression> scoreMod;
  Normaliser normaliser = Normaliser::Softmax;
  /// Weights outside are dropped; the others stay as they are.
  std::optional<Band> keep;
  std::optional<Postmix> postmix;
  /// Names of results: pooled values, and where asked for, the weights that
  /// multiply them and the logarithms of the normaliser's sums.
  std::string result, weights, lse;
};

/// Turns queries and keys into features whose products are weights.
struct FeatureMap {
  enum class Kind { Elu, NormalizedElu, Relu, Dpfp, Favor };
  Kind kind = Kind::Elu;
  /// Of Dpfp.
  int64_t rolls = 1;
  /// Of Favor.
  std::string projection;
};

/// Mixes the states of key heads into those of query heads.
struct StateMix : Perceptron {
  /// Whether `w1 b1 w2 b2` mix the values' sums, and `normaliser` those of the
  /// features; otherwise `mixer` mixes both.
  bool isMlp = false;
  std::string mixer;
  std::string normaliser;
};

/// Attention by products of features, through sums over the keys.
struct LinearAttention {
  std::string query, key, value, shifts;
  /// By key head and component, perhaps by key; not negative.
  std::string prior;
  FeatureMap featureMap;
  std::optional<StateMix> premix;
  std::string lengths;
  bool causal = false;
  /// Added to the denominator.
  double eps = 0;
  double outputScale = 1;
  std::string result;
};

/// Values times a matrix for each head: a band, or the identity, some of whose
/// rows read one column; and sparse elements on top.
struct StructuredPool {
  std::string value, band, windows, errorIndex, errorValue;
  /// Whether rows are divided by their sums.
  bool rowNormalise = false;
  std::string result;
};

/// The share of each component in the score of a query and a key.
struct Responsibilities : Components, Visibility {
  std::string result;
};

/// The mean of responsibilities over the batch, the queries and the keys.
struct PriorUpdate {
  std::string responsibilities;
  /// Whether keys keep a mean of their own.
  bool perKey = false;
  std::string result;
};

/// The squared Frobenius norm of M^T M - I.
struct OrthogonalPenalty {
  std::string mixer, result;
};

using Op = std::variant<Attention, LinearAttention, StructuredPool,
                        Responsibilities, PriorUpdate, OrthogonalPenalty>;

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_MANIFESTOPS_H
