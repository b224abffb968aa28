// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Standard normal noise that is a function of its place, seed and offset.

#ifndef MIXATTN_PASSES_BODY_PHILOX_H
#define MIXATTN_PASSES_BODY_PHILOX_H

#include "mlir/IR/Builders.h"
#include <array>

namespace mixattn {

// All of this works on scalars and, lane by lane, on vectors: values are i32,
// f32, index or i64 as said below, or vectors of these, all of one shape.

/// Four words of a block, or the counter that a block belongs to: i32.
using PhiloxBlock = std::array<mlir::Value, 4>;

/// The key of Philox, low word first: i32.
using PhiloxKey = std::array<mlir::Value, 2>;

/// Where an element of the noise stands.
struct NoisePlace {
  /// Batch, head, query and key, and how many heads there are: index.
  mlir::Value b, head, i, j, heads;
  /// The numbers that tell draws apart: i64. Of the offset, the low 32 bits
  /// count.
  mlir::Value seed, offset;
  /// The even one of j and its neighbour in a pair, a value that both have;
  /// null where it is not known.
  mlir::Value pair = {};
};

/// Emits Philox4x32-10 of Salmon et al. 2011, as in Random123.
PhiloxBlock emitPhilox(mlir::OpBuilder &builder, mlir::Location loc,
                       PhiloxBlock counter, PhiloxKey key);

/// Emits the block that `place` lies in, with its three neighbours along j:
/// counter (j div 4, i, b heads + head, offset), key (seed low, seed high).
PhiloxBlock emitNoiseBlock(mlir::OpBuilder &builder, mlir::Location loc,
                           const NoisePlace &place);

/// Emits sqrt(-2 ln u) as f32, where u = ((word >> 9) + 0.5) 2^-23. Within 0.9
/// units in the last place for every word.
mlir::Value emitRadius(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value word);

/// A cosine and a sine: f32.
struct CosSin {
  mlir::Value cos, sin;
};

/// Emits the cosine and sine of 2 pi u, u as above. Within 0.7 units in the
/// last place for every word.
CosSin emitCosSin(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value word);

/// Emits the four standard normals of a block, Box and Muller's of words 0, 1
/// and of words 2, 3: f32, within 3.2 units in the last place for all words.
/// Their bits do not depend on the machine.
std::array<mlir::Value, 4> emitNormals(mlir::OpBuilder &builder,
                                       mlir::Location loc,
                                       const PhiloxBlock &words);

/// Emits the standard normal at `place`, number j mod 4 of its block. With
/// `place.pair` all but the choice between two normals is the same for both
/// elements of the pair.
mlir::Value emitNormal(mlir::OpBuilder &builder, mlir::Location loc,
                       const NoisePlace &place);

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_PHILOX_H
