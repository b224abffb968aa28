// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-write-manifest: describes the entries for whoever calls them.

#include "dialect/attn/AttnOps.h"
#include "lib/Runtime/abi.h"
#include "mixattn/Version.h"
#include "passes/Passes.h"
#include "passes/body/ScoreExpression.h"
#include "passes/entry/DimRules.h"
#include "passes/entry/Entries.h"
#include "passes/manifest/ManifestSized.h"
#include "passes/plan/EntryCost.h"
#include "passes/target/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace mixattn {
#define GEN_PASS_DEF_WRITEMANIFESTPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

/// The name of an element type as manifests say it.
static std::string dtypeName(Type element) {
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

/// Numbers and names of dims.
static Array describeBounds(ArrayAttr bounds) {
  Array result;
  for (Attribute bound : bounds) {
    if (auto number = dyn_cast<IntegerAttr>(bound))
      result.push_back(number.getInt());
    else
      result.push_back(cast<StringAttr>(bound).str());
  }
  return result;
}

/// One argument or result.
static Object describeTensor(Type type, StringAttr name, ArrayAttr dims,
                             ArrayAttr range, DictionaryAttr holds) {
  auto tensor = cast<RankedTensorType>(type);
  Array shape;
  unsigned next = 0;
  for (int64_t size : tensor.getShape()) {
    if (ShapedType::isDynamic(size))
      shape.push_back(cast<StringAttr>(dims[next++]).str());
    else
      shape.push_back(size);
  }
  Object result{{"name", name.str()},
                {"dtype", dtypeName(tensor.getElementType())},
                {"shape", std::move(shape)}};
  if (range)
    result["range"] = describeBounds(range);
  if (holds) {
    Object condition{{"kind", holds.getAs<StringAttr>("kind").str()}};
    if (auto extents = holds.getAs<ArrayAttr>("extents"))
      condition["extents"] = describeBounds(extents);
    result["holds"] = std::move(condition);
  }
  return result;
}

namespace {

/// Describes one entry.
class EntryWriter {
public:
  explicit EntryWriter(func::FuncOp entry) : entry(entry), sizes(entry) {}

  Object write();

private:
  StringRef argumentName(Value value) {
    auto argument = dyn_cast_if_present<BlockArgument>(value);
    if (!argument || argument.getOwner() != &entry.getBody().front())
      return {};
    return entry
        .getArgAttrOfType<StringAttr>(argument.getArgNumber(), "attn.name")
        .getValue();
  }

  /// Puts the name of each operand that there is at its key.
  llvm::Error putNames(Object &object,
                       ArrayRef<std::pair<StringRef, Value>> operands);

  /// The fields of the entry's one op, or why there are none.
  Object describeRules();
  llvm::Expected<Object> describeOp();
  llvm::Expected<Object> describeAttention(AttentionOpInterface op);
  llvm::Error describeOperands(AttentionOpInterface op, Object &result);

  func::FuncOp entry;
  Sizes sizes;
};

} // namespace

llvm::Error
EntryWriter::putNames(Object &object,
                      ArrayRef<std::pair<StringRef, Value>> operands) {
  for (auto [key, operand] : operands) {
    if (!operand)
      continue;
    StringRef name = argumentName(operand);
    if (name.empty())
      return llvm::createStringError("operand '" + key +
                                     "' is not an argument of the entry");
    object[key] = name;
  }
  return llvm::Error::success();
}

llvm::Expected<Object> EntryWriter::describeOp() {
  SmallVector<Operation *> all;
  entry.walk([&](Operation *op) {
    if (isa<AttentionOpInterface, SizedOpInterface>(op))
      all.push_back(op);
  });
  if (all.size() != 1)
    return llvm::createStringError("the entry holds " + Twine(all.size()) +
                                   " attention ops");
  Operation *op = all.front();
  auto returned = cast<func::ReturnOp>(entry.getBody().front().getTerminator());
  if (returned->getOperands() != op->getResults())
    return llvm::createStringError(
        "the entry computes more than its attention op");
  if (entry.getResultAttr(0, "attn.updated"))
    return llvm::createStringError("the entry's result is an argument");
  if (auto attention = dyn_cast<AttentionOpInterface>(op))
    return describeAttention(attention);

  auto putNames = [&](Object &object,
                      ArrayRef<std::pair<StringRef, Value>> operands) {
    return this->putNames(object, operands);
  };
  auto linear = dyn_cast<LinearAttentionOpInterface>(op);
  llvm::Expected<Object> result =
      linear ? describeLinear(linear, putNames)
             : describeSized(cast<SizedOpInterface>(op), putNames);
  if (result)
    (*result)["result"] =
        entry.getResultAttrOfType<StringAttr>(0, "attn.name").str();
  return result;
}

llvm::Expected<Object> EntryWriter::describeAttention(AttentionOpInterface op) {
  if (op.getBase2())
    return llvm::createStringError("scores are logarithms to base 2");
  Object result{{"scale", op.getScaleOrDefault()},
                {"normaliser", op.getSigsoftmax() ? "sigsoftmax" : "softmax"}};
  unsigned next = 0;
  for (auto [key, value] :
       {std::pair<StringRef, Value>{"result", op.getResult()},
        {"weights", op.getWeights()},
        {"lse", op.getLse()}})
    if (value)
      result[key] =
          entry.getResultAttrOfType<StringAttr>(next++, "attn.name").str();
  if (llvm::Error error = describeOperands(op, result))
    return error;
  if (op.getGaussian())
    result["score"] = "gaussian";
  if (op.getGaussian() || op.getVariances()) {
    Array variances;
    for (int64_t r = 0; r < op.getNumComponents(); ++r)
      variances.push_back(op.getVariance(r));
    result["variances"] = std::move(variances);
  }
  if (op.hasComponents())
    result["combine"] = op.getMaximum() ? "maximum" : "logsumexp";
  if (op.getScaleBefore())
    result["scale_before"] = true;
  if (op.getCausal())
    result["causal"] = true;
  for (auto [key, band] :
       {std::pair("band", op.getBand()), {"keep", op.getKeep()}})
    if (band)
      result[key] = Array{band->getLower(), band->getUpper()};
  if (op.hasScoreMod()) {
    llvm::Expected<llvm::json::Value> expression =
        scoreExpression(op, [&](Value value) { return argumentName(value); });
    if (!expression)
      return expression.takeError();
    result["score_mod"] = std::move(*expression);
  }
  return result;
}

/// Where the manifest says the argument for an operand: at `key` of the part
/// called `part`.
struct OperandPlace {
  StringLiteral operand, part, key;
};

/// Operands whose place is not their own name.
static constexpr OperandPlace operandPlaces[] = {
    {"given_scores", "", "scores"}, {"premixer", "premix", "mixer"},
    {"w1", "premix", "w1"},         {"b1", "premix", "b1"},
    {"w2", "premix", "w2"},         {"b2", "premix", "b2"},
    {"sigma", "noise", "sigma"},    {"noise", "noise", "noise"},
    {"seed", "noise", "seed"},      {"offset", "noise", "offset"},
    {"mixer", "postmix", "mixer"},  {"mix_source", "postmix", "source"},
    {"mix_weight", "postmix", "w"}, {"mix_bias", "postmix", "b"}};

/// All operands, and the kinds of mixers and noise.
llvm::Error EntryWriter::describeOperands(AttentionOpInterface op,
                                          Object &result) {
  std::map<StringRef, Object> parts;
  if (op.hasPremix())
    parts["premix"]["kind"] = op.getW1()           ? "mlp"
                              : op.getReluPerKey() ? "relu_per_key"
                                                   : "linear";
  if (std::optional<NoiseKind> kind = op.getNoiseKind())
    parts["noise"]["kind"] = stringifyNoiseKind(*kind);
  if (op.hasPostmix())
    parts["postmix"]["kind"] = op.getMixer() ? "heads" : "rows";
  for (const NamedOperands::Entry &each : op.getNamedOperands()) {
    StringRef name = each.first, key = name;
    Object *part = &result;
    for (const OperandPlace &place : operandPlaces)
      if (place.operand == name) {
        key = place.key;
        part = place.part.empty() ? &result : &parts[place.part];
      }
    if (llvm::Error error = putNames(*part, {{key, each.second}}))
      return error;
  }
  for (auto &[name, part] : parts)
    result[name] = std::move(part);
  return llvm::Error::success();
}

/// The rules on the sizes of dims, by name.
Object EntryWriter::describeRules() {
  Object result;
  for (const auto &[name, rule] : getDimRules(entry)) {
    Array ends{rule.least};
    if (rule.most)
      ends.push_back(*rule.most);
    Object own{{"range", std::move(ends)}};
    if (rule.definition)
      own = Object{{"is", rule.definition->toSize()}};
    if (rule.told)
      own["told"] = Object{{"by", rule.told->by},
                           {"factor", rule.told->factor},
                           {"offset", rule.told->offset}};
    result[name] = std::move(own);
  }
  return result;
}

Object EntryWriter::write() {
  Array arguments, results;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    arguments.push_back(describeTensor(
        entry.getArgumentTypes()[i],
        entry.getArgAttrOfType<StringAttr>(i, "attn.name"),
        entry.getArgAttrOfType<ArrayAttr>(i, "attn.dims"),
        entry.getArgAttrOfType<ArrayAttr>(i, "attn.range"),
        entry.getArgAttrOfType<DictionaryAttr>(i, "attn.holds")));
    if (entry.getArgAttr(i, "attn.parameter"))
      arguments.back().getAsObject()->try_emplace("parameter", true);
    if (entry.getArgAttr(i, "attn.updates"))
      arguments.back().getAsObject()->try_emplace("updates", true);
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (!entry.getResultAttr(i, "attn.updated"))
      results.push_back(
          describeTensor(entry.getResultTypes()[i],
                         entry.getResultAttrOfType<StringAttr>(i, "attn.name"),
                         entry.getResultAttrOfType<ArrayAttr>(i, "attn.dims"),
                         /*range=*/{}, /*holds=*/{}));
  Object result{{"name", entry.getName()},
                {"symbol", "mixattn_" + entry.getName().str()},
                {"arguments", std::move(arguments)},
                {"results", std::move(results)},
                {"flops", countFlops(entry, sizes).toTerms()},
                {"bytes", countBytes(entry, sizes).toTerms()}};
  if (Object rules = describeRules(); !rules.empty())
    result["sizes"] = std::move(rules);
  llvm::Expected<Object> attention = describeOp();
  if (attention) {
    result["attention"] = std::move(*attention);
  } else {
    result["attention"] = nullptr;
    result["attention_reason"] = llvm::toString(attention.takeError());
  }
  return result;
}

namespace {

struct WriteManifestPass
    : mixattn::impl::WriteManifestPassBase<WriteManifestPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Array entries;
    for (func::FuncOp entry : getEntries(module)) {
      if (failed(verifyNamed(entry)))
        return signalPassFailure();
      entries.push_back(EntryWriter(entry).write());
    }
    Object manifest{{"abi", MIXATTN_ABI_VERSION},
                    {"producer", "mixattn " MIXATTN_VERSION
                                 " (LLVM " MIXATTN_LLVM_VERSION ")"},
                    {"target", describeForManifest(TargetAttr::of(module))},
                    {"entries", std::move(entries)}};
    if (sanitizer != "none")
      manifest["sanitizer"] = sanitizer.getValue();
    if (!weights.empty())
      manifest["weights"] = weights.getValue();
    std::string text =
        llvm::formatv("{0}\n", llvm::json::Value(std::move(manifest)));
    module->setAttr("attn.manifest", StringAttr::get(&getContext(), text));
  }
};

} // namespace
