// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps in which ops of imported graphs are written as linalg on tensors.
#ifndef MIXATTN_LIB_IMPORT_GRAPHBUILDER_H
#define MIXATTN_LIB_IMPORT_GRAPHBUILDER_H

#include "lib/Import/JoinedDims.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <functional>

namespace mixattn {

/// Computes a number from numbers.
using NumberBody = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                             mlir::ValueRange)>;

/// The longest lists of integers that are followed: shapes, and what is
/// computed from them.
constexpr int64_t mostListed = 64;

/// A tensor of the module being built: either a value, or numbers that follow
/// from places, sizes and constants alone, which are computed where they are
/// read and lie in no memory.
struct Built {
  DType dtype = DType::F32;
  SizeList sizes;
  mlir::Value value = {};
  /// The element at a place, one index for each dim.
  NumberBody element = {};
  /// Whether it is a number in the model's text, whose type yields to those of
  /// tensors.
  bool isNumber = false;
  /// The number that every element is, where that is known.
  std::optional<double> constant = {};
  /// All elements in row-major order, where they are few and follow from sizes
  /// and constants alone.
  std::optional<SizeList> integers = {};
  /// Whether it is an argument that the model writes to, or what that is once
  /// rows were written.
  bool isUpdated = false;

  explicit operator bool() const { return value || element; }
  int64_t rank() const { return static_cast<int64_t>(sizes.size()); }
};

/// Integers as a type of integers holds them, by its lowest bits; truth values
/// are 0 and 1. Those that depend on sizes are taken to fit.
SizeList asHeld(DType dtype, SizeList integers);

/// The integers that a list has at other places, of which it gives `sizes`:
/// each of the result's from where `placeOf` moves it to. Nothing where it is
/// no list, sizes are not known or a place is outside.
std::optional<SizeList>
movedList(const Built &tensor, const SizeList &sizes,
          llvm::function_ref<void(llvm::MutableArrayRef<int64_t>)> placeOf);

