// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entry: its arguments, its ops one after the other, its results.
#include "lib/Import/BuildModule.h"

#include "dialect/attn/AttnOps.h"
#include "lib/Import/Constant.h"
#include "lib/Import/Diagonal.h"
#include "lib/Import/LargestSize.h"
#include "lib/Import/OpTable.h"
#include "passes/entry/DimRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mixattn;

/// Constants of the text with more elements than this are parameters.
static constexpr int64_t mostElements = 1024;

namespace {

class ModuleBuilder {
public:
  ModuleBuilder(Graph graph, StringRef entry, MLIRContext &context)
      : graph(std::move(graph)), name(entry), context(context),
        values(this->graph.values.size()) {}

  Result<BuiltModule> run();
  /// The dim without which run would not have failed.
  const std::optional<JoinedDim> &joinedDim() const { return joined; }
  /// The graph as it came, once run has failed.
  Graph takeGraph() { return std::move(graph); }

private:
  std::string freshName(StringRef name);
  void makeEntry(OpBuilder &builder, GraphBuilder &types);
  void makeResults(OpBuilder &builder, ValueRange returned);
  Status limitDims(const std::map<std::string, DimRange> &limits);
  void bindInputs(GraphBuilder &build);
  void buildNode(GraphBuilder &build, const GraphNode &node);
  std::string nameOf(const SizePolynomial &size) const;
  ArrayAttr dimNames(OpBuilder &builder, const SizeList &sizes);
  Status finish(GraphBuilder &build);
  Status checkUpdate(const GraphInput &input, ValueId update) const;

  Graph graph;
  std::string name;
  MLIRContext &context;
  std::vector<Built> values;
  /// Names of arguments and results, and of open dims.
  std::set<std::string> taken, dims;
  /// The rules of open dims, which calls check.
  DimRules rules;
  /// Names of arguments and the inputs whose elements they are.
  std::vector<std::pair<std::string, GraphInput *>> parameters;
  BuiltModule result;
  func::FuncOp entry;
  std::optional<JoinedDim> joined;
};

} // namespace

/// An identifier like `wanted` that is no other party's name.
std::string ModuleBuilder::freshName(StringRef wanted) {
  std::string made;
  for (char c : wanted)
    made += llvm::isAlnum(c) ? c : '_';
  if (made.empty() || llvm::isDigit(made[0]))
    made.insert(0, "_");
  while (!taken.insert(made).second)
    made += '_';
  return made;
}

/// The name of a dim of that size.
std::string ModuleBuilder::nameOf(const SizePolynomial &size) const {
  for (const auto &[name, multiple] : graph.multiples)
    if (size == SizePolynomial::named(multiple.part) * multiple.factor)
      return name;
  return size.toIdentifier();
}

/// The names of a tensor's open sizes, of which the entry says what those are
/// that are computed from others; null where there are none.
ArrayAttr ModuleBuilder::dimNames(OpBuilder &builder, const SizeList &sizes) {
  SmallVector<std::string> names;
  for (const SizePolynomial &size : sizes) {
    if (size.asNumber())
      continue;
    names.push_back(nameOf(size));
    if (!size.asDim().empty())
      continue;
    while (dims.count(names.back()))
      names.back() += '_';
    rules[names.back()].definition = size;
  }
  SmallVector<StringRef> texts(names.begin(), names.end());
  return names.empty() ? ArrayAttr() : builder.getStrArrayAttr(texts);
}

void ModuleBuilder::makeEntry(OpBuilder &builder, GraphBuilder &types) {
  auto typeOf = [&](ValueId id) -> Type {
    return types.typeOf(graph.values[id].dtype, graph.values[id].sizes);
  };
  SmallVector<Type> inputs;
  for (const GraphInput &input : graph.inputs)
    if (!input.isConstant)
      inputs.push_back(typeOf(input.value));
  Location loc = builder.getUnknownLoc();
  entry = func::FuncOp::create(builder, loc, name,
                               builder.getFunctionType(inputs, {}));
  for (const GraphInput &input : graph.inputs)
    for (const SizePolynomial &size : graph.values[input.value].sizes)
      if (auto form = size.asAffine())
        dims.insert(form->dim);
  // Arguments of calls keep their names; parameters give way.
  std::vector<std::string> names(graph.inputs.size());
  for (bool isWeight : {false, true})
    for (auto [name, input] : llvm::zip_equal(names, graph.inputs))
      if (!input.isConstant && bool(input.weight) == isWeight)
        name = freshName(input.name);
  unsigned next = 0;
  for (auto [name, input] : llvm::zip_equal(names, graph.inputs)) {
    if (input.isConstant)
      continue;
    entry.setArgAttr(next, "attn.name", builder.getStringAttr(name));
    if (ArrayAttr dims = dimNames(builder, graph.values[input.value].sizes))
      entry.setArgAttr(next, "attn.dims", dims);
    if (input.weight) {
      entry.setArgAttr(next, "attn.parameter", builder.getUnitAttr());
      parameters.emplace_back(name, &input);
    }
    ++next;
  }
}

