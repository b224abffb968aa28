// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention said outright: mixattn.ops in PyTorch and the domain mixattn in
// ONNX. Each op is the attn op of its name, each argument a clause of it.
#include "lib/Import/ops/Attention.h"

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// The open sizes of one attention: B, N, S, and K, the keys that scores have.
using OpenSizes = std::map<char, SizePolynomial>;

/// The dims of an operand from the first on. A letter is one of OpenSizes, what
/// else there is the op itself verifies.
struct OperandShape {
  StringLiteral name, letters;
};

} // namespace

static constexpr OperandShape shapes[] = {
    {"key_projection", "KS"}, {"value_projection", "KS"}, {"lengths", "B"},
    {"start", "B"},           {"noise", "B.NK"},          {"prior", "..S"},
    {"mix_source", "B.N."}};

/// As arguments are called: `mixer`, before the softmax or after it.
static StringRef argumentOf(StringRef operand) {
  return operand == "premixer" ? "mixer" : operand;
}

static void failSizes(OpCall &op, StringRef name, const Built &tensor,
                      const OpenSizes &sizes, char letter,
                      const SizePolynomial &size) {
  SizeList all;
  for (const auto &[letter, size] : sizes)
    if (letter != 'K')
      all.push_back(size);
  op.build.failSizes(makeError("expected argument '{}' to agree with batch, "
                               "queries and keys {}, but got shape {}",
                               argumentOf(name), toText(all),
                               toText(tensor.sizes)),
                     size, sizes.at(letter));
}

/// Fails unless the dims that have letters have these sizes.
static void checkDims(OpCall &op, StringRef name, StringRef letters,
                      const Built &tensor, const OpenSizes &sizes) {
  for (auto [letter, size] : llvm::zip(letters, tensor.sizes))
    if (letter != '.' && !(size == sizes.at(letter)))
      return failSizes(op, name, tensor, sizes, letter, size);
}

/// The sizes that queries, keys and values agree on; none where they do not.
static std::optional<OpenSizes> openSizes(OpCall &op) {
  Built q = op.tensor("query"), k = op.tensor("key"), v = op.tensor("value");
  if (!q || !k || !v)
    return std::nullopt;
  Error error = makeError("expected queries [B, H, N, D], keys [B, H, S, D] or "
                          "[B, H, R, S, D] and values [B, H, S, E], but got "
                          "shapes {}, {} and {}",
                          toText(q.sizes), toText(k.sizes), toText(v.sizes));
  if (q.rank() != 4 || v.rank() != 4 || (k.rank() != 4 && k.rank() != 5)) {
    op.build.fail(error);
    return std::nullopt;
  }
  SizeList some = {q.sizes[0], q.sizes[0], k.sizes[k.rank() - 2]},
           others = {k.sizes[0], v.sizes[0], v.sizes[2]};
  if (some != others) {
    op.build.failSizes(error, some, others);
    return std::nullopt;
  }
  SizePolynomial keys = v.sizes[2], seen = keys;
  if (op.has("key_projection"))
    if (Built e = op.tensor("key_projection"); e && e.rank())
      seen = e.sizes[0];
  return OpenSizes{
      {'B', q.sizes[0]}, {'N', q.sizes[2]}, {'S', keys}, {'K', seen}};
}

/// An operand, whose open sizes are those of the attention.
static Value operandOf(OpCall &op, StringRef name, const OpenSizes &sizes) {
  Built tensor = op.tensor(argumentOf(name));
  if (!tensor)
    return {};
  for (const OperandShape &shape : shapes)
    if (shape.name == name)
      checkDims(op, name, shape.letters, tensor, sizes);
  if ((name == "bias" || name == "mask") && tensor.rank() <= 4) {
    // Both spread from the right.
    StringRef letters = "B.NK";
    for (auto [letter, size] :
         llvm::zip(letters.take_back(tensor.rank()), tensor.sizes))
      if (letter != '.' && !(size == sizes.at(letter)) &&
          !(size == SizePolynomial(1)))
        failSizes(op, name, tensor, sizes, letter, size);
  }
  return op.build.valueOf(tensor);
}

