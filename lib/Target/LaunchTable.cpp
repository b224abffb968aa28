// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table that drives the launcher, as LLVM IR.
#include "lib/Target/LaunchTable.h"

#include "lib/Runtime/Manifest.h"
#include "lib/Target/Launcher.h"
#include "lib/Target/Object.h"
#include "lib/Target/TableConstants.h"
#include "lib/Target/launcher/table.h"

#include "llvm/IR/IRBuilder.h"

using namespace mixattn;
using llvm::Constant;

/// CUDA 12.0, as cuDriverGetVersion says it: the first whose functions the
/// launcher knows by these names.
static constexpr int64_t leastDriver = 12000;

namespace {

/// Writes the constants of lib/Target/launcher/table.h.
class TableWriter : TableConstants {
public:
  TableWriter(llvm::Module &module, const Manifest &manifest,
              llvm::StringRef prefix)
      : TableConstants(module), manifest(manifest), prefix(prefix) {}

  void write(llvm::StringRef manifestText, llvm::ArrayRef<GpuImage> images);
  /// Why the launcher's limits do not hold what the manifest has, or nothing.
  Status check() const;

private:
  Constant *tensorRow(const Entry &entry, const Parameter &tensor,
                      bool isResult, const Numbers &dims);
  Constant *parameterRow(const Entry &entry, const KernelParameter &parameter,
                         const Numbers &dims);
  Constant *mapRow(const KernelParameter &parameter, const Numbers &dims);
  Constant *launchRow(const Entry &entry, const Launch &launch,
                      const Numbers &dims);
  /// Those of the library from `first` on.
  Constant *rangeOf(int64_t first, const Constants &launches) {
    return structOf({wide(first), wide(launches.size() - first)});
  }
  /// Adds the launches of `entry` for `chip`, and gives their range.
  Constant *addLaunches(const Entry &entry, llvm::StringRef chip,
                        Constants &launches);
  Constant *dimRow(const Entry &entry, const std::string &name,
                   const Numbers &dims);
  /// The row of `entry`, which has `ranges` of launches.
  Constant *entryRow(const Entry &entry, llvm::ArrayRef<Constant *> ranges);
  Constant *targetRow(const GpuImage &image, Constant *range);
  void addFunctions(Constant *library, const Entry &entry, int64_t number);

  const Manifest &manifest;
  llvm::StringRef prefix;
};

} // namespace

Constant *TableWriter::tensorRow(const Entry &entry, const Parameter &tensor,
                                 bool isResult, const Numbers &dims) {
  Constants shape;
  for (const Dim &dim : tensor.shape)
    shape.push_back(wide(dim.isDynamic() ? -1 - dims.at(dim.name) : dim.value));
  int64_t alignment = 0;
  for (const Launch &launch : *entry.launches)
    for (const KernelParameter &parameter : launch.parameters)
      if (parameter.tensor == tensor.name)
        alignment = std::max(alignment, parameter.alignment);
  DLDataType type = dlpackType(tensor.dtype);
  return structOf({text(tensor.name), text(nameOf(tensor.dtype)), listOf(shape),
                   wide(alignment), narrow(tensor.shape.size()),
                   narrow(isResult), narrow(type.code), narrow(type.bits)});
}

/// The number of the tensor `name` among the entry's arguments and results.
static int64_t numberOf(const Entry &entry, const std::string &name) {
  int64_t number = 0;
  for (const auto *list : {&entry.arguments, &entry.results})
    for (const Parameter &each : *list) {
      if (each.name == name)
        return number;
      ++number;
    }
  return -1;
}

/// The row of a tensor map.
Constant *TableWriter::mapRow(const KernelParameter &parameter,
                              const Numbers &dims) {
  const TensorMap &map = parameter.map;
  Constants sizes, strides, box;
  for (const SizeExpression &size : map.dims)
    sizes.push_back(expression(size, dims));
  for (const TensorMap::Stride &stride : map.strides)
    strides.push_back(
        structOf({stride.dim ? noExpression() : expression(stride.bytes, dims),
                  narrow(stride.dim.value_or(-1)),
                  narrow(stride.dim ? dlpackType(map.dtype).bits / 8 : 0)}));
  for (uint32_t count : map.box)
    box.push_back(narrow(count));
  // CU_TENSOR_MAP_DATA_TYPE_FLOAT16 and BFLOAT16; misses bring 256 bytes.
  constexpr int64_t f16 = 6, bf16 = 9, promotion = 256;
  return pointerTo(structOf({listOf(sizes), listOf(strides), listOf(box),
                             narrow(map.dtype == DType::BF16 ? bf16 : f16),
                             narrow(map.dims.size()), narrow(map.swizzle),
                             narrow(promotion)}));
}

