// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products and einsum.
#include "lib/Import/ops/Number.h"

using namespace mlir;
using namespace mixattn;

/// Operands and result of an einsum of one type.
static Built sumOf(OpCall &op, const Built &x, const Built &y) {
  DType dtype = op.result().dtype;
  return combine(op.build, {x, y}, dtype, dtype,
                 [](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
                   if (isa<FloatType>(numbers[0].getType()))
                     return arith::AddFOp::create(b, loc, numbers[0],
                                                  numbers[1]);
                   return arith::AddIOp::create(b, loc, numbers[0], numbers[1]);
                 });
}

/// NumPy's matmul: the last two dims are matrices, a single dim is a vector,
/// and dims before spread.
static Built matrixProduct(GraphBuilder &build, const Built &x,
                           const Built &y) {
  if (!x || !y)
    return {};
  constexpr int64_t mostDims = 20;
  if (!x.rank() || !y.rank() || x.rank() > mostDims || y.rank() > mostDims)
    return build.fail(makeError("expected matrices to multiply, but got shapes "
                                "{} and {}",
                                toText(x.sizes), toText(y.sizes)));
  // Batch dims are letters from a on, counted from the innermost.
  auto batch = [](int64_t dims) {
    std::string letters;
    for (int64_t dim = dims - 1; dim >= 0; --dim)
      letters += static_cast<char>('a' + dim);
    return letters;
  };
  std::string xDims = x.rank() == 1 ? "K" : batch(x.rank() - 2) + "MK";
  std::string yDims = y.rank() == 1 ? "K" : batch(y.rank() - 2) + "KN";
  std::string result = batch(std::max(x.rank(), y.rank()) - 2);
  result += x.rank() == 1 ? "" : "M";
  result += y.rank() == 1 ? "" : "N";
  return build.contract(x, xDims, y, yDims, result);
}

static OpWriter matmul(const char *second) {
  return [second](OpCall &op) {
    op.give(matrixProduct(op.build, op.tensor("self"), op.tensor(second)));
  };
}

/// A tensor times a number of the model's text.
static Built scaled(GraphBuilder &build, const Built &tensor, double factor) {
  if (factor == 1 || !tensor)
    return tensor;
  Built number = build.filled(DType::F64, {}, factor);
  number.isNumber = true;
  return combine(build, {tensor, number}, tensor.dtype, tensor.dtype,
                 bodyOf([](ArrayRef<Number> n) { return n[0] * n[1]; }));
}

/// beta * self + alpha * product, computed in f32 where they are of 16 bits;
/// beta of 0 leaves NaN of self out.
static void giveSum(OpCall &op, const Built &product) {
  double alpha = op.number("alpha", 1), beta = op.number("beta", 1);
  Built self = op.tensor("self");
  if (!product || !self)
    return;
  if (alpha == 1 && beta == 1)
    return op.give(sumOf(op, product, self));
  DType dtype = op.result().dtype;
  op.give(combine(op.build, {product, self}, dtype, dtype,
                  bodyOf([=](ArrayRef<Number> n) {
                    Number scaled = alpha == 1 ? n[0] : n[0] * alpha;
                    return beta == 0 ? scaled : scaled + n[1] * beta;
                  })));
}

static OpWriter addProduct(const char *first, const char *second) {
  return [first, second](OpCall &op) {
    giveSum(op, matrixProduct(op.build, op.tensor(first), op.tensor(second)));
  };
}

/// The sum of products of matrices.
static void addSumOfProducts(OpCall &op) {
  giveSum(op, op.build.contract(op.tensor("batch1"), "BMK", op.tensor("batch2"),
                                "BKN", "MN"));
}

/// All products of an element of each of two vectors.
static Built outerProduct(OpCall &op, const char *first, const char *second) {
  return op.build.contract(op.tensor(first), "M", op.tensor(second), "N", "MN");
}

/// Sums over the last dim of both, for all others of one and of the other.
static OpWriter inner(const char *second) {
  return [second](OpCall &op) {
    Built x = op.tensor("self"), y = op.tensor(second);
    if (!x || !y)
      return;
    if (!x.rank() || !y.rank() || x.rank() + y.rank() > 20)
      return void(op.build.fail(makeError("expected vectors to multiply, but "
                                          "got shapes {} and {}",
                                          toText(x.sizes), toText(y.sizes))));
    std::string xDims, yDims;
    for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)
      xDims += static_cast<char>('a' + dim);
    for (int64_t dim = 0; dim + 1 < y.rank(); ++dim)
      yDims += static_cast<char>('A' + dim);
    op.give(op.build.contract(x, xDims + "z", y, yDims + "z", xDims + yDims));
  };
}

