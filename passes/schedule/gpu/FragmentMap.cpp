// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps over the elements of fragments.

#include "passes/schedule/gpu/FragmentMap.h"

using namespace mlir;
using namespace mixattn;

SmallVector<Value> mixattn::emitFragmentMap(ImplicitLocOpBuilder &b, Value row,
                                            Value column, ValueRange operands,
                                            size_t results,
                                            FragmentElement element) {
  SmallVector<Type> types(results, operands.front().getType());
  auto map = tile::MapOp::create(b, types, row, column, operands,
                                 /*exps=*/IntegerAttr());
  SmallVector<Type> arguments(2, b.getIndexType());
  arguments.append(operands.size(), b.getF32Type());
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&map.getBody(), {}, arguments,
                    SmallVector<Location>(arguments.size(), b.getLoc()));
  tile::FragmentYieldOp::create(
      b, element(block->getArgument(0), block->getArgument(1),
                 block->getArguments().drop_front(2)));
  return SmallVector<Value>(map.getResults());
}
