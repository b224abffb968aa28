// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the manifest's parser that have files of their own.
#ifndef MIXATTN_LIB_RUNTIME_MANIFESTPARSERS_H
#define MIXATTN_LIB_RUNTIME_MANIFESTPARSERS_H

#include "lib/Runtime/Json.h"
#include "lib/Runtime/Manifest.h"

#include <set>

namespace mixattn {

/// Reads a size over `dims`: a number, a dim's name, or a list of an operation
/// and its operands.
SizeExpression parseSize(const JsonView &json,
                         const std::set<std::string> &dims);

/// Reads the rules of an entry's sizes; `dims` are those of its arguments, and
/// get the names of those that are computed from them.
std::map<std::string, SizeRule> parseRules(const JsonView &json,
                                           std::set<std::string> &dims);

/// Reads the launches of an entry whose arguments and results are known.
std::vector<Launch> parseLaunches(const JsonView &json, const Entry &entry,
                                  const std::set<std::string> &dims);

/// Checks that each of an entry's launches is for a GPU of `target`. It may
/// leave open for which where there is one.
void checkTargets(const JsonView &launches, const Target &target);

/// Reads a score_mod over the entry's arguments.
Expression parseExpression(const JsonView &json, const Entry &entry);

/// Reads the op of an entry whose arguments and results are known, and checks
/// names, element types, ranks and head counts. Its member `op` says which op
/// it is; without one it is an Attention.
std::optional<Op> parseOp(const JsonView &json, const Entry &entry);

Attention parseAttention(const JsonView &json, const Entry &entry);
LinearAttention parseLinearAttention(const JsonView &json, const Entry &entry);

/// The shared part of parsers of ops: members that name arguments and results.
class OpParser {
public:
  OpParser(const JsonView &json, const Entry &entry)
      : json(json), entry(entry) {}

protected:
  /// The kind of elements that an argument in some role has.
  enum class Kind { Float, Integer, Boolean };

  /// Reads the name of an argument of that kind and of rank `low` to `high`.
  std::string argument(const JsonView &object, const char *role, Kind kind,
                       size_t low, size_t high);
  /// The same of a member of the op, empty where there is none.
  std::string optional(const char *role, Kind kind, size_t low, size_t high);
  /// Reads the name of a result of that rank.
  std::string result(const char *role, size_t rank);
  bool flag(const char *role) const;
  std::optional<Band> band(const char *role);

  void parsePerceptron(const JsonView &mix, Perceptron &perceptron);
  /// Reads all but the query.
  void parseComponents(Components &components);
  void parseVisibility(Visibility &visibility);

  /// How many keys the components have at one position.
  int64_t componentsOf(const Components &components);
  /// Checks that scores of `count` components have as many variances.
  void checkVariances(const Components &components, int64_t count);
  void requireDivisor(const std::string &name, int64_t heads);
  void requireColumns(const std::string &name, int64_t count);
  /// An error where a member is there that `reason` excludes.
  void forbid(const std::vector<const char *> &roles, const char *reason);
  /// The static size of a dim; 0 and an error where it is dynamic.
  int64_t staticSize(const Parameter *parameter, size_t dim);
  int64_t staticSize(const std::string &argument, size_t dim) {
    return staticSize(entry.argument(argument), dim);
  }

  const JsonView &json;
  const Entry &entry;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_MANIFESTPARSERS_H