/// Products of matrices, from left to right.
static void productOfAll(OpCall &op) {
  std::vector<Built> matrices = op.tensors("tensors");
  Built product;
  for (const Built &each : matrices)
    product = product ? matrixProduct(op.build, product, each) : each;
  op.give(product);
}

/// sum_ij x[..., i] weight[o, i, j] y[..., j] + bias[o]
static void bilinear(OpCall &op) {
  Built x = op.tensor("input1"), y = op.tensor("input2"),
        weight = op.tensor("weight");
  if (!x || !y || !weight)
    return;
  std::string letters;
  for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)
    letters += static_cast<char>('a' + dim % 20);
  Built left =
      op.build.contract(x, letters + "I", weight, "OIJ", letters + "OJ");
  Built sums =
      op.build.contract(left, letters + "OJ", y, letters + "J", letters + "O");
  if (!op.has("bias"))
    return op.give(sums);
  Built bias = op.tensor("bias");
  if (sums && bias)
    op.give(sumOf(op, sums, bias));
}

/// x weight^T + bias
static void linear(OpCall &op) {
  Built x = op.tensor("input"), weight = op.tensor("weight");
  if (!x || !weight)
    return;
  std::string letters;
  for (int64_t dim = 0; dim + 1 < x.rank(); ++dim)
    letters += static_cast<char>('a' + dim % 26);
  Built product =
      op.build.contract(x, letters + "K", weight, "NK", letters + "N");
  if (!op.has("bias"))
    return op.give(product);
  Built bias = op.tensor("bias");
  if (product && bias)
    op.give(sumOf(op, product, bias));
}

/// The terms of an equation of einsum, `...` spelled out; empty where it is
/// none or has a letter twice in one term.
static std::vector<std::string> parseEinsum(std::string equation,
                                            ArrayRef<Built> operands) {
  llvm::erase(equation, ' ');
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  bool hasResult = equation.find("->") != std::string::npos;
  if (terms.size() != operands.size())
    return {};
  int64_t most = 0;
  std::vector<int64_t> spread;
  for (auto [term, operand] : llvm::zip_equal(terms, operands)) {
    spread.push_back(
        term.contains("...") ? operand.rank() - int64_t(term.size()) + 3 : 0);
    most = std::max(most, spread.back());
  }
  if (most > 9)
    return {};
  // Digits stand for the dims that spread, counted from the innermost.
  auto spell = [&](StringRef term, int64_t dims) {
    std::string digits;
    for (int64_t dim = dims - 1; dim >= 0; --dim)
      digits += static_cast<char>('0' + dim);
    auto [before, after] = term.split("...");
    return term.contains("...") ? before.str() + digits + after.str()
                                : term.str();
  };
  std::vector<std::string> result;
  for (auto [term, dims] : llvm::zip_equal(terms, spread))
    result.push_back(spell(term, std::max<int64_t>(dims, 0)));
  if (hasResult) {
    result.push_back(spell(right, most));
  } else {
    // Letters that occur once, in alphabetical order.
    std::string once;
    std::string all;
    for (const std::string &term : result)
      all += term;
    for (char letter : all)
      if (StringRef(all).count(letter) == 1 || llvm::isDigit(letter))
        if (!StringRef(once).contains(letter))
          once += letter;
    llvm::sort(once);
    result.push_back(once);
  }
  for (const std::string &term : result)
    for (char letter : term)
      if (!llvm::isAlnum(letter) || StringRef(term).count(letter) != 1)
        return {};
  for (auto [term, operand] : llvm::zip(result, operands))
    if (int64_t(term.size()) != operand.rank())
      return {};
  for (char letter : result.back()) {
    bool isGiven = false;
    for (const std::string &term : ArrayRef(result).drop_back())
      isGiven |= StringRef(term).contains(letter);
    if (!isGiven)
      return {};
  }
  return result;
}

/// One operand: sums, then another order.
static Built rearrange(GraphBuilder &build, const Built &tensor, StringRef term,
                       StringRef result) {
  SmallVector<int64_t> gone;
  std::string left;
  for (auto [dim, letter] : llvm::enumerate(term))
    if (result.contains(letter))
      left += letter;
    else
      gone.push_back(dim);
  Built summed = gone.empty() ? tensor : build.sum(tensor, gone);
  auto order = llvm::map_to_vector(
      result, [&](char letter) { return int64_t(left.find(letter)); });
  if (!summed || llvm::is_sorted(order))
    return summed;
  return build.transpose(summed, order);
}

