// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Complex numbers, as rotary embeddings use them: two floats side by side, of
// which a last dim of size 2 counts real and imaginary part.
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Parts.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

/// view_as_complex and view_as_real: the floats are the same.
static void sameFloats(OpCall &op) { op.give(op.tensor("self")); }

/// The part of that number, without its dim.
static Built partOf(GraphBuilder &build, const Built &tensor, int64_t part) {
  if (!tensor)
    return {};
  if (!tensor.rank() || !(tensor.sizes.back() == SizePolynomial(2)))
    return build.fail(makeError("expected complex numbers, but got a real "
                                "tensor of shape {}",
                                toText(tensor.sizes)));
  return build.select(tensor, tensor.rank() - 1, part);
}

static Built joined(GraphBuilder &build, const Built &real,
                    const Built &imaginary) {
  if (!real || !imaginary)
    return {};
  int64_t last = real.rank();
  return build.concatenate(
      {build.withOnes(real, last), build.withOnes(imaginary, last)}, last);
}

/// Both parts from two operands, which spread.
static void giveParts(OpCall &op, const Built &x, const Built &y,
                      NumberFunction real, NumberFunction imaginary) {
  DType dtype = op.floatType();
  op.give(joined(op.build,
                 combine(op.build, {x, y}, dtype, dtype, bodyOf(real)),
                 combine(op.build, {x, y}, dtype, dtype, bodyOf(imaginary))));
}

/// abs cos(angle) + i abs sin(angle)
static void polar(OpCall &op) {
  giveParts(
      op, op.tensor("abs"), op.tensor("angle"),
      [](ArrayRef<Number> n) { return n[0] * n[1].by<math::CosOp>(); },
      [](ArrayRef<Number> n) { return n[0] * n[1].by<math::SinOp>(); });
}

static void complexOf(OpCall &op) {
  giveParts(
      op, op.tensor("real"), op.tensor("imag"),
      [](ArrayRef<Number> n) { return n[0]; },
      [](ArrayRef<Number> n) { return n[1]; });
}

static OpWriter onePart(int64_t part) {
  return [part](OpCall &op) {
    op.give(partOf(op.build, op.tensor("self"), part));
  };
}

/// (a + i b) (c + i d) = a c - b d + i (a d + b c); of a real number with a
/// complex one both parts are multiples.
static void multiply(OpCall &op) {
  GraphBuilder &build = op.build;
  DType dtype = op.floatType();
  Built x = op.operand("self"), y = op.operand("other");
  bool xIsReal = !op.isComplex("self"), yIsReal = !op.isComplex("other");
  if (!x || !y)
    return;
  if (xIsReal || yIsReal) {
    Built &real = xIsReal ? x : y;
    if (real.rank())
      real = build.withOnes(real, real.rank());
    return op.give(
        combine(build, {x, y}, dtype, dtype,
                bodyOf([](ArrayRef<Number> n) { return n[0] * n[1]; })));
  }
  std::vector<Built> parts = {partOf(build, x, 0), partOf(build, x, 1),
                              partOf(build, y, 0), partOf(build, y, 1)};
  op.give(joined(
      build, combine(build, parts, dtype, dtype, bodyOf([](ArrayRef<Number> n) {
                       return n[0] * n[2] - n[1] * n[3];
                     })),
      combine(build, parts, dtype, dtype, bodyOf([](ArrayRef<Number> n) {
                return n[0] * n[3] + n[1] * n[2];
              }))));
}

/// The number with the other sign of the imaginary part.
static void conjugate(OpCall &op) {
  Built x = op.tensor("self");
  DType dtype = op.floatType();
  Built real = partOf(op.build, x, 0), imaginary = partOf(op.build, x, 1);
  op.give(joined(op.build, real,
                 combine(op.build, imaginary, dtype, dtype,
                         bodyOf([](ArrayRef<Number> n) { return -n[0]; }))));
}

/// A view to the sizes that the file gives the result.
static void reshape(OpCall &op) {
  for (const char *name : {"size", "shape", "start_dim", "end_dim"})
    op.sizes(name);
  op.give(op.build.reshape(op.tensor("self"), op.result().sizes));
}

static void unsqueeze(OpCall &op) {
  Built x = op.tensor("self");
  // The dim of the parts is none of the file's.
  int64_t dim = op.dim("dim", x.rank(), 0);
  if (x)
    op.give(op.build.withOnes(x, dim));
}

static void transpose(OpCall &op) {
  Built x = op.tensor("self");
  int64_t rank = x.rank() - 1, first = op.dim("dim0", rank, 0),
          second = op.dim("dim1", rank, 1);
  if (!x || rank < 1)
    return;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
  std::swap(order[first], order[second]);
  op.give(op.build.transpose(x, order));
}

static void slice(OpCall &op) {
  Built x = op.tensor("self");
  int64_t dim = op.dim("dim", x.rank() - 1, 0);
  op.give(part(op, x, dim, op.size("start", 0), op.size("end", INT64_MAX),
               op.integer("step", 1)));
}

void mixattn::addComplex(OpTable &table) {
  for (const char *name :
       {"view_as_complex", "view_as_real", "clone", "contiguous", "detach",
        "to", "_to_copy", "alias", "lift_fresh_copy"})
    table[std::string("complex.") + name] = sameFloats;
  for (const char *name : {"view", "reshape", "_unsafe_view", "flatten"})
    table[std::string("complex.") + name] = reshape;
  table["complex.polar"] = polar;
  table["complex.complex"] = complexOf;
  table["complex.real"] = onePart(0);
  table["complex.imag"] = onePart(1);
  table["complex.mul"] = multiply;
  table["complex.conj"] = table["complex._conj"] = conjugate;
  table["complex.unsqueeze"] = unsqueeze;
  table["complex.transpose"] = transpose;
  table["complex.slice"] = slice;
  // Rows are picked along dims before that of the parts.
  table["complex.index"] = table.at("aten.index");
}
