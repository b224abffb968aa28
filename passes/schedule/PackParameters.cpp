// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-pack-parameters: right sides that are parameters, in memory of callers.

#include "dialect/attn/Contraction.h"
#include "passes/Passes.h"
#include "passes/body/IndexMath.h"
#include "passes/entry/Entries.h"
#include "passes/entry/ManifestText.h"
#include "passes/entry/Workspace.h"
#include "passes/schedule/EmbeddedPanels.h"
#include "passes/schedule/KernelChecks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

namespace mixattn {
#define GEN_PASS_DEF_PACKPARAMETERSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The argument that `buffer` is, or a view of; null where it is neither.
static BlockArgument findArgument(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return dyn_cast<BlockArgument>(buffer);
}

/// Whether `value` of `entry` can be computed where the entry begins.
static bool isKnownAtStart(Value value, func::FuncOp entry) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &entry.getBody().front();
  Operation *op = value.getDefiningOp();
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isKnownAtStart(operand, entry);
         });
}

namespace {

/// A parameter in panels.
struct Packed {
  Value source;
  PanelLayout layout;
  MemRefType panels;
  /// Where they begin in the caller's memory, in bytes.
  int64_t begin;
  SmallVector<KernelOp> kernels;
};

class ParameterPacker {
public:
  ParameterPacker(func::FuncOp entry, const Schedules &schedules,
                  EmbeddedPanels &embedded)
      : entry(entry), schedules(schedules), embedded(embedded) {}

  /// Gives the bytes of the caller's memory: 0 where there is nothing to pack.
  int64_t run();

private:
  void visit(KernelOp kernel);
  bool isParameter(Value source);
  void takeEmbedded(KernelOp kernel, Value source, const PanelLayout &layout,
                    MemRefType panels);
  Value cloneAtStart(ImplicitLocOpBuilder &b, Value value);
  Value emitMark(ImplicitLocOpBuilder &b);
  void emitPacking(ImplicitLocOpBuilder &b, Value memory);
  void emitPanels(ImplicitLocOpBuilder &b, const Packed &each, Value memory);

  func::FuncOp entry;
  const Schedules &schedules;
  EmbeddedPanels &embedded;
  SmallVector<Packed> all;
  /// The mark has a line of its own.
  int64_t bytes = workspaceAlignment;
  IRMapping atStart;
};

} // namespace

static MemRefType typeOfPanels(Value source, const PanelLayout &layout) {
  // The op says how large they are.
  OpBuilder b(source.getContext());
  OperationState state(source.getLoc(), PanelsOp::getOperationName());
  PanelsOp::build(b, state, source, layout);
  auto type = cast<RankedTensorType>(state.types.front());
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Whether `source` is a parameter, or a view of one, where the entry begins.
bool ParameterPacker::isParameter(Value source) {
  if (!isKnownAtStart(source, entry))
    return false;
  BlockArgument argument = findArgument(source);
  return argument ? entry.getArgAttr(argument.getArgNumber(),
                                     "attn.parameter") != nullptr
                  : findEmbedded(source) != nullptr;
}

/// Has `kernel` read `source`, of an embedded parameter, from the panels that
/// the artifact holds.
void ParameterPacker::takeEmbedded(KernelOp kernel, Value source,
                                   const PanelLayout &layout,
                                   MemRefType panels) {
  if (Value taken = embedded.take(entry, source, layout, panels))
    kernel.getPanelsMutable().assign(taken);
  else
    remark::missed(kernel.getLoc(), remark::RemarkOpts::name("packed").category(
                                        "attn-pack-parameters"))
        << remark::reason("each call packs it: where its elements lie is not "
                          "known");
}

void ParameterPacker::visit(KernelOp kernel) {
  SmallVector<PlanCase> cases = casesOf(kernel, schedules);
  std::optional<Contraction> op = findContraction(kernel.getAnchor());
  if (!op || cases.size() != 1 || kernel.getPanels())
    return;
  Value source = kernel.getOperandOf(op->right);
  if (!isParameter(source) ||
      !cast<MemRefType>(source.getType()).hasStaticShape())
    return;
  const Schedule *schedule =
      findSchedule(schedules, cases.front().algorithm.getValue());
  std::optional<PanelLayout> layout = schedule->findPanels(kernel);
  if (!layout)
    return;
  MemRefType panels = typeOfPanels(op->right, *layout);
  if (findEmbedded(source))
    return takeEmbedded(kernel, source, *layout, panels);
  auto *found = llvm::find_if(all, [&](const Packed &each) {
    return each.source == source && each.layout == *layout;
  });
  if (found != all.end()) {
    found->kernels.push_back(kernel);
    return;
  }
  all.push_back({source, *layout, panels, bytes, {kernel}});
  int64_t size = panels.getNumElements() * panels.getElementTypeBitWidth() / 8;
  bytes += int64_t(llvm::alignTo(size, workspaceAlignment));
}

Value ParameterPacker::cloneAtStart(ImplicitLocOpBuilder &b, Value value) {
  if (isa<BlockArgument>(value) || atStart.contains(value))
    return atStart.lookupOrDefault(value);
  for (Value operand : value.getDefiningOp()->getOperands())
    cloneAtStart(b, operand);
  b.clone(*value.getDefiningOp(), atStart);
  return atStart.lookup(value);
}

/// Emits a number that other panels, or other parameters, do not have.
Value ParameterPacker::emitMark(ImplicitLocOpBuilder &b) {
  std::string text = entry.getName().str();
  llvm::raw_string_ostream stream(text);
  llvm::SetVector<Value> arguments;
  for (const Packed &each : all) {
    BlockArgument argument = findArgument(each.source);
    arguments.insert(argument);
    stream << ' ' << argument.getArgNumber() << each.source.getType()
           << each.panels;
  }
  auto number = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(int64_t(value)));
  };
  // FNV-1a, of words in place of bytes.
  Value mark = number(llvm::xxh3_64bits(text)), prime = number(0x100000001b3);
  auto add = [&](Value index) {
    Value word = arith::IndexCastOp::create(b, b.getI64Type(), index);
    mark =
        arith::MulIOp::create(b, arith::XOrIOp::create(b, mark, word), prime);
  };
  for (Value argument : arguments) {
    add(memref::ExtractAlignedPointerAsIndexOp::create(b, argument));
    auto layout = memref::ExtractStridedMetadataOp::create(b, argument);
    llvm::for_each(layout.getStrides(), add);
  }
  return mark;
}

