// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of code for several CPUs or GPUs, or for CPUs and GPUs.
#include "lib/Target/MergeManifests.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// The name of the GPU that a manifest is for.
static std::string chipOf(const Object &manifest) {
  return manifest.getObject("target")->getString("cpu")->str();
}

static Object parse(const std::string &text) {
  return *llvm::cantFail(llvm::json::parse(text)).getAsObject();
}

static std::string print(Object manifest) {
  std::string text;
  llvm::raw_string_ostream(text) << Value(std::move(manifest));
  return text;
}

static Object &entryOf(Object &manifest, size_t number) {
  return *(*manifest.getArray("entries"))[number].getAsObject();
}

/// The bytes that are enough for a call on any of the targets.
static Value largest(llvm::ArrayRef<Value> sizes) {
  if (llvm::all_equal(sizes))
    return sizes.front();
  Array maximum{"maximum"};
  for (const Value &size : sizes)
    maximum.push_back(size);
  return Value(std::move(maximum));
}

std::string mixattn::mergeManifests(llvm::ArrayRef<std::string> texts) {
  if (texts.size() == 1)
    return texts.front();
  std::vector<Object> all;
  std::vector<std::string> chips;
  for (const std::string &text : texts) {
    all.push_back(parse(text));
    chips.push_back(chipOf(all.back()));
  }
  Object merged = all.front();
  (*merged.getObject("target"))["cpu"] = llvm::join(chips, ",");
  for (size_t i = 0; i < merged.getArray("entries")->size(); ++i) {
    Array launches;
    std::vector<Value> sizes;
    for (auto [manifest, chip] : llvm::zip(all, chips)) {
      Object &own = entryOf(manifest, i);
      const Value *bytes = own.get("workspace");
      sizes.push_back(bytes ? *bytes : Value(0));
      for (Value &launch : *own.getArray("launches")) {
        (*launch.getAsObject())["target"] = chip;
        launches.push_back(std::move(launch));
      }
    }
    Object &entry = entryOf(merged, i);
    entry["launches"] = std::move(launches);
    entry["workspace"] = largest(sizes);
  }
  return print(std::move(merged));
}

std::string mixattn::mergeVersions(llvm::ArrayRef<std::string> texts) {
  if (texts.size() == 1)
    return texts.front();
  std::vector<Object> all;
  Array versions;
  for (const std::string &text : texts) {
    all.push_back(parse(text));
    versions.push_back(*all.back().get("target"));
  }
  Object merged = all.back();
  merged["versions"] = std::move(versions);
  for (size_t i = 0; i < merged.getArray("entries")->size(); ++i) {
    // A workspace is known before a call where that of each is.
    std::vector<Value> sizes;
    std::optional<int64_t> packed;
    for (Object &manifest : all) {
      Object &own = entryOf(manifest, i);
      if (const Value *bytes = own.get("workspace"))
        sizes.push_back(*bytes);
      if (std::optional<int64_t> bytes = own.getInteger("packed"))
        packed = std::max(*bytes, packed.value_or(0));
    }
    Object &entry = entryOf(merged, i);
    entry.erase("workspace");
    if (sizes.size() == all.size())
      entry["workspace"] = largest(sizes);
    if (packed)
      entry["packed"] = *packed;
  }
  return print(std::move(merged));
}

std::string mixattn::joinManifests(const std::string &host,
                                   const std::string &gpus) {
  Object joined = parse(host), other = parse(gpus);
  joined["gpu"] = std::move(*other.get("target"));
  for (size_t i = 0; i < joined.getArray("entries")->size(); ++i) {
    Object own;
    for (const char *member : {"workspace", "launches"})
      if (Value *value = entryOf(other, i).get(member))
        own[member] = std::move(*value);
    entryOf(joined, i)["gpu"] = std::move(own);
  }
  return print(std::move(joined));
}
