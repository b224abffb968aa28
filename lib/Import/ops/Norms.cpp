// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layer, group and RMS norm and variances: sums along the last dims, then one
// loop over all elements.
#include "lib/Import/ops/Number.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mixattn;

static Value quotient(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::DivFOp::create(b, loc, x, y);
}

/// The sum of the squares of x, or of x - sum / count where there is a `sum`.
static Built sumOfSquares(GraphBuilder &build, const Built &x,
                          ArrayRef<int64_t> dims, const Built *sum,
                          const Built &count) {
  std::vector<Built> operands = {x};
  if (sum)
    operands.insert(operands.end(), {build.withOnes(*sum, dims), count});
  auto zero =
      cast<TypedAttr>(build.builder().getZeroAttr(build.typeOf(x.dtype)));
  return build.reduce(
      x.dtype, x.sizes, dims, operands, zero,
      [hasMean = sum != nullptr](OpBuilder &b, Location loc,
                                 ValueRange numbers) -> Value {
        Value value = numbers[0];
        if (hasMean)
          value = arith::SubFOp::create(
              b, loc, value, quotient(b, loc, numbers[1], numbers[2]));
        Value square = arith::MulFOp::create(b, loc, value, value);
        return arith::AddFOp::create(b, loc, numbers.back(), square);
      });
}

namespace {

/// The parts of a norm: (x - sum / count) / sqrt(squares / count + epsilon).
struct Moments {
  Built x, sum, squares, count;
  SmallVector<int64_t> dims;
};

} // namespace

/// The moments of the dims that `shape` has, the last ones.
static std::optional<Moments> momentsOf(OpCall &op, const Built &tensor,
                                        const SizeList &shape, bool hasMean) {
  if (!tensor)
    return std::nullopt;
  int64_t first = tensor.rank() - int64_t(shape.size());
  if (first < 0 || shape.empty() ||
      !std::equal(shape.begin(), shape.end(), tensor.sizes.begin() + first)) {
    op.build.fail(makeError("expected a norm of the last dims of shape {}, but "
                            "got {}",
                            toText(tensor.sizes), toText(shape)));
    return std::nullopt;
  }
  Moments made;
  made.x = op.build.convert(tensor, computedAs(tensor.dtype));
  made.dims = llvm::to_vector(llvm::seq<int64_t>(first, tensor.rank()));
  SizePolynomial count = 1;
  for (const SizePolynomial &size : shape)
    count *= size;
  made.count = op.build.convert(op.build.number(count), made.x.dtype);
  if (hasMean)
    made.sum = op.build.sum(made.x, made.dims);
  made.squares = sumOfSquares(op.build, made.x, made.dims,
                              hasMean ? &made.sum : nullptr, made.count);
  if (!made.squares)
    return std::nullopt;
  return made;
}

/// The normalised elements times `weight`, plus `bias`.
static Built normalised(OpCall &op, const Moments &of, double epsilon,
                        const Built &weight, const Built &bias, DType result) {
  bool hasMean = bool(of.sum), hasWeight = bool(weight), hasBias = bool(bias);
  std::vector<Built> operands = {of.x, op.build.withOnes(of.squares, of.dims),
                                 of.count,
                                 op.build.filled(of.x.dtype, {}, epsilon)};
  DType wide = of.x.dtype;
  if (hasMean)
    operands.push_back(op.build.withOnes(of.sum, of.dims));
  if (hasWeight)
    operands.push_back(op.build.convert(weight, wide));
  if (hasBias)
    operands.push_back(op.build.convert(bias, wide));
  return op.build.pointwise(
      result, of.x.sizes, operands,
      [=](OpBuilder &b, Location loc, ValueRange numbers) {
        Value value = numbers[0], count = numbers[2];
        size_t next = 4;
        if (hasMean)
          value = arith::SubFOp::create(
              b, loc, value, quotient(b, loc, numbers[next++], count));
        Value variance = arith::AddFOp::create(
            b, loc, quotient(b, loc, numbers[1], count), numbers[3]);
        Value scale = math::RsqrtOp::create(b, loc, variance);
        value = arith::MulFOp::create(b, loc, value, scale);
        if (hasWeight)
          value = arith::MulFOp::create(b, loc, value, numbers[next++]);
        if (hasBias)
          value = arith::AddFOp::create(b, loc, value, numbers[next++]);
        return convertNumber(b, loc, value, wide, result);
      });
}

static Built optional(OpCall &op, StringRef name) {
  return op.has(name) ? op.tensor(name) : Built();
}

/// All of layer norm's results: where PyTorch asks for them, mean and inverse
/// deviation as well, which nothing may read.
static void layerNorm(OpCall &op) {
  Built x = op.build.convert(op.tensor("input"), op.floatType());
  Built weight = optional(op, "weight"), bias = optional(op, "bias");
  double epsilon = op.number("eps", 1e-5);
  auto moments = momentsOf(op, x, op.sizes("normalized_shape"), true);
  if (moments)
    op.give(normalised(op, *moments, epsilon, weight, bias, x.dtype));
}

