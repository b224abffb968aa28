// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artifact's description of itself; lib/Runtime/manifest.md is the schema.
#ifndef MIXATTN_LIB_RUNTIME_MANIFEST_H
#define MIXATTN_LIB_RUNTIME_MANIFEST_H

#include "lib/Runtime/DType.h"
#include "lib/Runtime/MachineDescription.h"
#include "lib/Runtime/ManifestOps.h"
#include "lib/Runtime/Result.h"
#include "lib/Runtime/Sanitizer.h"
#include "lib/Runtime/SizeExpression.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixattn {

/// An integer, or the name of a dynamic dim that stands for its size.
struct Dim {
  /// Empty where `value` holds.
  std::string name;
  int64_t value = 0;

  bool isDynamic() const { return !name.empty(); }
  /// The integer; the name must be in `sizes`.
  int64_t in(const DimSizes &sizes) const;
  /// The name, or the integer in decimals.
  std::string toString() const;
};

/// The values that an integer argument may hold, both ends included.
struct Range {
  Dim low, high;
};

/// A further condition on an argument's values.
struct Holds {
  enum class Kind {
    /// No value is negative, and each head (dim 0) has one above 0.
    Prior,
    /// Each head (dim 0) has a value above -inf.
    LogPrior,
    /// Rows are strictly increasing; column c is below extent c.
    Coordinates,
    /// Rows (column, first row, length) are disjoint windows of at least one
    /// row; these rows and the column are below the one extent.
    Windows,
    /// There is at least one element.
    NonEmpty
  };
  Kind kind = Kind::NonEmpty;
  /// Of Coordinates one for each column, of Windows one.
  std::vector<Dim> extents;
};

/// An argument or a result of an entry.
struct Parameter {
  std::string name;
  DType dtype = DType::F32;
  std::vector<Dim> shape;
  std::optional<Range> range;
  std::optional<Holds> holds = std::nullopt;
  /// Whether this is a weight of a model, and no input.
  bool isWeight = false;
  /// Whether a call changes this argument where it lies.
  bool isUpdated = false;
};

/// A sum of coefficient times the product of dims.
struct Polynomial {
  struct Term {
    double coefficient;
    std::vector<std::string> dims;
  };
  std::vector<Term> terms;

  double in(const DimSizes &sizes) const;
};

/// How the size of a dim that no argument has is told: dim `by` of an argument
/// is `factor` times as large, and `offset` more. Both are below 2^31.
struct ToldSize {
  std::string by;
  int64_t factor = 1, offset = 0;
};

/// A rule on the size of a dim.
struct SizeRule {
  int64_t least = 0;
  std::optional<int64_t> most = std::nullopt;
  /// The size, in dims of arguments that have no such rule.
  std::optional<SizeExpression> definition = std::nullopt;
  std::optional<ToldSize> told = std::nullopt;
};

/// Something of an entry that takes time: an op, and what has become of it.
struct Kernel {
  /// A part of it whose time is taken.
  struct Stage {
    uint32_t number;
    /// The algorithm, or `plain`, or `copy`.
    std::string name;
  };
  std::string op;
  /// `FILE:LINE:COLUMN`, and those of the calls it stands in, the innermost
  /// first. Empty where it is not known.
  std::string place;
  std::vector<std::string> calledAt;
  std::optional<Polynomial> flops, bytes;
  std::vector<Stage> stages;
};

/// The tensor map that copies by TMA use. The innermost dim is the first.
struct TensorMap {
  /// The stride of a dim: that of dim `dim` of the tensor, or `bytes`.
  struct Stride {
    std::optional<int64_t> dim;
    SizeExpression bytes;
  };
  /// F16 or BF16.
  DType dtype = DType::BF16;
  std::vector<SizeExpression> dims;
  /// Of all dims but the innermost.
  std::vector<Stride> strides;
  /// Elements that one copy takes.
  std::vector<uint32_t> box;
  /// Bytes of a row that are permuted in shared memory; 0 for none.
  int64_t swizzle = 0;
};

