// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of ops in one table.
#include "lib/Import/OpTable.h"

using namespace mixattn;

static OpTable makeTable() {
  OpTable table;
  for (auto *add :
       {addPointwise,    addDivisions,     addFunctions,     addActivations,
        addComparisons,  addConstants,     addViews,         addParts,
        addBorders,      addProducts,      addReductions,    addNorms,
        addAttention,    addOnnxAttention, addFlexAttention, addAttnOps,
        addGathers,      addConvolutions,  addPools,         addCaches,
        addReplacements, addScatters,      addScattered,     addSizes,
        addPlaced,       addRepeats,       addVectorNorms,   addPlaces,
        addResizes,      addComplex,       addAliases})
    add(table);
  return table;
}

static OpWriter named(std::vector<const char *> inputs, bool isList,
                      std::vector<OnnxAttribute> attributes, OpWriter writer) {
  return [=](OpCall &op) {
    op.nameInputs(inputs, isList);
    for (const OnnxAttribute &each : attributes)
      op.rename(each.theirs, each.ours, each.otherwise);
    writer(op);
  };
}

OpWriter mixattn::fromOnnx(std::vector<const char *> inputs,
                           std::vector<OnnxAttribute> attributes,
                           OpWriter writer) {
  return named(std::move(inputs), false, std::move(attributes),
               std::move(writer));
}

OpWriter mixattn::fromOnnxList(const char *inputs,
                               std::vector<OnnxAttribute> attributes,
                               OpWriter writer) {
  return named({inputs}, true, std::move(attributes), std::move(writer));
}

const OpWriter *mixattn::findWriter(const std::string &op, bool isComplex) {
  static const OpTable table = makeTable();
  // `aten.sum.dim_IntList`: namespace, name, overload.
  size_t name = op.find('.');
  if (name == std::string::npos)
    return nullptr;
  size_t overload = op.find('.', name + 1);
  std::string key = op.substr(0, overload);
  // No file says that name itself.
  bool isAten = op.substr(0, name) == "aten";
  if (isComplex ? !isAten : op.substr(0, name) == "complex")
    return nullptr;
  if (isComplex)
    key = "complex" + key.substr(name);
  auto found = table.find(key);
  return found == table.end() ? nullptr : &found->second;
}
