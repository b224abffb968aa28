// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Polynomials in the sizes of named dims: what costs are counted in.

#ifndef MIXATTN_PASSES_ENTRY_SIZE_POLYNOMIAL_H
#define MIXATTN_PASSES_ENTRY_SIZE_POLYNOMIAL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixattn {

/// The sizes that are given for dims, by name.
using GivenSizes = std::map<std::string, int64_t>;

/// A polynomial with whole coefficients: a coefficient for each product of
/// dims. It is unknown once a size has no name, a coefficient no 64 bits or a
/// product hundreds of terms, and so is all that is computed from it.
class SizePolynomial {
public:
  SizePolynomial(int64_t number = 0);
  static SizePolynomial unknown();
  static SizePolynomial named(llvm::StringRef name);

  bool isKnown() const { return known; }
  bool isZero() const { return known && terms.empty(); }
  /// A coefficient, never 0, for each product of dims, whose names are sorted.
  const std::map<std::vector<std::string>, int64_t> &getTerms() const {
    return terms;
  }
  /// The value where no dim is left.
  std::optional<int64_t> asNumber() const;
  /// The name where it is one dim; empty where it is not.
  std::string asDim() const;
  /// A dim times a factor of 1 or more, and an offset.
  struct Affine {
    std::string dim;
    int64_t factor, offset;
  };
  /// The parts where it is of that form, `4 B - 1` for instance.
  std::optional<Affine> asAffine() const;

  SizePolynomial &operator+=(const SizePolynomial &other);
  SizePolynomial &operator*=(const SizePolynomial &other);
  SizePolynomial operator-() const { return *this * -1; }
  friend SizePolynomial operator+(SizePolynomial a, const SizePolynomial &b) {
    return a += b;
  }
  friend SizePolynomial operator-(SizePolynomial a, const SizePolynomial &b) {
    return a += -b;
  }
  friend SizePolynomial operator*(SizePolynomial a, const SizePolynomial &b) {
    return a *= b;
  }
  friend bool operator==(const SizePolynomial &a, const SizePolynomial &b) {
    return a.known && b.known && a.terms == b.terms;
  }

  /// The quotient by `divisor`; unknown where that is not whole.
  SizePolynomial dividedBy(int64_t divisor) const;

  /// The same with what `sizeOf` gives for a dim in its place; dims for which
  /// it gives nothing stay.
  SizePolynomial
  with(llvm::function_ref<std::optional<SizePolynomial>(const std::string &dim)>
           sizeOf) const;
  /// The same with the dims in `sizes` replaced by their sizes.
  SizePolynomial at(const GivenSizes &sizes) const;

  /// `[{"coefficient": 2, "dims": ["N", "N"]}, …]`, or null.
  llvm::json::Value toTerms() const;
  /// A number where no dim is left, else as toTerms.
  llvm::json::Value toJson() const;
  /// `2 N^2 - 3 N + 1`, largest degree first, or `?`.
  std::string toText() const;
  /// The polynomial that toText writes so, or with stars between factors, `4*B
  /// + 1`; none of other text.
  static std::optional<SizePolynomial> parse(llvm::StringRef text);
  /// A name for a dim of that size: `N_plus_1`, `B_times_4`.
  std::string toIdentifier() const;
  /// As a SIZE of manifests (lib/Runtime/manifest.md).
  llvm::json::Value toSize() const;

private:
  /// The terms, largest degree first, then by name.
  std::vector<std::pair<std::vector<std::string>, int64_t>> inOrder() const;
  void add(const std::vector<std::string> &dims, int64_t coefficient);

  bool known = true;
  std::map<std::vector<std::string>, int64_t> terms;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_SIZE_POLYNOMIAL_H
