// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and dims as atoms: what reshapes split and join.

#ifndef MIXATTN_PASSES_RAISE_ATOMS_H
#define MIXATTN_PASSES_RAISE_ATOMS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {

/// A size: a number, or that of a tensor's dim, or an index value.
struct Size {
  int64_t number = mlir::ShapedType::kDynamic;
  /// The tensor whose dim `dim` has this size, or, where there is no dim, the
  /// size itself.
  mlir::Value value;
  std::optional<unsigned> dim;

  static Size of(int64_t number) { return {number, {}, {}}; }
  /// The size of a dim, followed to where it comes from: two dims with one
  /// source have one size.
  static Size of(mlir::Value tensor, unsigned dim);
  static Size of(mlir::OpFoldResult size);

  bool isStatic() const { return !mlir::ShapedType::isDynamic(number); }
  bool operator==(const Size &other) const {
    return number == other.number && value == other.value && dim == other.dim;
  }
  /// The size where `b` stands, which its tensor dominates.
  mlir::OpFoldResult emit(mlir::OpBuilder &b, mlir::Location loc) const;
};

/// An index that runs over its size.
using Atom = unsigned;

/// An index that is made of atoms, the outermost first: `a * size(b) + b` for
/// two. None is the only index of a dim of size 1.
using Place = llvm::SmallVector<Atom, 2>;

/// The atoms of one expression. A reshape may split one; places then mean its
/// parts.
class Atoms {
public:
  Atom make(const Size &size);
  /// A place over a dim of `size`: none or one atom.
  Place makePlace(const Size &size);
  /// `place` with the parts of atoms in their stead.
  Place flat(llvm::ArrayRef<Atom> place) const;
  Place flatAll(llvm::ArrayRef<Place> places) const;
  const Size &sizeOf(Atom atom) const { return sizes[atom]; }
  /// The product of the sizes, or dynamic.
  int64_t staticSize(llvm::ArrayRef<Atom> place) const;

  /// The places of dims of `sizes` that `place` runs over as one; atoms that
  /// lie across are split. None where sizes do not tell how.
  std::optional<llvm::SmallVector<Place>> split(llvm::ArrayRef<Atom> place,
                                                llvm::ArrayRef<Size> sizes);

private:
  /// Takes what makes up `size` off the inner end of `left`.
  std::optional<Place> takeInner(Place &left, const Size &size);
  /// Takes a whole number of atoms that make up `size` off the outer end.
  std::optional<Place> takeOuter(Place &left, const Size &size);

  llvm::SmallVector<Size> sizes;
  /// The parts of an atom that was split, the outermost first.
  llvm::DenseMap<Atom, Place> parts;
};

/// Whether `place` has an atom of `other`; both are flat.
bool meet(llvm::ArrayRef<Atom> place, llvm::ArrayRef<Atom> other);
/// Whether every atom of `place` is in `other`; both are flat.
bool isWithin(llvm::ArrayRef<Atom> place, llvm::ArrayRef<Atom> other);

/// The atoms of `place` that are in `other`, or with `isIn` false that are not.
Place select(llvm::ArrayRef<Atom> place, llvm::ArrayRef<Atom> other,
             bool isIn = true);
/// Whether both have the same atoms, in any order.
bool areSameSets(llvm::ArrayRef<Atom> a, llvm::ArrayRef<Atom> b);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_ATOMS_H