/// Products of operands one after the other, from left to right.
static void einsum(OpCall &op) {
  std::string equation = op.text("equation", "");
  std::vector<Built> operands = op.tensors("tensors");
  for (const Built &each : operands)
    if (!each)
      return;
  std::vector<std::string> terms = parseEinsum(equation, operands);
  if (terms.empty() || operands.empty()) {
    op.build.fail(makeError("expected an equation of einsum for {} tensors "
                            "with each letter once in a term, but got '{}'",
                            operands.size(), equation));
    return;
  }
  std::string result = terms.back();
  if (operands.size() == 1)
    return op.give(rearrange(op.build, operands[0], terms[0], result));
  Built product = operands[0];
  std::string letters = terms[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string next = result;
    if (i + 1 < operands.size()) {
      // Letters that later operands or the result still need.
      std::string needed = result;
      for (size_t later = i + 1; later < operands.size(); ++later)
        needed += terms[later];
      next.clear();
      for (char letter : letters + terms[i])
        if (StringRef(needed).contains(letter) &&
            !StringRef(next).contains(letter))
          next += letter;
    }
    product = op.build.contract(product, letters, operands[i], terms[i], next);
    letters = next;
  }
  op.give(product);
}

/// A sum over dims of both, which come in pairs; then what is left of both.
static void tensorProduct(OpCall &op) {
  Built x = op.tensor("self"), y = op.tensor("other");
  SmallVector<int64_t> own = op.orderedDims("dims_self", x.rank()),
                       others = op.orderedDims("dims_other", y.rank());
  auto pairs = int64_t(own.size());
  constexpr int64_t mostDims = 20;
  if (own.size() != others.size() || pairs > std::min(x.rank(), y.rank()) ||
      std::max(x.rank(), y.rank()) > mostDims)
    op.build.fail(makeError("expected pairs of dims, of up to {} each, but got "
                            "{} of shape {} and {} of shape {}",
                            mostDims, own.size(), toText(x.sizes),
                            others.size(), toText(y.sizes)));
  if (op.build.failure())
    return;
  // Letters from a on are dims of one, from A on those of the other.
  std::string xDims, yDims, result;
  for (int64_t dim = 0; dim < x.rank(); ++dim)
    xDims += static_cast<char>('a' + dim);
  for (int64_t dim = 0; dim < y.rank(); ++dim)
    yDims += static_cast<char>('A' + dim);
  for (auto [dim, other] : llvm::zip_equal(own, others))
    yDims[other] = xDims[dim];
  for (char letter : xDims)
    if (!StringRef(yDims).contains(letter))
      result += letter;
  for (char letter : yDims)
    if (!StringRef(xDims).contains(letter))
      result += letter;
  op.give(op.build.contract(x, xDims, y, yDims, result));
}

/// alpha A B + beta C, A and B transposed if asked for.
static void generalProduct(OpCall &op) {
  Built a = op.tensor("a"), b = op.tensor("b");
  bool aTransposed = op.flag("transA", false),
       bTransposed = op.flag("transB", false);
  double alpha = op.number("alpha", 1), beta = op.number("beta", 1);
  Built product = op.build.contract(a, aTransposed ? "KM" : "MK", b,
                                    bTransposed ? "NK" : "KN", "MN");
  if (product && !isFloat(product.dtype))
    return void(op.build.fail(
        makeError("expected floats, but got {}", nameOf(product.dtype))));
  product = scaled(op.build, product, alpha);
  if (!op.has("c"))
    return op.give(product);
  Built c = scaled(op.build, op.tensor("c"), beta);
  if (product && c)
    op.give(sumOf(op, product, c));
}

void mixattn::addProducts(OpTable &table) {
  table["onnx.MatMul"] = fromOnnx({"self", "other"}, {}, matmul("other"));
  table["onnx.Gemm"] = fromOnnx({"a", "b", "c"}, {}, generalProduct);
  table["onnx.Einsum"] = fromOnnxList("tensors", {}, einsum);
  table["aten.matmul"] = matmul("other");
  table["aten.mm"] = table["aten.bmm"] = matmul("mat2");
  table["aten.mv"] = matmul("vec");
  table["aten.addmm"] = addProduct("mat1", "mat2");
  table["aten.baddbmm"] = addProduct("batch1", "batch2");
  table["aten.addmv"] = addProduct("mat", "vec");
  table["aten.addbmm"] = addSumOfProducts;
  table["aten.addr"] = [](OpCall &op) {
    giveSum(op, outerProduct(op, "vec1", "vec2"));
  };
  table["aten.outer"] = table["aten.ger"] = [](OpCall &op) {
    op.give(outerProduct(op, "self", "vec2"));
  };
  table["aten.dot"] = inner("tensor");
  table["aten.vdot"] = table["aten.inner"] = inner("other");
  table["aten.linalg_multi_dot"] = productOfAll;
  table["aten.bilinear"] = bilinear;
  table["aten.linear"] = linear;
  table["aten.einsum"] = einsum;
  table["aten.tensordot"] = tensorProduct;
}
