// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of operands in shared memory: how they are copied and read.

#include "passes/schedule/gpu/OperandWindows.h"

#include "passes/schedule/gpu/OwnTerms.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mixattn;

void WindowBuffers::lay(ImplicitLocOpBuilder &b, const OperandWindows &from,
                        int64_t offset, int64_t teamThreads, Value number) {
  for (Value tensor : from.withoutWindow)
    remark::missed(b.getLoc(), remark::RemarkOpts::name("operand").category(
                                   "attn-schedule-kernels"))
        << remark::reason("score_mod reads {0} from the device's memory for "
                          "each score; shared memory holds tensors of known "
                          "size up to {1} bytes",
                          tensor.getType(), OperandWindows::mostBytes);
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
