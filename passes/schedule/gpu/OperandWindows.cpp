// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of an attention in shared memory: the parts that a block of keys
// needs.

#include "passes/schedule/gpu/OperandWindows.h"

#include "passes/body/Terms.h"
#include "passes/schedule/gpu/Collapse.h"
#include "passes/schedule/gpu/OwnTerms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

int64_t Window::rows() const {
  int64_t count = 1;
  for (int64_t size : ArrayRef(sizes).drop_back())
    count *= size;
  return count;
}

/// The type that elements of `tensor` have in memory, or null: of no number
/// that shared memory holds.
static Type typeInMemory(Value tensor) {
  Type type = getElementTypeOrSelf(tensor.getType());
  if (!type.isIntOrFloat())
    return {};
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

namespace {

/// Finds windows.
class Finder {
public:
  Finder(AttentionOpInterface op, int64_t heads, int64_t queries, int64_t keys)
      : op(op), heads(heads), queries(queries), keys(keys) {
    if (op.hasScoreMod())
      op.getScoreMod().walk(
          [&](tensor::ExtractOp read) { captured.insert(read.getTensor()); });
  }

  OperandWindows find();

private:
  /// Adds a window of `operand`, if there is one.
  void add(Value operand, ArrayRef<Along> dims);
  /// The same of one that broadcasts from the right to batch, heads, queries
  /// and keys.
  void addBroadcast(Value operand) {
    if (!operand)
      return;
    if (rankOf(operand) == 0)
      return addNumber(operand);
    static constexpr Along all[] = {Along::Batch, Along::Head, Along::Query,
                                    Along::Key};
    add(operand, ArrayRef(all).take_back(rankOf(operand)));
  }
  void addCaptured(Value tensor);
  void addNumber(Value tensor) {
    if (tensor)
      found.numbers.push_back(tensor);
  }
  /// Adds a window of a term of rows of head `head`, of which there are
  /// `count`. One that a stage will make has `numbers` numbers a row.
  void addTerm(Value term, bool isMade, Along head, int64_t count, Along last,
               int64_t numbers);
  /// Adds windows of terms, and of factors where components collapse.
  void addTerms(GenericOp generic, const Terms &made);
  int64_t sizeAlong(Along along, int64_t size);
  static int64_t rankOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getRank();
  }

  AttentionOpInterface op;
  int64_t heads, queries, keys;
  SetVector<Value> captured;
  OperandWindows found;
};

} // namespace

/// The elements of a window along a dim of `size` elements.
int64_t Finder::sizeAlong(Along along, int64_t size) {
  switch (along) {
  case Along::Once:
  case Along::Batch:
    return 1;
  case Along::Head:
    return heads;
  // Where scores meet, all channels are scored for each head. Else several
  // heads are those that share keys.
  case Along::Channel:
    return op.hasPremix() ? size : heads;
  case Along::KeyHead:
    return op.hasPremix() ? size : 1;
  case Along::Query:
    return queries;
  case Along::Key:
    return keys;
  case Along::All:
    return size;
  }
  llvm_unreachable("every dim counts something");
}

void Finder::add(Value operand, ArrayRef<Along> dims) {
  if (!operand || dims.empty() || captured.contains(operand) ||
      !typeInMemory(operand))
    return;
  Window window;
  window.operand = operand;
  window.element = typeInMemory(operand);
  auto type = cast<RankedTensorType>(operand.getType());
  for (auto [along, size] : llvm::zip_equal(dims, type.getShape())) {
    window.dims.push_back(size == 1 ? Along::Once : along);
    window.sizes.push_back(sizeAlong(window.dims.back(), size));
  }
  found.all.push_back(window);
}

/// Bytes up to which a tensor is copied that an op reads anywhere.
static constexpr int64_t mostBytes = 2048;

void Finder::addCaptured(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = typeInMemory(tensor);
  if (type.getRank() == 0)
    return addNumber(tensor);
  Window window;
  window.operand = tensor;
  window.element = element;
  window.dims.assign(size_t(type.getRank()), Along::All);
  llvm::append_range(window.sizes, type.getShape());
  if (element && type.hasStaticShape() &&
      window.tile(window.rows()).getBytes() <= mostBytes)
    found.all.push_back(window);
  else
    found.withoutWindow.push_back(tensor);
}

void Finder::addTerm(Value term, bool isMade, Along head, int64_t count,
                     Along last, int64_t numbers) {
  SmallVector<Along> dims = {Along::Batch, head, Along::All, last};
  if (!isMade) {
    if (term && rankOf(term) == 3)
      dims.erase(dims.begin() + 2);
    return add(term, dims);
  }
  Window window;
  window.element = Float32Type::get(op.getContext());
  window.dims = dims;
  for (auto [along, size] :
       llvm::zip_equal(dims, SmallVector<int64_t>{1, count, numbers, 0}))
    window.sizes.push_back(sizeAlong(along, size));
  found.all.push_back(window);
}