/// Without an epsilon it is the type's: the distance of 1 to the next number.
static void rmsNorm(OpCall &op) {
  Built x = op.build.convert(op.tensor("input"), op.floatType());
  Built weight = optional(op, "weight");
  DType dtype = x ? x.dtype : DType::F32;
  double smallest = dtype == DType::F64   ? 0x1p-52
                    : dtype == DType::F16 ? 0x1p-10
                    : dtype == DType::F32 ? 0x1p-23
                                          : 0x1p-7;
  double epsilon = op.number("eps", smallest);
  auto moments = momentsOf(op, x, op.sizes("normalized_shape"), false);
  if (moments)
    op.give(normalised(op, *moments, epsilon, weight, Built(), dtype));
}

/// The sizes from the dim that an attribute names on.
static SizeList sizesFromAxis(OpCall &op, const Built &x) {
  int64_t axis = op.dim("axis", x.rank(), -1);
  return SizeList(x.sizes.begin() + std::min(axis, x.rank()), x.sizes.end());
}

/// ONNX's norms of the dims from `axis` on, computed in f32 or wider.
static OpWriter normFromAxis(bool hasMean) {
  return [hasMean](OpCall &op) {
    Built x = op.build.convert(op.tensor("input"), op.floatType());
    Built weight = optional(op, "weight"), bias = optional(op, "bias");
    double epsilon = op.number("epsilon", 1e-5);
    op.integer("stash_type", 1);
    auto moments = momentsOf(op, x, sizesFromAxis(op, x), hasMean);
    if (moments)
      op.give(normalised(op, *moments, epsilon, weight, bias, x.dtype));
  };
}

/// Weights of channels, in groups, or of groups, as they spread to [B, G,
/// C / G, ...] of that rank.
static Built ofGroups(OpCall &op, const Built &weight,
                      const SizePolynomial &groups, const SizePolynomial &each,
                      int64_t rank) {
  if (!weight)
    return {};
  SizeList sizes(rank - 1, 1);
  sizes[0] = groups;
  // Opset 18 has one number for a group.
  if (!(weight.sizes == SizeList{groups}))
    sizes[1] = each;
  return op.build.reshape(weight, sizes);
}

/// A norm of each of as many groups of the channels of [B, C, ...] as
/// `num_groups` says, or of each channel.
static void groupNorm(OpCall &op) {
  Built x = op.build.convert(op.tensor("input"), op.floatType());
  Built weight = optional(op, "weight"), bias = optional(op, "bias");
  double epsilon = op.number("eps", 1e-5);
  // PyTorch's own op names them otherwise, and the sizes once more.
  op.rename("group", "num_groups", std::nullopt);
  for (const char *size : {"N", "C", "HxW"})
    op.size(size, 0);
  op.integer("stash_type", 1);
  op.flag("cudnn_enabled", false);
  if (!x)
    return;
  bool mustSay = llvm::StringRef(op.source().op).contains("GroupNorm");
  if (mustSay && !op.has("num_groups"))
    return void(op.build.fail(makeError("expected the number of groups")));
  SizePolynomial channels =
                     x.rank() > 1 ? x.sizes[1] : SizePolynomial::unknown(),
                 groups = channels, each = 1;
  if (op.has("num_groups")) {
    int64_t number = op.integer("num_groups", 1);
    groups = number;
    each = channels.dividedBy(number);
  }
  if (!each.isKnown() || x.rank() < 2 || groups.asNumber().value_or(1) < 1)
    return void(op.build.fail(makeError("expected channels that {} groups "
                                        "divide, but got shape {}",
                                        groups.toText(), toText(x.sizes))));
  SizeList sizes = x.sizes;
  sizes[1] = groups;
  sizes.insert(sizes.begin() + 2, each);
  int64_t rank = int64_t(sizes.size());
  auto moments = momentsOf(op, op.build.reshape(x, sizes),
                           SizeList(sizes.begin() + 2, sizes.end()), true);
  if (moments)
    op.give(op.build.reshape(
        normalised(op, *moments, epsilon,
                   ofGroups(op, weight, groups, each, rank),
                   ofGroups(op, bias, groups, each, rank), x.dtype),
        x.sizes));
}

/// A norm of each channel of each item, by its own elements.
static void instanceNorm(OpCall &op) {
  op.number("momentum", 0);
  bool isOwn = op.flag("use_input_stats", true);
  if (!isOwn || op.has("running_mean") || op.has("running_var"))
    return void(op.build.fail(makeError("expected a norm by each item's own "
                                        "elements, without statistics")));
  groupNorm(op);
}

