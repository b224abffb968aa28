// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The message, its versions, and then its graph.
#include "lib/Import/Onnx.h"

#include "lib/Import/OnnxFields.h"
#include "lib/Import/OnnxGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <onnx/onnx.pb.h>

#include <google/protobuf/io/zero_copy_stream.h>

#include <algorithm>
#include <climits>

using namespace mixattn;

/// Versions of the format, and of the ops: those whose meaning is known.
static constexpr int64_t leastFormat = 3, mostFormat = 14;
static constexpr int64_t leastOpset = 13, mostOpset = 26;

static bool isStandard(const onnx::OperatorSetIdProto &opset) {
  return opset.domain().empty() || opset.domain() == "ai.onnx";
}

/// Whether the standard ops are of a version that is known.
template <typename Imports> static Status checkOpsets(const Imports &imports) {
  for (const auto &each : imports) {
    if (isStandard(each) &&
        (each.version() < leastOpset || each.version() > mostOpset))
      return makeError("expected opset {} to {}, but got {}", leastOpset,
                       mostOpset, each.version());
  }
  return Success{};
}

static Status checkVersions(const onnx::ModelProto &model) {
  if (model.ir_version() < leastFormat || model.ir_version() > mostFormat)
    return makeError("expected a model of ONNX's format {} to {}, but got {}",
                     leastFormat, mostFormat, model.ir_version());
  if (Status known = checkNewerFields("the model", model.unknown_fields(),
                                      {devicesOfModel});
      !known)
    return known;
  if (Status known = checkOpsets(model.opset_import()); !known)
    return known;
  if (llvm::none_of(model.opset_import(), isStandard))
    return makeError("expected opset {} to {}, but got none", leastOpset,
                     mostOpset);
  for (const onnx::FunctionProto &function : model.functions())
    if (Status known = checkOpsets(function.opset_import()); !known)
      return inPlace("function '" + withoutControls(function.name()) + "'",
                     known.error());
  if (model.training_info_size())
    return makeError("expected a model for inference, but got one that trains");
  return Success{};
}

namespace {
/// Where elements of weights lie.
struct Memory {
  explicit Memory(const std::string &folder) : files(folder) {}

  onnx::ModelProto model;
  ExternalFiles files;
};

/// A file's bytes, piece after piece. Messages have copies of what they hold:
/// once a piece is read, the ones before it may be forgotten.
class Pieces : public google::protobuf::io::ZeroCopyInputStream {
public:
  Pieces(std::string_view file, const std::function<void()> &forget)
      : file(file), forget(forget) {}

  bool Next(const void **data, int *size) override {
    if (at == file.size())
      return false;
    forget();
    std::string_view piece = file.substr(at, pieceSize);
    *data = piece.data();
    *size = int(piece.size());
    at += piece.size();
    return true;
  }
  void BackUp(int count) override { at -= size_t(count); }
  bool Skip(int count) override {
    size_t step = std::min(size_t(count), file.size() - at);
    at += step;
    return step == size_t(count);
  }
  int64_t ByteCount() const override { return int64_t(at); }

private:
  static constexpr size_t pieceSize = 16 << 20;
  std::string_view file;
  const std::function<void()> &forget;
  size_t at = 0;
};
} // namespace

Result<Graph> mixattn::readOnnx(std::string_view file,
                                const std::string &folder,
                                const InputDimNames &names,
                                const std::function<void()> &forget) {
  if (file.size() > INT_MAX)
    return makeError("expected a model of less than 2 GiB, whose weights may "
                     "lie in other files, but got {} bytes",
                     file.size());
  auto memory = std::make_shared<Memory>(folder);
  Pieces pieces(file, forget);
  if (!memory->model.ParseFromZeroCopyStream(&pieces))
    return makeError("expected an ONNX model, but got something else");
  if (Status known = checkVersions(memory->model); !known)
    return known.error();
  Result<Graph> graph = readOnnxGraph(memory->model, memory->files, names);
  if (!graph)
    return graph;
  graph->memory = memory;
  graph->files = memory->files.paths();
  return graph;
}