/// The entry's results, whose types are known once their ops are built.
void ModuleBuilder::makeResults(OpBuilder &builder, ValueRange returned) {
  entry.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), returned.getTypes()));
  for (auto [index, output] : llvm::enumerate(graph.outputs)) {
    entry.setResultAttr(index, "attn.name",
                        builder.getStringAttr(freshName(output.first)));
    if (ArrayAttr dims = dimNames(builder, values[output.second].sizes))
      entry.setResultAttr(index, "attn.dims", dims);
  }
  for (auto [index, update] : llvm::enumerate(graph.updates)) {
    unsigned place = graph.outputs.size() + index;
    const std::string &of = graph.inputs[update.first].name;
    entry.setResultAttr(place, "attn.name",
                        builder.getStringAttr(freshName(of)));
    if (ArrayAttr dims = dimNames(builder, values[update.second].sizes))
      entry.setResultAttr(place, "attn.dims", dims);
  }
}

/// The sizes that the file gives open dims and those at which parts lie within
/// their tensors, together.
Status ModuleBuilder::limitDims(const std::map<std::string, DimRange> &limits) {
  for (const auto &[dim, range] : limits) {
    DimRange &own = graph.ranges[dim];
    if (range.most && own.most.value_or(INT64_MAX) > *range.most)
      result.remarks.push_back(remarkOnLimit(dim, *range.most));
    own.narrow(range);
  }
  for (const auto &[dim, range] : graph.ranges) {
    if (range.most.value_or(range.least) < range.least)
      return makeError("expected a size of dim '{}' at which all parts lie "
                       "within their tensors, but there is none from {} to {}",
                       dim, range.least, *range.most);
    rules[dim] = {range.least, range.most, std::nullopt};
  }
  return Success{};
}

void ModuleBuilder::bindInputs(GraphBuilder &build) {
  unsigned next = 0;
  for (const GraphInput &input : graph.inputs) {
    const GraphValue &type = graph.values[input.value];
    if (input.isConstant) {
      values[input.value] = buildConstant(build, type, *input.weight);
      continue;
    }
    Value argument = entry.getArgument(next++);
    values[input.value] = {type.dtype, type.sizes, argument};
    for (auto [dim, size] : llvm::enumerate(type.sizes))
      if (!size.asDim().empty())
        build.defineDim(size, argument, dim);
  }
  // A dim that no argument has is told by one that is computed from it.
  for (const GraphInput &input : graph.inputs)
    if (!input.isConstant)
      for (auto [dim, size] : llvm::enumerate(graph.values[input.value].sizes))
        build.defineDim(size, values[input.value].value, dim);
  for (const auto &[input, update] : graph.updates)
    values[graph.inputs[input].value].isUpdated = true;
}

/// Whether it is one of PyTorch's ops that write to their first operand:
/// `aten.add_.Tensor`.
static bool writesInPlace(StringRef op) {
  auto [space, name] = op.split('.');
  StringRef own = name.split('.').first;
  return space == "aten" && own.ends_with("_") && !own.ends_with("__");
}

/// Whether an operand or a result has complex numbers.
static bool readsComplex(const Graph &graph, const GraphNode &node) {
  auto isSo = [&](ValueId id) { return graph.values[id].isComplex; };
  for (const auto &[name, argument] : node.arguments) {
    if (const auto *id = std::get_if<ValueId>(&argument); id && isSo(*id))
      return true;
    if (const auto *ids =
            std::get_if<std::vector<std::optional<ValueId>>>(&argument))
      for (const std::optional<ValueId> &id : *ids)
        if (id && isSo(*id))
          return true;
  }
  return llvm::any_of(node.results, isSo);
}

void ModuleBuilder::buildNode(GraphBuilder &build, const GraphNode &node) {
  Location loc = UnknownLoc::get(&context);
  if (node.place.line)
    loc = FileLineColLoc::get(&context, node.place.file, node.place.line, 1);
  build.setLocation(NameLoc::get(StringAttr::get(&context, node.name), loc));
  if (node.results.empty() && node.integer.empty()) {
    build.fail(makeError("expected a result, but got none"));
    return;
  }
  bool isComplex = readsComplex(graph, node);
  const OpWriter *write = findWriter(node.op, isComplex);
  if (!write && writesInPlace(node.op)) {
    build.fail(makeError("expected ops that write to no tensor, as "
                         "run_decompositions({}) leaves them",
                         "{}"));
    return;
  }
  if (!write && isComplex) {
    build.fail(makeError("this op is not compiled for complex numbers"));
    return;
  }
  if (!write) {
    build.fail(makeError("this op is not compiled"));
    return;
  }
  // Where the file does not say, a result is of the first operand's type.
  for (ValueId result : node.results)
    for (const std::optional<ValueId> &input : llvm::reverse(node.inputs))
      if (input && !graph.values[result].isTyped)
        graph.values[result].dtype = values[*input].dtype;
  OpCall call(build, graph, node, values);
  for (const std::optional<ValueId> &input : node.inputs)
    if (input && !values[*input]) {
      build.fail(makeError("'{}' is a result that is not compiled",
                           graph.values[*input].name));
      return;
    }
  for (const auto &[name, argument] : node.arguments)
    if (const auto *id = std::get_if<ValueId>(&argument); id && !values[*id]) {
      build.fail(makeError("'{}' is a result that is not compiled",
                           graph.values[*id].name));
      return;
    }
  (*write)(call);
  call.finish();
  if (!build.failure() && node.integer.empty() &&
      (node.results.empty() || !values[node.results[0]]))
    build.fail(makeError("expected tensors with dims, but got one without"));
}