/// Writes one function, op after op. Once something failed, every step gives
/// nothing, and what is given nothing gives nothing.
class GraphBuilder {
public:
  /// Builds at the end of the entry's only block.
  GraphBuilder(mlir::OpBuilder builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  /// Says why the graph cannot be built, if nothing did before.
  Built fail(const Error &error);
  const std::optional<Error> &failure() const { return firstError; }
  /// The same of two sizes that should be equal. The graph can be built again
  /// with one in place of both where that is open dims alone.
  Built failSizes(const Error &error, const SizePolynomial &a,
                  const SizePolynomial &b);
  /// The same of the first sizes that differ.
  Built failSizes(const Error &error, const SizeList &a, const SizeList &b);
  /// The same of sizes of which the second should divide the first: the graph
  /// can be built again with one dim in place of another, or with a multiple.
  Built failQuotient(const Error &error, const SizePolynomial &a,
                     const SizePolynomial &b);
  /// Says that this quotient is none of all sizes: what fails from now on may
  /// be for that.
  void noteQuotient(const SizePolynomial &a, const SizePolynomial &b);
  /// The dim that the failure would not be without.
  const std::optional<JoinedDim> &joinedDim() const { return joined; }
  /// Gives the ops that are made from now on that place.
  void setLocation(mlir::Location place) {
    loc = place;
    numGenerated = 0;
  }

  /// Says that `dim` of `argument` is of that size, and so what the open dim in
  /// it is, unless that is known: `B`, or `4 B` where no argument has B.
  void defineDim(const SizePolynomial &size, mlir::Value argument, int64_t dim);
  /// Says that sizes call an integer, one of a tensor, by that name; where
  /// `isCount` is set it is at least 0.
  void defineInteger(const std::string &name, mlir::Value index, bool isCount);
  /// Whether a size depends on integers of tensors; on such that may be below 0
  /// where `below` is set.
  bool dependsOnIntegers(const SizePolynomial &size, bool below = false) const;
  /// The sizes of open dims at which all parts of tensors lie within them.
  const std::map<std::string, DimRange> &limits() const { return ranges; }
  /// Lets calls check that `size` is at least 0; fails where no range of one
  /// dim tells that.
  void requireSize(const SizePolynomial &size);
  /// The size as an attribute, or as a value of type index.
  mlir::OpFoldResult sizeOf(const SizePolynomial &size);
  mlir::Value indexOf(const SizePolynomial &size);
  mlir::Type typeOf(DType dtype);
  mlir::RankedTensorType typeOf(DType dtype, const SizeList &sizes);

  /// The same number everywhere; one of the model's text where `isNumber`.
  Built filled(DType dtype, const SizeList &sizes, double number);
  Built filledInteger(DType dtype, const SizeList &sizes, int64_t number);
  /// These integers, or truth values, in row-major order.
  Built listed(DType dtype, const SizeList &sizes, const SizeList &integers);
  /// A size as a number of type i64.
  Built number(const SizePolynomial &size);
  /// Elements computed from their places.
  Built generated(DType dtype, const SizeList &sizes, NumberBody element);
  /// The tensor in memory.
  mlir::Value valueOf(const Built &tensor);

  /// The sizes to which all operands spread by NumPy's rule.
  SizeList broadcast(llvm::ArrayRef<Built> operands);
  /// One number from the numbers of all operands at each place of `sizes`, to
  /// which they spread.
  Built pointwise(DType dtype, const SizeList &sizes,
                  llvm::ArrayRef<Built> operands, NumberBody body);
  /// The elements as others' type, as C converts; to bool, whether not 0.
  Built convert(const Built &tensor, DType dtype);
  /// Combines the numbers of operands, which spread to `sizes`, along some
  /// dims, which then are gone: `body` takes them and what has been combined so
  /// far, at first `init`.
  Built reduce(DType dtype, const SizeList &sizes, llvm::ArrayRef<int64_t> dims,
               llvm::ArrayRef<Built> operands, mlir::TypedAttr init,
               NumberBody body);
  /// Sums along dims, 16-bit floats in f32.
  Built sum(const Built &tensor, llvm::ArrayRef<int64_t> dims);
  /// The largest (or the smallest) along dims; NaN where one is.
  Built extreme(const Built &tensor, llvm::ArrayRef<int64_t> dims,
                bool isLargest);
  /// The tensor with `dims`, which a reduction of `sizes` lost, as ones.
  Built withOnes(const Built &tensor, llvm::ArrayRef<int64_t> dims);
  /// The normalised exponentials along a dim.
  Built softmax(const Built &tensor, int64_t dim);

  /// Sums over all letters that `result` lacks of the products of `a` and `b`,
  /// of one element type, whose dims the letters name, as einsum does.
  Built contract(const Built &a, llvm::StringRef aDims, const Built &b,
                 llvm::StringRef bDims, llvm::StringRef result);

  /// The same elements in row-major order with other sizes.
  Built reshape(const Built &tensor, const SizeList &sizes);
  /// Dim i of the result is dim order[i] of `tensor`.
  Built transpose(const Built &tensor, llvm::ArrayRef<int64_t> order);
  /// Every `step`-th of the elements from `begin` on.
  Built slice(const Built &tensor, int64_t dim, const SizePolynomial &begin,
              const SizePolynomial &size, int64_t step = 1);
  /// The elements at `index` of a dim, without that dim.
  Built select(const Built &tensor, int64_t dim, const SizePolynomial &index);
  /// Tensors one after the other along a dim.
  Built concatenate(llvm::ArrayRef<Built> tensors, int64_t dim);

  /// The builder for what no step above writes.
  mlir::OpBuilder &builder() { return b; }
  mlir::Location location() const { return loc; }

private:
  struct Reading;
  /// An open dim: the dim of an argument that tells it, by which size of that,
  /// and how many came before.
  struct OpenDim {
    mlir::Value argument;
    int64_t dim;
    SizePolynomial::Affine size;
    size_t order;
  };
  mlir::Value indexOf(const OpenDim &open);
  Built reshaped(const Built &tensor, const SizeList &sizes);
  Reading read(const Built &operand, const SizeList &sizes);
  mlir::Value emitLoops(llvm::ArrayRef<Built> operands, const SizeList &sizes,
                        mlir::AffineMap resultMap, mlir::Value init,
                        const NumberBody &body);
  mlir::Value empty(DType dtype, const SizeList &sizes);
  mlir::Value filledInit(mlir::TypedAttr number, const SizeList &sizes);
  Built dropOnes(const Built &tensor, llvm::StringRef &dims,
                 const std::map<char, SizePolynomial> &sizes,
                 std::string &left);
  bool hasFailed(llvm::ArrayRef<Built> operands) const;
  /// The open dims of arguments by how many come before.
  std::map<std::string, size_t> dimPlaces() const;
  /// Fails if an operand does not spread to `sizes`.
  bool cannotSpread(llvm::ArrayRef<Built> operands, const SizeList &sizes);

  mlir::OpBuilder b;
  mlir::Location loc;
  std::optional<Error> firstError;
  /// Numbers that follow from places, computed in the present body.
  size_t numGenerated = 0;
  std::optional<JoinedDim> joined;
  std::map<std::string, DimRange> ranges;
  std::map<std::string, OpenDim> dims;
  std::map<std::string, mlir::Value> sizeValues;
  /// Integers of tensors, and whether they are at least 0.
  std::map<std::string, bool> integers;
};

/// `value` of one element type as another, as C converts.
mlir::Value convertNumber(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value value, DType from, DType to);

/// The type in which numbers of `dtype` are computed: f32 for 16-bit floats.
DType computedAs(DType dtype);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_GRAPHBUILDER_H