/// An argument of a kernel of a GPU.
struct KernelParameter {
  enum class Kind {
    /// The address of the first element of `tensor`, 8 bytes.
    Pointer,
    /// The stride of dim `dim` of `tensor`, in elements, an i64.
    Stride,
    /// `value`, an i32.
    Scalar,
    /// The address of the workspace and `value` bytes more, 8 bytes.
    Workspace,
    /// The tensor map that `map` describes, 128 bytes: of `tensor`, or without
    /// one of what lies `value` bytes from the workspace on.
    TensorMap,
    /// The address of the call's status word, or 0, 8 bytes: the kernel says
    /// there that `tensor` holds a value out of its range.
    Status
  };
  Kind kind = Kind::Pointer;
  std::string tensor;
  int64_t dim = 0;
  /// Bytes that divide the address, and the strides of all dims but the
  /// innermost.
  int64_t alignment = 1;
  SizeExpression value;
  TensorMap map;
};

/// One launch of a kernel of a GPU.
struct Launch {
  /// The target that it is for; empty where the artifact has one.
  std::string target;
  std::string kernel;
  /// Blocks of the grid, threads of a block, blocks of a cluster.
  std::array<SizeExpression, 3> grid;
  std::array<uint32_t, 3> block = {1, 1, 1}, cluster = {1, 1, 1};
  /// Bytes of dynamic shared memory.
  SizeExpression shared;
  std::vector<KernelParameter> parameters;
};

/// A function that the artifact exports.
struct Entry {
  std::string name, symbol;
  std::vector<Parameter> arguments, results;
  /// By names of dims; those without a rule may have any size.
  std::map<std::string, SizeRule> sizes = {};
  std::optional<Polynomial> flops, bytes;
  /// Bytes of memory for intermediate values that a call takes, for all its
  /// threads together; none where that is not known before.
  std::optional<SizeExpression> workspace = std::nullopt;
  /// Bytes of memory that callers may keep for parameters that are packed once.
  uint64_t packed = 0;
  /// The manifest's `attention`.
  std::optional<Op> op;
  /// Why there is no `op`.
  std::string attentionReason;
  /// The kernels whose begin and end are recorded; none without --profile.
  std::optional<std::vector<Kernel>> kernels = std::nullopt;
  /// The launches of a call, in order, of one target after the other; none of
  /// code for a CPU.
  std::optional<std::vector<Launch>> launches = std::nullopt;
  /// The facts of an entry on a GPU, in an artifact for a CPU and for GPUs.
  struct OnGpu {
    std::optional<SizeExpression> workspace;
    std::vector<Launch> launches;
  };
  std::optional<OnGpu> gpu = std::nullopt;

  /// The argument of that name, or null.
  const Parameter *argument(std::string_view name) const;
  /// The result of that name, or null.
  const Parameter *result(std::string_view name) const;
  /// All that a call writes: the results, then the arguments that it updates.
  std::vector<Parameter> outputs() const;
  /// Whether one of these has that name.
  bool isOutput(std::string_view name) const;
};

/// The machine that the code was made for.
struct Target {
  std::string arch, cpu;
  /// LLVM's names, sorted.
  std::vector<std::string> features;
  /// The machine that calls were planned for; hand-made manifests may lack it.
  std::optional<MachineDescription> machine = std::nullopt;

  /// The GPUs that there is code for: `cpu` has a comma between two.
  std::vector<std::string> chips() const;
  /// Whether kernels run on a GPU, and the host's part on any CPU.
  bool isGpu() const { return arch == "nvptx64"; }
};

/// A whole manifest.
struct Manifest {
  int64_t abi = 0;
  std::string producer;
  Target target;
  /// The CPUs that there is code for, where they are several, those that are
  /// preferred first; `target` is the last of them.
  std::vector<Target> versions = {};
  /// The GPUs that there is code for next to that for a CPU.
  std::optional<Target> gpu = std::nullopt;
  /// The sanitizer that the code was instrumented with.
  Sanitizer sanitizer = Sanitizer::None;
  std::vector<Entry> entries;

  /// Of an artifact for a CPU and for GPUs the manifest of the code for one of
  /// the two; any other manifest as it is.
  Manifest halfFor(bool isGpu) const;
};

/// Reads and checks a manifest's JSON text. Errors say where: `manifest:
/// entries[0].arguments[1].dtype: expected …, but got …`. A text of another
/// ABI version is an error before anything else in it is looked at.
Result<Manifest> parseManifest(std::string_view text);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_MANIFEST_H