/// Erases what nobody reads: views that were taken and not needed.
static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Whether `update` is what rows that were written made of `input`: nothing
/// else is in place.
Status ModuleBuilder::checkUpdate(const GraphInput &input,
                                  ValueId update) const {
  Value value = values[update].value;
  while (auto append = value ? value.getDefiningOp<AppendOp>() : AppendOp())
    value = append.getCache();
  if (value && value == values[input.value].value)
    return Success{};
  Error error =
      makeError("expected what is written to '{}' to be rows one after the "
                "other, by a slice, index_copy_, index_put_ or scatter_, but "
                "got something else",
                input.name);
  for (const GraphNode &node : graph.nodes)
    if (llvm::is_contained(node.results, update))
      return inPlace(describe(node), error);
  return error;
}

/// Returns the results, as sizes that calls know.
Status ModuleBuilder::finish(GraphBuilder &build) {
  if (graph.outputs.empty() && graph.updates.empty())
    return makeError("expected a graph with a result, but got none");
  SmallVector<Value> returned;
  for (const auto &[name, id] : graph.outputs) {
    if (!values[id])
      return makeError("'{}' is a result that is not compiled",
                       graph.values[id].name);
    returned.push_back(build.valueOf(values[id]));
    // A number that is read may be one that nobody can compute.
    if (build.failure())
      return inPlace("result '" + withoutControls(name) + "'",
                     *build.failure());
  }
  for (const auto &[input, update] : graph.updates) {
    if (Status checked = checkUpdate(graph.inputs[input], update); !checked)
      return checked;
    returned.push_back(values[update].value);
  }
  if (Status limited = limitDims(build.limits()); !limited)
    return limited;
  makeResults(build.builder(), returned);
  setDimRules(entry, rules);
  func::ReturnOp::create(build.builder(), build.location(), returned);
  return Success{};
}

Result<BuiltModule> ModuleBuilder::run() {
  loadImportDialects(context);
  result.memory = graph.memory;
  Location loc = UnknownLoc::get(&context);
  result.module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(result.module->getBody());
  GraphBuilder types(builder, loc);
  for (GraphInput &input : graph.inputs) {
    const GraphValue &value = graph.values[input.value];
    if (Status fits = checkBytes(value.dtype, value.sizes); !fits)
      return inPlace("input '" + withoutControls(input.name) + "'",
                     fits.error());
    if (input.isConstant && input.weight->elements() > mostElements &&
        !findDiagonal(*input.weight))
      input.isConstant = false;
  }
  makeEntry(builder, types);
  GraphBuilder build(OpBuilder::atBlockEnd(entry.addEntryBlock()), loc);
  bindInputs(build);
  for (const GraphNode &node : graph.nodes) {
    buildNode(build, node);
    if (build.failure()) {
      joined = build.joinedDim();
      return inPlace(describe(node), *build.failure());
    }
  }
  build.setLocation(loc);
  if (Status finished = finish(build); !finished)
    return finished.error();
  eraseUnused(entry.getBody().front());
  if (failed(verify(*result.module)))
    return makeError("the graph became a module that does not verify");
  for (const auto &[name, multiple] : graph.multiples)
    result.remarks.push_back(
        "calls check that dim '" + name + "' is a multiple of " +
        std::to_string(multiple.factor) + ": sizes are quotients of it");
  for (auto &[name, input] : parameters)
    result.weights.emplace_back(name, std::move(*input->weight));
  return std::move(result);
}

void mixattn::loadImportDialects(MLIRContext &context) {
  context.loadDialect<AttnDialect, arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, math::MathDialect,
                      tensor::TensorDialect>();
}

Result<BuiltModule> mixattn::buildModule(Graph graph, StringRef entry,
                                         MLIRContext &context) {
  std::vector<std::string> remarks = graph.remarks;
  while (true) {
    ModuleBuilder builder(std::move(graph), entry, context);
    Result<BuiltModule> built = builder.run();
    std::optional<JoinedDim> joined = builder.joinedDim();
    if (built)
      built->remarks.insert(built->remarks.begin(), remarks.begin(),
                            remarks.end());
    if (built || !joined)
      return built;
    graph = builder.takeGraph();
    if (!joinDim(graph, *joined))
      return built;
    // Of multiples there is one remark, once their factor is known.
    if (!joined->isMultiple)
      remarks.push_back("calls check that dim '" + joined->dim + "' is " +
                        joined->size.toText() + ": " + built.message());
  }
}