void Finder::addTerms(GenericOp generic, const Terms &made) {
  auto addBoth = [&](Value ofQuery, bool makesQuery, Value ofKey, bool makesKey,
                     int64_t numbers) {
    addTerm(ofQuery, makesQuery, Along::Channel, op.getNumQueryHeads(),
            Along::Query, numbers);
    addTerm(ofKey, makesKey, Along::KeyHead, op.getKeyType().getDimSize(1),
            Along::Key, numbers);
  };
  int64_t components = op.getNumComponents();
  addBoth(op.getQueryTerm(), made.ofQueries, op.getKeyTerm(), made.ofKeys,
          components);
  Value factors = generic ? generic.getQueryFactors() : Value();
  bool makesFactors = !factors && Collapse::of(op);
  addBoth(factors, makesFactors, generic ? generic.getKeyFactors() : Value(),
          makesFactors, components + 1);
}

OperandWindows Finder::find() {
  Terms made;
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (generic)
    made = findTerms(generic);
  addTerms(generic, made);
  if (Value prior = op.getPrior(); prior && !made.takesPrior) {
    SmallVector<Along> dims = {Along::Channel, Along::All, Along::Key};
    add(prior, ArrayRef(dims).take_front(rankOf(prior)));
  }
  addBroadcast(op.getBias());
  addBroadcast(op.getMask());
  bool isLocal = op.getNoiseKind() == NoiseKind::Local;
  add(op.getNoise(), {Along::Batch, isLocal ? Along::Head : Along::Channel,
                      Along::Query, Along::Key});
  if (Value mixer = op.getPremixer()) {
    SmallVector<Along> dims = {Along::All, Along::Head};
    add(mixer, ArrayRef(dims).take_front(rankOf(mixer)));
  }
  add(op.getW1(), {Along::All, Along::All});
  add(op.getB1(), {Along::All});
  add(op.getW2(), {Along::All, Along::Head});
  add(op.getB2(), {Along::Head});
  add(op.getSigma(), {Along::All});
  addNumber(op.getSeed());
  addNumber(op.getOffset());
  for (Value tensor : captured)
    addCaptured(tensor);
  return std::move(found);
}

OperandWindows OperandWindows::find(AttentionOpInterface op, int64_t heads,
                                    int64_t queries, int64_t keys,
                                    int64_t teams) {
  OperandWindows windows = Finder(op, heads, queries, keys).find();
  windows.teams = teams;
  return windows;
}

void OperandWindows::setOwn(Value keyTerm) {
  for (Window &window : all)
    if (window.operand == keyTerm && window.movesWithKeys())
      window.isOwn = true;
}

int64_t OperandWindows::bytes() const {
  int64_t sum = 0;
  for (const Window &window : all)
    sum += window.tile(teams * window.stages() * window.rows()).getBytes();
  return sum;
}

double OperandWindows::bytesOfBlock(double there) const {
  double sum = 0;
  for (const Window &window : all)
    if (window.movesWithKeys() && !window.isOwn)
      sum += double(teams * window.rows() * window.columns()) *
             window.element.getIntOrFloatBitWidth() / 8 *
             (llvm::is_contained(window.dims, Along::Query) ? there : 1);
  return sum;
}

/// Two columns of a thread are one load, and a load of keys alone serves both
/// of its rows. What does not change from key to key is loaded once for a
/// block.
double OperandWindows::loadsOf(Value tensor) const {
  if (llvm::is_contained(numbers, tensor))
    return 0;
  const Window *window = llvm::find_if(
      all, [&](const Window &each) { return each.operand == tensor; });
  if (window == all.end())
    return 1;
  if (!window->movesWithKeys())
    return 0;
  return llvm::is_contained(window->dims, Along::Query) ? 0.5 : 0.25;
}

void WindowBuffers::lay(ImplicitLocOpBuilder &b, const OperandWindows &from,
                        int64_t offset, int64_t teamThreads, Value number) {
  for (Value tensor : from.withoutWindow)
    remark::missed(b.getLoc(), remark::RemarkOpts::name("operand").category(
                                   "attn-schedule-kernels"))
        << remark::reason("score_mod reads {0} from the device's memory for "
                          "each score; shared memory holds tensors of known "
                          "size up to {1} bytes",
                          tensor.getType(), mostBytes);
  windows = from.all;
  numbers = from.numbers;
  threads = teamThreads;
  team = number;
  for (const Window &window : windows) {
    tile::SharedType type =
        window.tile(from.teams * window.stages() * window.rows());
    memory.push_back(tile::SharedTileOp::create(b, type, offset));
    offset += type.getBytes();
  }
}