/// (x - mean) / sqrt(variance + eps) * weight + bias, numbers of each channel.
static void batchNorm(OpCall &op) {
  Built x = op.build.convert(op.tensor("input"), op.floatType());
  double epsilon = op.number("eps", 1e-5);
  op.number("momentum", 0);
  op.flag("cudnn_enabled", false);
  if (op.flag("training", false) || op.flag("use_input_stats", false))
    op.build.fail(makeError("expected a model that was exported for "
                            "inference, but got a norm of a batch"));
  if (!x)
    return;
  if (x.rank() < 2)
    return void(
        op.build.fail(makeError("expected a tensor [B, C, ...], but got "
                                "shape {}",
                                toText(x.sizes))));
  SizeList column(x.rank() - 1, 1);
  column[0] = x.sizes[1];
  auto ofChannels = [&](const char *name, std::optional<double> otherwise) {
    return op.has(name) || !otherwise
               ? op.build.reshape(op.tensor(name), column)
               : op.build.filled(DType::F32, {}, *otherwise);
  };
  // A factor and an offset of each channel, once for all items.
  DType wide = computedAs(x.dtype);
  Built scale = combine(
      op.build, {ofChannels("running_var", {}), ofChannels("weight", 1)}, wide,
      wide, bodyOf([=](ArrayRef<Number> n) {
        return (n[0] + epsilon).by<math::RsqrtOp>() * n[1];
      }));
  Built offset = combine(
      op.build, {ofChannels("bias", 0), ofChannels("running_mean", {}), scale},
      wide, wide,
      bodyOf([](ArrayRef<Number> n) { return n[0] - n[1] * n[2]; }));
  op.give(
      combine(op.build, {x, scale, offset}, wide, x.dtype,
              bodyOf([](ArrayRef<Number> n) { return n[0] * n[1] + n[2]; })));
}

/// Mean squares of distances from the mean, of count - correction, or their
/// roots; where asked for, the means are a second result.
static void varianceOrDeviation(OpCall &op, bool isDeviation) {
  DType dtype = op.floatType();
  Built x = op.build.convert(op.tensor("self"), computedAs(dtype));
  SmallVector<int64_t> dims = op.dims("dim", x.rank());
  bool keeps = op.flag("keepdim", false);
  double correction = op.has("unbiased") ? op.flag("unbiased", true)
                                         : op.number("correction", 1);
  if (!x)
    return;
  SizePolynomial number = 1;
  for (int64_t dim : dims)
    number *= x.sizes[dim];
  Built count = op.build.convert(op.build.number(number), x.dtype);
  Built sum = op.build.sum(x, dims);
  Built squares = sumOfSquares(op.build, x, dims, &sum, count);
  auto give = [&](const Built &total, double less, size_t index) {
    if (!total)
      return;
    Built mean = combine(
        op.build, {total, count, op.build.filled(x.dtype, {}, less)}, x.dtype,
        dtype, [=](OpBuilder &b, Location loc, ValueRange numbers) {
          Value left = arith::SubFOp::create(b, loc, numbers[1], numbers[2]);
          Value result = quotient(b, loc, numbers[0], left);
          if (isDeviation && index == 0)
            result = math::SqrtOp::create(b, loc, result);
          return result;
        });
    op.give(keeps ? op.build.withOnes(mean, dims) : mean, index);
  };
  give(squares, correction, 0);
  if (op.numResults() > 1)
    give(sum, 0, 1);
}

void mixattn::addNorms(OpTable &table) {
  table["aten.var"] = table["aten.var_mean"] = [](OpCall &op) {
    varianceOrDeviation(op, false);
  };
  table["aten.std"] = table["aten.std_mean"] = [](OpCall &op) {
    varianceOrDeviation(op, true);
  };
  table["aten.layer_norm"] = layerNorm;
  table["aten.native_layer_norm"] = layerNorm;
  table["aten.rms_norm"] = rmsNorm;
  table["aten.group_norm"] = table["aten.native_group_norm"] = groupNorm;
  table["aten.instance_norm"] = instanceNorm;
  table["aten.batch_norm"] = batchNorm;
  table["aten._native_batch_norm_legit_no_training"] = batchNorm;
  table["onnx.GroupNormalization"] =
      fromOnnx({"input", "weight", "bias"}, {{"eps", "epsilon"}}, groupNorm);
  table["onnx.InstanceNormalization"] =
      fromOnnx({"input", "weight", "bias"}, {{"eps", "epsilon"}}, groupNorm);
  table["onnx.BatchNormalization"] =
      fromOnnx({"input", "weight", "bias", "running_mean", "running_var"},
               {{"eps", "epsilon"}, {"training", "training_mode"}}, batchNorm);
  table["onnx.LayerNormalization"] =
      fromOnnx({"input", "weight", "bias"}, {}, normFromAxis(true));
  table["onnx.RMSNormalization"] =
      fromOnnx({"input", "weight"}, {}, normFromAxis(false));
}