static int64_t kindOf(const KernelParameter &parameter) {
  switch (parameter.kind) {
  case KernelParameter::Kind::Pointer:
    return MIXATTN_PARAMETER_POINTER;
  case KernelParameter::Kind::Stride:
    return MIXATTN_PARAMETER_STRIDE;
  case KernelParameter::Kind::Scalar:
    return MIXATTN_PARAMETER_SCALAR;
  case KernelParameter::Kind::Workspace:
    return MIXATTN_PARAMETER_WORKSPACE;
  case KernelParameter::Kind::TensorMap:
    return MIXATTN_PARAMETER_TENSOR_MAP;
  case KernelParameter::Kind::Status:
    return MIXATTN_PARAMETER_STATUS;
  }
  llvm_unreachable("all kinds are known");
}

Constant *TableWriter::parameterRow(const Entry &entry,
                                    const KernelParameter &parameter,
                                    const Numbers &dims) {
  using Kind = KernelParameter::Kind;
  bool isScalar = parameter.kind == Kind::Scalar;
  bool isMap = parameter.kind == Kind::TensorMap;
  bool hasValue = isScalar || parameter.kind == Kind::Workspace ||
                  (isMap && parameter.tensor.empty());
  return structOf(
      {hasValue ? expression(parameter.value, dims) : noExpression(),
       isMap ? mapRow(parameter, dims) : null(), narrow(kindOf(parameter)),
       narrow(numberOf(entry, parameter.tensor)), narrow(parameter.dim),
       narrow(isScalar ? 4 : 8)});
}

Constant *TableWriter::launchRow(const Entry &entry, const Launch &launch,
                                 const Numbers &dims) {
  Constants grid, parameters;
  for (const SizeExpression &size : launch.grid)
    grid.push_back(expression(size, dims));
  for (const KernelParameter &parameter : launch.parameters)
    parameters.push_back(parameterRow(entry, parameter, dims));
  bool hasShared = launch.shared.kind != SizeExpression::Kind::Number ||
                   launch.shared.number != 0;
  return structOf({text(launch.kernel), grid[0], grid[1], grid[2],
                   hasShared ? expression(launch.shared, dims) : noExpression(),
                   listOf(parameters), wide(parameters.size()),
                   counts(launch.block), counts(launch.cluster)});
}

/// The names of the dims of an entry's tensors, and of those that these tell,
/// each once.
static std::vector<std::string> dimsOf(const Entry &entry) {
  std::vector<std::string> names;
  for (const auto *parameters : {&entry.arguments, &entry.results})
    for (const Parameter &parameter : *parameters)
      for (const Dim &dim : parameter.shape)
        if (dim.isDynamic() && !llvm::is_contained(names, dim.name))
          names.push_back(dim.name);
  for (const auto &[dim, rule] : entry.sizes)
    if (rule.told && !llvm::is_contained(names, dim))
      names.push_back(dim);
  return names;
}

static TableConstants::Numbers numbersOf(const Entry &entry) {
  TableConstants::Numbers numbers;
  for (auto [number, name] : llvm::enumerate(dimsOf(entry)))
    numbers[name] = int64_t(number);
  return numbers;
}

Constant *TableWriter::addLaunches(const Entry &entry, llvm::StringRef chip,
                                   Constants &launches) {
  int64_t first = launches.size();
  for (const Launch &launch : *entry.launches)
    if (launch.target.empty() || launch.target == chip)
      launches.push_back(launchRow(entry, launch, numbersOf(entry)));
  return rangeOf(first, launches);
}

Constant *TableWriter::dimRow(const Entry &entry, const std::string &name,
                              const Numbers &dims) {
  auto found = entry.sizes.find(name);
  SizeRule rule = found == entry.sizes.end() ? SizeRule() : found->second;
  // Kernels count in 32 bits.
  int64_t most = std::min<int64_t>(rule.most.value_or(INT32_MAX), INT32_MAX);
  ToldSize told = rule.told.value_or(ToldSize{"", 0, 0});
  return structOf(
      {text(name), wide(rule.least), wide(most),
       rule.definition ? expression(*rule.definition, dims) : noExpression(),
       wide(rule.told ? dims.at(told.by) : 0), wide(told.factor),
       wide(told.offset)});
}

