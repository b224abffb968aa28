// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-bind-names: names the arguments, results and dynamic dims of entries.

#include "dialect/attn/OperandConditions.h"
#include "passes/Passes.h"
#include "passes/entry/Entries.h"
#include "passes/entry/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace mixattn {
#define GEN_PASS_DEF_BINDNAMESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// Names one entry.
class EntryNamer {
public:
  explicit EntryNamer(func::FuncOp entry) : entry(entry), builder(entry) {}

  LogicalResult run();

private:
  LogicalResult checkSignature();
  LogicalResult nameParties();
  LogicalResult nameArgumentDims(DimNames &dims);
  LogicalResult nameResultDims(DimNames &dims);
  StringAttr nameComputedDim(const SizePolynomial &size, StringAttr given);
  LogicalResult checkBounds();
  LogicalResult checkCalls();
  llvm::StringSet<> argumentDims();
  void rangeLengths(const DimNames &dims);
  LogicalResult checkConstants();
  LogicalResult setConditions(const DimNames &dims);
  Attribute sizeAttr(const DimNames &dims, OperandDim of);

  StringRef argumentName(unsigned index) {
    return entry.getArgAttrOfType<StringAttr>(index, "attn.name").getValue();
  }
  StringRef resultName(unsigned index) {
    return entry.getResultAttrOfType<StringAttr>(index, "attn.name").getValue();
  }
  func::ReturnOp getReturn() {
    return cast<func::ReturnOp>(entry.getBody().front().getTerminator());
  }

  func::FuncOp entry;
  OpBuilder builder;
};

} // namespace

LogicalResult EntryNamer::checkSignature() {
  if (!isIdentifier(entry.getName()) ||
      entry.getName().starts_with("manifest_of_"))
    return entry.emitError("expected an entry's name to be an identifier that "
                           "does not begin with 'manifest_of_', but got '")
           << entry.getName() << "'";
  if (!entry.getBody().hasOneBlock() ||
      !isa<func::ReturnOp>(entry.getBody().front().back()))
    return entry.emitError("expected entry '")
           << entry.getName() << "' to be one block that returns";
  for (Type type : llvm::concat<const Type>(entry.getArgumentTypes(),
                                            entry.getResultTypes()))
    if (!isEntryType(type))
      return entry.emitError("expected entry '")
             << entry.getName()
             << "' to take and return ranked tensors of floats or signless "
                "integers, but got "
             << type;
  return success();
}

LogicalResult EntryNamer::nameParties() {
  llvm::StringSet<> seen;
  auto note = [&](StringRef name) -> LogicalResult {
    if (seen.insert(name).second)
      return success();
    return entry.emitError("expected the arguments and results of entry '")
           << entry.getName() << "' to have distinct names, but got '" << name
           << "' twice";
  };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    if (!entry.getArgAttr(i, "attn.name"))
      entry.setArgAttr(i, "attn.name", builder.getStringAttr("arg" + Twine(i)));
    if (failed(note(argumentName(i))))
      return failure();
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    if (!entry.getResultAttr(i, "attn.name"))
      entry.setResultAttr(i, "attn.name",
                          builder.getStringAttr("result" + Twine(i)));
    if (failed(note(resultName(i))))
      return failure();
  }
  return success();
}

LogicalResult EntryNamer::nameArgumentDims(DimNames &dims) {
  llvm::StringSet<> taken = argumentDims();
  for (BlockArgument argument : entry.getArguments())
    for (unsigned dim = 0;
         dim < cast<RankedTensorType>(argument.getType()).getRank(); ++dim)
      for (StringAttr name : dims.names(argument, dim))
        taken.insert(name.getValue());

  unsigned next = 0;
  auto freshName = [&] {
    while (taken.contains(("d" + Twine(next)).str()))
      ++next;
    return builder.getStringAttr("d" + Twine(next++));
  };
  for (BlockArgument argument : entry.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<Attribute> names;
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      StringRef name = argumentName(argument.getArgNumber());
      if (std::optional<int64_t> size = dims.size(argument, dim))
        return entry.emitError("expected dimension ")
               << dim << " of argument '" << name << "' to be written as "
               << *size << ", the only size that its uses allow";
      ArrayRef<StringAttr> given = dims.names(argument, dim);
      if (given.size() > 1)
        return entry.emitError("expected one name for dimension ")
               << dim << " of argument '" << name
               << "' and all that must equal it, but got '"
               << given[0].getValue() << "' and '" << given[1].getValue()
               << "'";
      if (given.empty())
        dims.setName(argument, dim, freshName());
      names.push_back(dims.name(argument, dim));
    }
    if (!names.empty())
      entry.setArgAttr(argument.getArgNumber(), "attn.dims",
                       builder.getArrayAttr(names));
  }
  return success();
}