/// Two places, below and above.
static Attribute bandOf(OpCall &op, StringRef name) {
  MLIRContext *context = op.build.builder().getContext();
  SizeList places = op.sizes(name);
  if (places.size() == 2 && places[0].asNumber() && places[1].asNumber())
    return BandAttr::getChecked(
        [&] { return mlir::emitError(op.build.location()); }, context,
        *places[0].asNumber(), *places[1].asNumber());
  op.build.fail(makeError("expected argument '{}' to be a number of keys below "
                          "and one above, but got {}",
                          name, toText(places)));
  return {};
}

static Attribute featureMapOf(OpCall &op, StringRef name) {
  std::string text = op.text(name, "elu");
  if (std::optional<FeatureKind> kind = symbolizeFeatureKind(text))
    return FeatureMapAttr::getChecked(
        [&] { return mlir::emitError(op.build.location()); },
        op.build.builder().getContext(), *kind, op.integer("rolls", 0));
  op.build.fail(makeError("expected a feature map, but got '{}'", text));
  return {};
}

static Attribute noiseOf(OpCall &op, StringRef name) {
  std::string text = op.text(name, "");
  if (std::optional<NoiseKind> kind = symbolizeNoiseKind(text))
    return NoiseKindAttr::get(op.build.builder().getContext(), *kind);
  op.build.fail(
      makeError("expected noise 'local' or 'global', but got '{}'", text));
  return {};
}

/// The clause of that name as an attribute; null where it is not said. A
/// feature map is elu then: files leave out what PyTorch takes by default.
static Attribute attributeOf(OpCall &op, StringRef name) {
  Builder &b = op.build.builder();
  if (name == "feature_map")
    return featureMapOf(op, name);
  if (!op.has(name))
    return {};
  if (name == "scale" || name == "eps" || name == "output_scale")
    return b.getF64FloatAttr(op.number(name, 0));
  if (name == "variances")
    return b.getDenseF64ArrayAttr(op.numbers(name));
  if (name == "band" || name == "keep")
    return bandOf(op, name);
  if (name == "noise_kind")
    return noiseOf(op, name);
  return op.flag(name, false) ? b.getUnitAttr() : Attribute();
}

/// `^bb0(%s, %b, %h, %i, %j): attn.yield c tanh(s / c)`
static void addSoftcap(OpCall &op, Region &region) {
  double cap = op.number("softcap", 0);
  Location loc = op.build.location();
  OpBuilder b(op.build.builder().getContext());
  Block *block = b.createBlock(&region);
  Value score = block->addArgument(b.getF32Type(), loc);
  for (int place = 0; place < 4; ++place)
    block->addArgument(b.getIndexType(), loc);
  YieldOp::create(b, loc, capped(b, loc, score, cap));
}

/// Gives the op's results, of which the overload names those on request.
static void giveResults(OpCall &op, Operation *made, const OpenSizes &sizes,
                        DType dtype) {
  auto type = cast<RankedTensorType>(made->getResult(0).getType());
  SizeList all = {sizes.at('B'), type.getDimSize(1), sizes.at('N'),
                  type.getDimSize(3)};
  op.give({dtype, all, made->getResult(0)});
  if (made->getNumResults() == 1)
    return;
  all.pop_back();
  if (op.overload().starts_with("weights"))
    all.push_back(sizes.at('K'));
  op.give({DType::F32, all, made->getResult(1)}, 1);
}

/// The operands by place, and how many there are of each name.
static std::pair<SmallVector<Value>, SmallVector<int32_t>>
operandsOf(OpCall &op, ArrayRef<StringLiteral> names, const OpenSizes &sizes) {
  SmallVector<Value> operands;
  SmallVector<int32_t> segments;
  for (StringRef name : names) {
    segments.push_back(op.has(argumentOf(name)));
    if (segments.back())
      operands.push_back(operandOf(op, name, sizes));
  }
  return {operands, segments};
}

