// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open dims that a file tells apart and an op takes for one: the second of two
// lengths that must be equal gets the name of the first, which calls check.
#ifndef MIXATTN_LIB_IMPORT_JOINEDDIMS_H
#define MIXATTN_LIB_IMPORT_JOINEDDIMS_H

#include "lib/Import/Graph.h"

namespace mixattn {

/// An open dim, and the size that takes its place.
struct JoinedDim {
  std::string dim;
  SizePolynomial size;
  /// Whether the size is a multiple of a dim that there was not before.
  bool isMultiple = false;
};

/// The dim that makes `a` and `b` one size, whatever the other dims are: the
/// later of two, or one that is all of a size. `places` orders the dims of
/// inputs; none where no dim does it.
std::optional<JoinedDim>
findJoinedDim(const SizePolynomial &a, const SizePolynomial &b,
              const std::map<std::string, size_t> &places);

/// The only dim that makes the quotient of `a` by `b` whole for all sizes once
/// it is another; none where several do or none does.
std::optional<JoinedDim>
findJoinedQuotient(const SizePolynomial &a, const SizePolynomial &b,
                   const std::map<std::string, size_t> &places);

/// The only dim that makes the quotient of `a` by a product `b` whole but for
/// its number once it is a multiple: `4 N_over_4` of N; none where several are.
std::optional<JoinedDim>
findMultiple(const SizePolynomial &a, const SizePolynomial &b,
             const std::map<std::string, size_t> &places);

/// Enters the dim, if it is a multiple.
void noteMultiple(std::map<std::string, MultipleDim> &multiples,
                  const JoinedDim &joined);

/// The sizes of the dim in `size` at which that lies in `range`.
DimRange rangeOfPart(const DimRange &range, const SizePolynomial::Affine &size);

/// `size` with the other in the dim's place.
SizePolynomial replaced(const SizePolynomial &size, const JoinedDim &joined);

/// Puts the size in the dim's place everywhere. False, and nothing changed,
/// where the model was made for some sizes of the dim only and those of no
/// other dim are so.
bool joinDim(Graph &graph, const JoinedDim &joined);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_JOINEDDIMS_H