/// The team's window of that number, in `stage`.
Value WindowBuffers::rowsOf(ImplicitLocOpBuilder &b, size_t number,
                            Value stage) {
  IndexMath at(b);
  const Window &window = windows[number];
  Value first = at.mul(team, window.stages());
  if (window.movesWithKeys())
    first = at.add(first, stage);
  return tile::SharedRowsOp::create(b, window.tile(window.rows()),
                                    memory[number],
                                    at.mul(first, window.rows()));
}

/// The index of a window's first element, or null: it is 0.
Value WindowBuffers::beginOf(Along along) const {
  switch (along) {
  case Along::Once:
  case Along::All:
    return {};
  case Along::Batch:
    return place.batch;
  case Along::Head:
    return place.head;
  case Along::Channel:
    return place.channel;
  case Along::KeyHead:
    return place.keyHead;
  case Along::Query:
    return place.query;
  case Along::Key:
    return firstKey;
  }
  llvm_unreachable("every dim counts something");
}

/// A copy for each matrix of the last two dims.
void WindowBuffers::fetch(ImplicitLocOpBuilder &b, size_t number, Value stage) {
  IndexMath at(b);
  const Window &window = windows[number];
  Value tile = rowsOf(b, number, stage);
  int64_t each = window.rowsOfMatrix();
  for (int64_t matrix = 0; matrix < window.rows() / each; ++matrix) {
    SmallVector<Value> indices(window.dims.size());
    int64_t rest = matrix;
    for (size_t dim = indices.size(); dim-- > 0;) {
      Value begin = beginOf(window.dims[dim]);
      indices[dim] = begin ? begin : at.value(0);
      if (dim + 2 >= indices.size())
        continue;
      indices[dim] = at.add(indices[dim], rest % window.sizes[dim]);
      rest /= window.sizes[dim];
    }
    Value rows = tile::SharedRowsOp::create(b, window.tile(each), tile,
                                            at.value(matrix * each));
    tile::FetchOp::create(b, bufferOf(window.operand), indices, rows, threads);
  }
}

void WindowBuffers::fetchOfItem(ImplicitLocOpBuilder &b, const Place &begin) {
  place = begin;
  for (Value number : numbers)
    held[number] = KernelBuffers::emitRead(b, b.getLoc(), number, ValueRange());
  for (size_t i = 0; i < windows.size(); ++i)
    if (!windows[i].movesWithKeys())
      fetch(b, i, /*stage=*/{});
}

void WindowBuffers::fetchOfKeys(ImplicitLocOpBuilder &b, Value first,
                                Value stage) {
  firstKey = first;
  for (size_t i = 0; i < windows.size(); ++i)
    if (windows[i].movesWithKeys() && !windows[i].isOwn)
      fetch(b, i, stage);
}

void WindowBuffers::open(ImplicitLocOpBuilder &b, Value first, Value stage) {
  firstKey = first;
  tiles.clear();
  for (size_t i = 0; i < windows.size(); ++i)
    tiles.push_back(rowsOf(b, i, stage));
}

size_t WindowBuffers::findWindow(Value tensor) const {
  return size_t(
      llvm::find_if(
          windows, [&](const Window &each) { return each.operand == tensor; }) -
      windows.begin());
}

Value WindowBuffers::emitRead(OpBuilder &builder, Location loc, Value tensor,
                              ValueRange indices) {
  if (Value number = held.lookup(tensor))
    return number;
  ImplicitLocOpBuilder b(loc, builder);
  size_t number = findWindow(tensor);
  const Window *window = windows.begin() + number;
  if (tiles.empty() || window == windows.end()) {
    if (auto own = tensor.getDefiningOp<RowTermOp>())
      return OwnTerm(b, *this, own).emitAt(indices);
    return KernelBuffers::emitRead(builder, loc, tensor, indices);
  }
  IndexMath at(b);
  // The place in the window, whose rows are counted through all dims but the
  // last.
  Value row = at.value(0), column;
  for (auto [dim, along] : llvm::enumerate(window->dims)) {
    Value index = along == Along::Query ? element.query
                  : along == Along::Key ? element.key
                                        : indices[dim];
    if (window->sizes[dim] == 1)
      index = at.value(0);
    else if (Value begin = beginOf(along))
      index = at.sub(index, begin);
    if (dim + 1 == window->dims.size())
      column = index;
    else
      row = at.add(at.mul(row, window->sizes[dim]), index);
  }
  Value read = tile::SharedReadOp::create(b, tiles[number], row, column);
  return asElement(b, loc, tensor, read);
}
