// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of an attention in shared memory: the parts that a block of keys
// needs.

#include "passes/schedule/gpu/OperandWindows.h"

#include "passes/body/Terms.h"
#include "passes/schedule/gpu/Collapse.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
  OperandWindows findGiven() {
    addGiven();
    return std::move(found);
  }

private:
  void addGiven();
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

/// Scores are of one key each: where there is only one, it moves with keys,
/// too.
void Finder::addGiven() {
  size_t before = found.all.size();
  add(op.getGivenScores(),
      {Along::Batch, Along::Channel, Along::Query, Along::Key});
  if (found.all.size() == before)
    return;
  found.all.back().dims.back() = Along::Key;
  found.all.back().sizes.back() = keys;
}

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
      window.tile(window.rows()).getBytes() <= OperandWindows::mostBytes)
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
  if (op.getGivenScores())
    return;
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
  addGiven();
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

OperandWindows OperandWindows::findGiven(AttentionOpInterface op, int64_t heads,
                                         int64_t queries, int64_t keys,
                                         int64_t teams, int64_t stages) {
  OperandWindows windows = Finder(op, heads, queries, keys).findGiven();
  windows.teams = teams;
  for (Window &window : windows.all)
    window.keyStages = stages;
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

double OperandWindows::bytesOfBlock(double there, Value only) const {
  double sum = 0;
  for (const Window &window : all)
    if (window.movesWithKeys() && !window.isOwn &&
        (!only || window.operand == only))
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