/// Writes one op of the dialect; what that op has against its clauses is the
/// error.
template <typename Op>
static void writeOp(OpCall &op, ArrayRef<StringLiteral> names) {
  GraphBuilder &build = op.build;
  MLIRContext *context = build.builder().getContext();
  std::string complaint;
  ScopedDiagnosticHandler listen(context, [&](Diagnostic &each) {
    if (complaint.empty())
      complaint = each.str();
  });
  auto fail = [&] {
    StringRef text = complaint;
    text.consume_front(("'" + Op::getOperationName() + "' op ").str());
    build.fail(makeError("{}", text));
  };
  std::optional<OpenSizes> sizes = openSizes(op);
  if (!sizes)
    return;
  OperationState state(build.location(), Op::getOperationName());
  auto [operands, segments] = operandsOf(op, names, *sizes);
  for (StringRef name : Op::getAttributeNames())
    if (Attribute clause = attributeOf(op, name))
      state.addAttribute(name, clause);
  if (!complaint.empty())
    return fail();
  if (build.failure())
    return;
  typename Op::Properties properties;
  llvm::copy(segments, properties.operandSegmentSizes.begin());
  state.addOperands(operands);
  state.addAttribute("operandSegmentSizes",
                     build.builder().getDenseI32ArrayAttr(segments));
  if constexpr (Op::template hasTrait<OpTrait::AttrSizedResultSegments>()) {
    properties.resultSegmentSizes = {1, op.overload().starts_with("weights"),
                                     op.overload().starts_with("lse")};
    state.addAttribute(
        "resultSegmentSizes",
        build.builder().getDenseI32ArrayAttr(properties.resultSegmentSizes));
    Region *region = state.addRegion();
    if (op.has("softcap"))
      addSoftcap(op, *region);
  }
  if (failed(Op::inferReturnTypes(context, state.location, operands, {},
                                  OpaqueProperties(&properties), {},
                                  state.types)))
    return fail();
  Operation *made = build.builder().create(state);
  if (failed(verify(made))) {
    made->erase();
    return fail();
  }
  giveResults(op, made, *sizes, op.tensor("value").dtype);
}

/// Adds an op whose operands, in ONNX by place, are called `names`.
template <typename Op>
static void addOp(OpTable &table, ArrayRef<StringLiteral> names) {
  std::vector<const char *> arguments;
  for (StringRef name : names)
    arguments.push_back(argumentOf(name).data());
  table["mixattn." + Op::getOperationName().split('.').second.str()] =
      fromOnnx(arguments, {}, [names](OpCall &op) { writeOp<Op>(op, names); });
}

void mixattn::addAttnOps(OpTable &table) {
  addOp<SoftmaxOp>(table, SoftmaxOp::getOperandNames());
  addOp<MixtureOfKeysOp>(table, MixtureOfKeysOp::getOperandNames());
  addOp<AdmixtureHeadsOp>(table, AdmixtureHeadsOp::getOperandNames());
  addOp<MixHeadsOp>(table, MixHeadsOp::getOperandNames());
  static constexpr StringLiteral linear[] = {"query", "key", "value",
                                             "projection", "lengths"};
  addOp<LinearOp>(table, linear);
  static constexpr StringLiteral mixture[] = {
      "query", "key", "value", "shifts", "prior", "projection", "lengths"};
  addOp<LinearMixtureOfKeysOp>(table, mixture);
  static constexpr StringLiteral admixture[] = {
      "query", "key", "value",      "premixer",   "w1",     "b1",
      "w2",    "b2",  "normaliser", "projection", "lengths"};
  addOp<LinearAdmixtureHeadsOp>(table, admixture);
}