/// Emits a kernel that fills the panels of `each`.
void ParameterPacker::emitPanels(ImplicitLocOpBuilder &b, const Packed &each,
                                 Value memory) {
  // A report tells it from its product by the name of its stage.
  KernelOp first = each.kernels.front();
  b.setLoc(first.getLoc());
  Value panels = memref::ViewOp::create(
      b, each.panels, memory, IndexMath(b).value(each.begin), ValueRange());
  Value source = cloneAtStart(b, each.source);
  auto type = cast<MemRefType>(source.getType());
  auto kernel = KernelOp::create(b, TypeRange(), source, panels);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(
      &kernel.getBody(), {},
      RankedTensorType::get(type.getShape(), type.getElementType()),
      b.getLoc());
  auto made = PanelsOp::create(b, block->getArgument(0), each.layout);
  ResultsOp::create(b, made.getResult());
}

/// Emits the packing of all parameters, if `memory` has not got them.
void ParameterPacker::emitPacking(ImplicitLocOpBuilder &b, Value memory) {
  OpBuilder::InsertionGuard guard(b);
  Value zero = IndexMath(b).value(0);
  Value place = memref::ViewOp::create(b, MemRefType::get({1}, b.getI64Type()),
                                       memory, zero, ValueRange());
  Value mark = emitMark(b);
  Value found = memref::LoadOp::create(b, place, zero);
  auto isNew = scf::IfOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, mark, found));
  b.setInsertionPointToStart(isNew.thenBlock());
  Location loc = b.getLoc();
  for (const Packed &each : all)
    emitPanels(b, each, memory);
  b.setLoc(loc);
  memref::StoreOp::create(b, mark, place, zero);
}

int64_t ParameterPacker::run() {
  SmallVector<KernelOp> kernels;
  entry.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  llvm::for_each(kernels, [&](KernelOp kernel) { visit(kernel); });
  if (all.empty())
    return 0;
  MLIRContext *context = entry.getContext();
  unsigned index = entry.getNumArguments();
  [[maybe_unused]] LogicalResult inserted = entry.insertArgument(
      index, getWorkspaceType(context),
      DictionaryAttr::get(
          context, NamedAttribute("attn.packed", UnitAttr::get(context))),
      entry.getLoc());
  assert(succeeded(inserted) && "entries take buffers");
  Value memory = entry.getArgument(index);
  auto b = ImplicitLocOpBuilder::atBlockBegin(entry.getLoc(),
                                              &entry.getBody().front());
  IndexMath at(b);
  Value isGiven = at.compare(arith::CmpIPredicate::sge,
                             Value(memref::DimOp::create(b, memory, 0)), bytes);
  auto given = scf::IfOp::create(b, isGiven);
  b.setInsertionPointToStart(given.thenBlock());
  emitPacking(b, memory);
  b.setInsertionPointAfter(given);
  for (const Packed &each : all) {
    SmallVector<int64_t> shape(each.panels.getShape());
    Value count = arith::SelectOp::create(b, isGiven, at.value(shape.front()),
                                          at.value(0));
    shape.front() = ShapedType::kDynamic;
    Value panels = memref::ViewOp::create(
        b, MemRefType::get(shape, each.panels.getElementType()), memory,
        at.value(each.begin), count);
    for (KernelOp kernel : each.kernels)
      kernel.getPanelsMutable().assign(panels);
  }
  return bytes;
}

namespace {

struct PackParametersPass
    : mixattn::impl::PackParametersPassBase<PackParametersPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Schedules schedules = schedulesFor(TargetAttr::of(module));
    EmbeddedPanels embedded(module);
    llvm::StringMap<int64_t> packed;
    for (func::FuncOp entry : getEntries(module)) {
      bool isCalled = !SymbolTable::symbolKnownUseEmpty(entry, module);
      if (isCalled || entry.getNumResults() != 0)
        continue;
      if (int64_t bytes = ParameterPacker(entry, schedules, embedded).run())
        packed[entry.getName()] = bytes;
    }
    if (!packed.empty())
      changeEntries(module, [&](StringRef name, auto &entry) {
        if (auto found = packed.find(name); found != packed.end())
          entry["packed"] = found->second;
      });
  }
};

} // namespace
