// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images of another size: each element follows from a few that lie next to it.
#ifndef MIXATTN_LIB_IMPORT_OPS_RESAMPLING_H
#define MIXATTN_LIB_IMPORT_OPS_RESAMPLING_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// How the elements along a dim make those of a dim of another size. Element i
/// of the result lies at x between those of the tensor, the places of which are
/// 0, 1, …; n are there, m come out, and r is n / m, or what the file says.
struct Resampling {
  /// The weight of an element at distance d: 1 - |d| up to 1, or the cubic
  /// convolution of Keys (1981), equation 8, whose a is `sharpness`.
  enum class Kernel { Nearest, Linear, Cubic };
  /// x is (i + 1/2) r - 1/2; the same, but 0 where m is 1; the same moved by
  /// (n - m r) / 2, which makes both middles one; i r; or i (n - 1) / (m - 1),
  /// n times the file's factor being m.
  enum class Placing { Centres, CentresOrFirst, Middles, Starts, Ends };
  /// The nearest element is the one below x, that above, or the nearer one:
  /// half way that below or that above.
  enum class Rounding { Down, Up, HalfDown, HalfUp };

  Kernel kernel = Kernel::Nearest;
  Placing placing = Placing::Centres;
  Rounding rounding = Rounding::HalfDown;
  double sharpness = -0.75;
  /// Where r is above 1, distances count in steps of the result.
  bool isSmoothed = false;
  /// Places beyond the ends count for nothing, and the others for more; else
  /// the last element stands there.
  bool dropsOutside = false;
};

/// The tensor with a dim of `size`. `scale` is m / n as the file says, where it
/// does: m may be rounded.
Built resampled(OpCall &op, const Built &x, int64_t dim,
                const SizePolynomial &size, std::optional<double> scale,
                const Resampling &how);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_RESAMPLING_H