Constant *TableWriter::entryRow(const Entry &entry,
                                llvm::ArrayRef<Constant *> ranges) {
  Numbers dims = numbersOf(entry);
  Constants rows, tensors;
  for (const std::string &name : dimsOf(entry))
    rows.push_back(dimRow(entry, name, dims));
  for (const Parameter &argument : entry.arguments)
    tensors.push_back(tensorRow(entry, argument, /*isResult=*/false, dims));
  for (const Parameter &result : entry.results)
    tensors.push_back(tensorRow(entry, result, /*isResult=*/true, dims));
  return structOf({text(entry.name), listOf(tensors), wide(tensors.size()),
                   listOf(rows), wide(rows.size()),
                   expression(entry.workspace.value_or(SizeExpression()), dims),
                   listOf(ranges)});
}

Constant *TableWriter::targetRow(const GpuImage &image, Constant *range) {
  int64_t reach = image.isForAllLater      ? MIXATTN_REACH_LATER
                  : isForLater(image.chip) ? MIXATTN_REACH_ITS_MAJOR
                                           : MIXATTN_REACH_ITS_OWN;
  // A fatbin's header wants 8 bytes, a cubin's sections up to 128.
  return structOf({text(image.chip), text(image.bytes, 128), range,
                   narrow(capabilityOf(image.chip)), narrow(reach)});
}

/// The functions of an entry: each passes its arguments on, after the library's
/// and the entry's number.
void TableWriter::addFunctions(Constant *library, const Entry &entry,
                               int64_t number) {
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::Type *i32 = llvm::Type::getInt32Ty(context);
  auto add = [&](llvm::StringRef kind, const std::string &launcher,
                 bool isOfEntry, llvm::ArrayRef<llvm::Type *> own) {
    Constants given = {library};
    if (isOfEntry)
      given.push_back(wide(number));
    forward((prefix + "mixattn_" + kind + entry.name).str(), launcher, given,
            own);
  };
  add("", "mixattn_launcher_call", true, {pointer, i32, pointer});
  add("workspace_", "mixattn_launcher_workspace", true,
      {pointer, i32, pointer, pointer});
  add("prepare_", "mixattn_launcher_prepare", false, {i32, pointer});
}

Status TableWriter::check() const {
  for (const Entry &entry : manifest.entries) {
    if (!entry.launches)
      return makeError("the entry '{}' launches no kernels", entry.name);
    size_t dims = dimsOf(entry).size();
    if (dims > MIXATTN_MOST_DIMS)
      return makeError("expected at most {} dims of an entry, but '{}' has {}",
                       int(MIXATTN_MOST_DIMS), entry.name, dims);
    for (const Launch &launch : *entry.launches)
      if (launch.parameters.size() > MIXATTN_MOST_PARAMETERS)
        return makeError("expected at most {} parameters of a kernel, but '{}' "
                         "has {}",
                         int(MIXATTN_MOST_PARAMETERS), launch.kernel,
                         launch.parameters.size());
  }
  return Success{};
}

void TableWriter::write(llvm::StringRef manifestText,
                        llvm::ArrayRef<GpuImage> images) {
  Constants entries, launches, targets;
  std::vector<Constants> ranges(manifest.entries.size());
  for (const GpuImage &image : images) {
    int64_t first = launches.size();
    for (auto [entry, own] : llvm::zip(manifest.entries, ranges))
      own.push_back(addLaunches(entry, image.chip, launches));
    targets.push_back(targetRow(image, rangeOf(first, launches)));
  }
  for (auto [entry, own] : llvm::zip(manifest.entries, ranges))
    entries.push_back(entryRow(entry, own));
  llvm::Type *word = llvm::Type::getInt64Ty(context);
  int64_t contexts = MIXATTN_MOST_CONTEXTS;
  // A kernel's state is two words: mixattn_kernel_state.
  static_assert(sizeof(mixattn_kernel_state) == 2 * sizeof(int64_t));
  Constant *library = pointerTo(structOf(
      {listOf(targets), wide(targets.size()), wide(leastDriver),
       listOf(entries), listOf(launches), wide(launches.size()),
       memory(contexts, word), memory(contexts, word), memory(contexts, word),
       memory(2 * contexts * std::max<int64_t>(launches.size(), 1), word)}));
  for (auto [number, entry] : llvm::enumerate(manifest.entries))
    addFunctions(library, entry, number);
  if (prefix.empty())
    holdManifest(manifest.entries.front().name, manifestText);
}

Result<std::vector<std::string>> mixattn::makeLaunchObjects(
    const Manifest &manifest, llvm::StringRef manifestText,
    llvm::ArrayRef<GpuImage> images, llvm::StringRef prefix) {
  llvm::LLVMContext context;
  llvm::Module module("mixattn", context);
  TableWriter writer(module, manifest, prefix);
  if (Status fits = writer.check(); !fits)
    return fits.error();
  writer.write(manifestText, images);
  return std::vector<std::string>{emitObject(module),
                                  getLauncherObject().str()};
}
