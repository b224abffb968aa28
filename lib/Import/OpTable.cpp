// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of ops in one table.
#include "lib/Import/OpTable.h"

using namespace mixattn;

static OpTable makeTable() {
  OpTable table;
  for (auto *add :
       {addPointwise, addComparisons, addConstants, addViews, addParts,
        addProducts, addReductions, addNorms, addAttention, addGathers})
    add(table);
  return table;
}

const OpWriter *mixattn::findWriter(const std::string &op) {
  static const OpTable table = makeTable();
  // `aten.sum.dim_IntList`: namespace, name, overload.
  size_t name = op.find('.');
  size_t overload = name == std::string::npos ? name : op.find('.', name + 1);
  auto found = table.find(op.substr(0, overload));
  return found == table.end() ? nullptr : &found->second;
}