/// The names of all dims of arguments, and of those that these tell.
llvm::StringSet<> EntryNamer::argumentDims() {
  llvm::StringSet<> result;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (auto names = entry.getArgAttrOfType<ArrayAttr>(i, "attn.dims"))
      for (Attribute name : names)
        result.insert(cast<StringAttr>(name).getValue());
  for (const auto &[name, rule] : getDimRules(entry))
    if (rule.told)
      result.insert(name);
  return result;
}

/// The name of a result's dim of that size, which is computed from those of
/// arguments: `given`, or one of its own. Null where `given` is another size.
StringAttr EntryNamer::nameComputedDim(const SizePolynomial &size,
                                       StringAttr given) {
  DimRules rules = getDimRules(entry);
  llvm::StringSet<> taken = argumentDims();
  for (const auto &[name, rule] : rules) {
    taken.insert(name);
    if (rule.definition && expand(*rule.definition, rules) == size &&
        (!given || given == StringRef(name)))
      return builder.getStringAttr(name);
  }
  if (given && taken.contains(given.getValue()))
    return {};
  std::string name = given ? given.str() : size.toIdentifier();
  while (taken.contains(name))
    name += '_';
  defineDim(entry, name, size);
  return builder.getStringAttr(name);
}

LogicalResult EntryNamer::nameResultDims(DimNames &dims) {
  llvm::StringSet<> ofArguments = argumentDims();
  std::optional<Sizes> sizes;
  auto sizeOf = [&](Value value, unsigned dim) {
    if (!sizes)
      sizes.emplace(entry);
    return sizes->size(value, dim);
  };
  for (auto [index, value] : llvm::enumerate(getReturn().getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    auto given = entry.getResultAttrOfType<ArrayAttr>(index, "attn.dims");
    SmallVector<Attribute> names;
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      auto expected = [&, index = index]() -> InFlightDiagnostic {
        return entry.emitError("expected dimension ")
               << dim << " of result '" << resultName(index) << "' ";
      };
      if (std::optional<int64_t> size = dims.size(value, dim))
        return expected() << "to be written as " << *size
                          << ", the only size that it can have";
      auto name = given ? cast<StringAttr>(given[names.size()]) : StringAttr();
      StringAttr shown = dims.name(value, dim);
      std::string text = shown ? shown.str() : "";
      if (!shown) {
        SizePolynomial size = sizeOf(value, dim);
        text = size.toText();
        if (std::optional<int64_t> number = size.asNumber())
          return expected() << "to be written as " << *number
                            << ", the only size that it can have";
        if (ofArguments.contains(text))
          shown = builder.getStringAttr(text);
        else if (size.isKnown())
          shown = nameComputedDim(size, name);
        else if (name && !ofArguments.contains(name.getValue()))
          return expected() << "to occur in an argument, but got '"
                            << name.getValue() << "'";
        else
          return expected() << "to have the size of an argument's dimension, "
                               "or one computed from such, which its ops do "
                               "not show";
      }
      if (name && name != shown)
        return expected() << "to be '" << text
                          << "', as its ops show, but got '" << name.getValue()
                          << "'";
      names.push_back(shown);
    }
    if (!names.empty())
      entry.setResultAttr(index, "attn.dims", builder.getArrayAttr(names));
  }
  return success();
}

/// Bounds of values that name a dim name one of an argument.
LogicalResult EntryNamer::checkBounds() {
  llvm::StringSet<> ofArguments = argumentDims();
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    for (Attribute bound : getValueBounds(entry, i))
      if (auto name = dyn_cast<StringAttr>(bound);
          name && !ofArguments.contains(name.getValue()))
        return entry.emitError("expected the bounds of values of argument '")
               << argumentName(i) << "' to name a dimension of an argument, "
               << "but got '" << name.getValue() << "'";
  return success();
}

/// Every function that an entry calls has been inlined.
LogicalResult EntryNamer::checkCalls() {
  WalkResult result = entry.walk([&](CallOpInterface call) {
    InFlightDiagnostic error =
        call->emitError("expected the functions that entry '")
        << entry.getName() << "' calls to be inlined";
    if (auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      error << ", but got " << name;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// The size of a dim: a number, or the name of an argument's, or null.
Attribute EntryNamer::sizeAttr(const DimNames &dims, OperandDim of) {
  if (std::optional<int64_t> size = dims.size(of.value, of.dim))
    return builder.getI64IntegerAttr(*size);
  return dims.name(of.value, of.dim);
}

/// An argument that an attention op takes as lengths or as the place of its
/// first query lies in 0..S.
void EntryNamer::rangeLengths(const DimNames &dims) {
  auto range = [&](Value lengths, OperandDim keys) {
    auto argument = dyn_cast_if_present<BlockArgument>(lengths);
    if (!argument || argument.getOwner() != &entry.getBody().front() ||
        entry.getArgAttr(argument.getArgNumber(), "attn.range"))
      return;
    if (Attribute high = sizeAttr(dims, keys))
      entry.setArgAttr(
          argument.getArgNumber(), "attn.range",
          builder.getArrayAttr({builder.getI64IntegerAttr(0), high}));
  };
  entry.walk([&](Operation *op) {
    if (auto scored = dyn_cast<ScoreOpInterface>(op)) {
      range(scored.getLengths(), scored.getKeysDim());
      range(scored.getStart(), scored.getKeysDim());
    }
    if (auto linear = dyn_cast<LinearAttentionOpInterface>(op))
      range(linear.getLengths(), linear.getKeysDim());
  });
}

/// Constants hold what ops ask of them. Seen here and not by verifiers: what a
/// graph computes is nobody's to refuse once it has folded to a constant.
LogicalResult EntryNamer::checkConstants() {
  return failure(entry
                     .walk([](Operation *op) {
                       return failed(verifyConstantOperands(op))
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted());
}

/// Arguments that ops read as they are hold what the ops ask of them.
LogicalResult EntryNamer::setConditions(const DimNames &dims) {
  bool isDone = true;
  entry.walk([&](Operation *op) {
    for (const OperandCondition &condition : getOperandConditions(op)) {
      auto argument = dyn_cast<BlockArgument>(condition.value);
      if (!argument || argument.getOwner() != &entry.getBody().front())
        continue;
      SmallVector<NamedAttribute> fields = {builder.getNamedAttr(
          "kind", builder.getStringAttr(getName(condition.kind)))};
      auto extents = llvm::map_to_vector(
          condition.extents, [&](OperandDim of) { return sizeAttr(dims, of); });
      if (llvm::is_contained(extents, Attribute()))
        continue;
      if (!extents.empty())
        fields.push_back(
            builder.getNamedAttr("extents", builder.getArrayAttr(extents)));
      Attribute asked = builder.getDictionaryAttr(fields);
      unsigned index = argument.getArgNumber();
      Attribute known = entry.getArgAttr(index, "attn.holds");
      if (known && known != asked) {
        op->emitError("expected one condition on the values of argument '")
            << argumentName(index) << "', but got " << known << " and "
            << asked;
        isDone = false;
      }
      entry.setArgAttr(index, "attn.holds", asked);
    }
  });
  return success(isDone);
}

LogicalResult EntryNamer::run() {
  if (failed(checkSignature()) || failed(checkCalls()) ||
      failed(checkConstants()) || failed(nameParties()))
    return failure();
  DimNames dims(entry);
  if (failed(nameArgumentDims(dims)) ||
      failed(verifyDimRules(entry, argumentDims())) ||
      failed(nameResultDims(dims)))
    return failure();
  rangeLengths(dims);
  if (failed(setConditions(dims)))
    return failure();
  return checkBounds();
}

/// Reports entries whose functions would have one name: `mixattn_workspace_f`
/// belongs to entry f.
static LogicalResult checkNames(ArrayRef<func::FuncOp> entries) {
  for (func::FuncOp entry : entries)
    for (func::FuncOp other : entries)
      for (StringRef word : {"workspace_", "prepare_"})
        if (other.getName() == (word + entry.getName()).str())
          return other.emitError("expected entries whose functions have "
                                 "different names, but got '")
                 << entry.getName() << "' and '" << other.getName() << "'";
  return success();
}

namespace {

struct BindNamesPass : mixattn::impl::BindNamesPassBase<BindNamesPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> entries = getEntries(getOperation());
    if (failed(checkNames(entries)))
      return signalPassFailure();
    for (func::FuncOp entry : entries)
      if (failed(EntryNamer(entry).run()))
        return signalPassFailure();
  }
};

} // namespace
