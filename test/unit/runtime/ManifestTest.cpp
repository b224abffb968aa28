// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of manifests: what parses, and every complaint.
#include "lib/Runtime/Manifest.h"
#include "test/unit/runtime/Utilities.h"

using namespace mixattn;

/// A manifest with one entry whose arguments, results and other members are
/// these.
static std::string
makeManifest(const std::string &arguments, const std::string &results,
             const std::string &others = R"("attention": null)") {
  return R"({"abi": 2, "producer": "test", "target": {"arch": "x86_64", "cpu":
             "x86-64", "features": ["sse2"]}, "entries": [{"name": "f",
             "symbol": "mixattn_f", "arguments": [)" +
         arguments + R"(], "results": [)" + results + "], " + others + "}]}";
}

static const std::string x =
    R"({"name": "x", "dtype": "f32", "shape": ["B", 8, "N"]})";
static const std::string o =
    R"({"name": "o", "dtype": "f32", "shape": ["N", "B"]})";

static std::string parseError(const std::string &text) {
  return messageOf(parseManifest(text));
}

TEST(Manifest, Parses) {
  std::string index =
      R"({"name": "i", "dtype": "i64", "shape": ["B"], "range": [-1, "S"]})";
  std::string y = R"({"name": "y", "dtype": "bf16", "shape": ["S"]})";
  Result<Manifest> manifest = parseManifest(
      makeManifest(x + "," + index + "," + y, o,
                   R"("flops": [{"coefficient": 16, "dims": ["B", "N", "S"]},
                                {"coefficient": 2, "dims": []}],
                      "bytes": null, "attention": null,
                      "attention_reason": "two ops")"));
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(manifest->target.features, std::vector<std::string>{"sse2"});
  const Entry &entry = manifest->entries[0];
  EXPECT_EQ(entry.symbol, "mixattn_f");
  EXPECT_EQ(entry.argument("x")->shape[1].value, 8);
  EXPECT_EQ(entry.argument("x")->shape[2].name, "N");
  EXPECT_EQ(entry.argument("i")->range->low.value, -1);
  EXPECT_EQ(entry.argument("i")->range->high.name, "S");
  EXPECT_EQ(entry.result("o")->dtype, DType::F32);
  EXPECT_EQ(entry.result("x"), nullptr);
  EXPECT_EQ(entry.flops->in({{"B", 2}, {"N", 3}, {"S", 5}}), 482);
  EXPECT_FALSE(entry.bytes);
  EXPECT_EQ(entry.attentionReason, "two ops");
}

TEST(Manifest, Sanitizer) {
  auto with = [](const std::string &sanitizer) {
    return parseManifest(R"({"abi": 2, "producer": "test", "target": {"arch":
      "x86_64", "cpu": "x86-64", "features": []}, "sanitizer": )" +
                         sanitizer + R"(, "entries": []})");
  };
  EXPECT_EQ(with(R"("address")")->sanitizer, Sanitizer::Address);
  EXPECT_EQ(with(R"("thread")")->sanitizer, Sanitizer::Thread);
  EXPECT_EQ(parseManifest(makeManifest(x, o))->sanitizer, Sanitizer::None);
  EXPECT_EQ(messageOf(with(R"("memory")")),
            "manifest: sanitizer: expected none, address or thread, but got "
            "'memory'");
  EXPECT_EQ(messageOf(with("1")),
            "manifest: sanitizer: expected a text, but got number");
}

TEST(Manifest, Machine) {
  auto with = [](const std::string &machine) {
    return parseManifest(R"({"abi": 2, "producer": "test", "target": {"arch":
      "x86_64", "cpu": "znver5", "features": [], "machine": {)" +
                         machine + R"("cores": 2, "l1": 49152, "l2": 1048576,
      "l3": 33554432, "hertz": 4.2e9, "multiply_adds": 2, "pair_products": 0.5,
      "shares_ports": true}}, "entries": []})");
  };
  Result<Manifest> manifest = with("");
  ASSERT_TRUE(manifest) << manifest.message();
  const MachineDescription &named = *manifest->target.machine;
  EXPECT_EQ(toText(named), "vendor=,family=0,model=0,stepping=0,cores=2,"
                           "l1=49152,l2=1048576,l3=33554432,l3_threads=0");
  EXPECT_EQ(named.hertz, 4.2e9);
  EXPECT_EQ(named.multiplyAdds, 2);
  EXPECT_EQ(named.pairProducts, 0.5);
  EXPECT_TRUE(named.sharesPorts);
  manifest = with(R"("vendor": "AuthenticAMD", "family": 26, "model": 2,
                     "stepping": 1, "l3_threads": 16, )");
  ASSERT_TRUE(manifest) << manifest.message();
  EXPECT_EQ(toText(*manifest->target.machine),
            "vendor=AuthenticAMD,family=26,model=2,stepping=1,cores=2,"
            "l1=49152,l2=1048576,l3=33554432,l3_threads=16");
  EXPECT_EQ(messageOf(with(R"("vendor": 3, )")),
            "manifest: target.machine.vendor: expected a text, but got number");
  EXPECT_FALSE(parseManifest(makeManifest(x, o))->target.machine);
}

TEST(Manifest, OtherVersionFirst) {
  EXPECT_EQ(parseError(R"({"abi": 3})"), "expected ABI version 2, but got 3");
}

TEST(Manifest, NotJson) {
  EXPECT_EQ(parseError("{"), "manifest: expected JSON, but got something else");
  EXPECT_EQ(parseError("3"), "manifest: expected an object, but got number");
  EXPECT_EQ(parseError("{}"),
            "manifest: expected a member 'abi', but got none");
  EXPECT_EQ(parseError(R"({"abi": "1"})"),
            "manifest: abi: expected an integer of 64 bits, but got string");
}

TEST(Manifest, WrongKinds) {
  EXPECT_EQ(parseError(makeManifest("3", o)),
            "manifest: entries[0].arguments[0]: expected an object, but got "
            "number");
  EXPECT_EQ(parseError(makeManifest(
                R"({"name": 1, "dtype": "f32", "shape": []})", "")),
            "manifest: entries[0].arguments[0].name: expected a text, but got "
            "number");
  EXPECT_EQ(parseError(makeManifest(
                R"({"name": "x", "dtype": "f32", "shape": {}})", "")),
            "manifest: entries[0].arguments[0].shape: expected an array, but "
            "got object");
  EXPECT_EQ(parseError(makeManifest(
                x, o, R"("flops": [{"coefficient": "2", "dims": []}])")),
            "manifest: entries[0].flops[0].coefficient: expected a number, but "
            "got string");
}

TEST(Manifest, WrongParameters) {
  EXPECT_EQ(parseError(makeManifest(
                R"({"name": "x", "dtype": "u8", "shape": []})", "")),
            "manifest: entries[0].arguments[0]: expected an element type, but "
            "got 'u8'");
  EXPECT_EQ(parseError(makeManifest(
                R"({"name": "x", "dtype": "f32", "shape": [-1]})", "")),
            "manifest: entries[0].arguments[0].shape[0]: expected a size, but "
            "got -1");
  EXPECT_EQ(parseError(makeManifest(
                R"({"name": "x", "dtype": "f32", "shape": [""]})", "")),
            "manifest: entries[0].arguments[0].shape[0]: expected the name of "
            "a dim, but got ''");
  EXPECT_EQ(parseError(makeManifest(
                R"({"name": "x", "dtype": "\u001b[2J", "shape": []})", "")),
            "manifest: entries[0].arguments[0].dtype: expected a text without "
            "control characters, but got '\\x1b[2J'");
  EXPECT_EQ(parseError(makeManifest(x + "," + x, o)),
            "manifest: entries[0].arguments[1]: expected a name of its own, "
            "but got 'x'");
  EXPECT_EQ(parseError(makeManifest(
                x, R"({"name": "o", "dtype": "f32", "shape": ["S"]})")),
            "manifest: entries[0].results[0]: expected a dim of an argument, "
            "but got 'S'");
  EXPECT_EQ(parseError(makeManifest(
                R"({"name": "x", "dtype": "f32", "shape": [],
                    "range": [0, 1]})",
                "")),
            "manifest: entries[0].arguments[0].range: expected two ends of "
            "integers, but got 2 of f32");
}

TEST(Manifest, ParsesWhatHolds) {
  auto holds = [](const char *dtype, const char *shape, const char *value) {
    Result<Manifest> manifest = parseManifest(makeManifest(
        x + R"(, {"name": "y", "parameter": true, "dtype": ")" + dtype +
            R"(", "shape": )" + shape + R"(, "holds": )" + value + "}",
        o));
    EXPECT_TRUE(manifest) << manifest.message();
    const Parameter *argument = manifest->entries[0].argument("y");
    EXPECT_TRUE(argument->isWeight);
    return *argument->holds;
  };
  EXPECT_EQ(holds("bf16", "[4, 2]", R"({"kind": "prior"})").kind,
            Holds::Kind::Prior);
  EXPECT_EQ(holds("f32", R"([4, 2, "N"])", R"({"kind": "log_prior"})").kind,
            Holds::Kind::LogPrior);
  EXPECT_EQ(holds("f32", "[]", R"({"kind": "nonempty"})").kind,
            Holds::Kind::NonEmpty);
  Holds at = holds("i64", R"(["E", 3])",
                   R"({"kind": "coordinates", "extents": [8, "N", "N"]})");
  EXPECT_EQ(at.kind, Holds::Kind::Coordinates);
  ASSERT_EQ(at.extents.size(), 3u);
  EXPECT_EQ(at.extents[0].value, 8);
  EXPECT_EQ(at.extents[2].name, "N");
  EXPECT_EQ(
      holds("i32", R"(["T", 3])", R"({"kind": "windows", "extents": ["N"]})")
          .extents.size(),
      1u);
}

TEST(Manifest, WrongHolds) {
  auto error = [](const char *dtype, const char *shape, const char *value) {
    return parseError(makeManifest(x + R"(, {"name": "y", "dtype": ")" + dtype +
                                       R"(", "shape": )" + shape +
                                       R"(, "holds": )" + value + "}",
                                   o));
  };
  const std::string place = "manifest: entries[0].arguments[1].holds";
  EXPECT_EQ(error("f32", "[4, 2]", R"({"kind": "x"})"),
            place + ": expected what can hold of f32 of rank 2, but got 'x'");
  EXPECT_EQ(error("i64", "[4, 2]", R"({"kind": "prior"})"),
            place +
                ": expected what can hold of i64 of rank 2, but got 'prior'");
  EXPECT_EQ(error("i1", "[4, 3]", R"({"kind": "windows", "extents": [4]})"),
            place +
                ": expected what can hold of i1 of rank 2, but got 'windows'");
  EXPECT_EQ(error("i64", "[4, 2]", R"({"kind": "windows", "extents": [4]})"),
            place + ": expected extents for 2 columns, but got 1");
  EXPECT_EQ(
      error("i64", R"([4, "N"])", R"({"kind": "coordinates", "extents": [4]})"),
      place + ": expected extents for N columns, but got 1");
  EXPECT_EQ(error("i64", "[4, 3]", R"({"kind": "windows", "extents": ["S"]})"),
            place + ".extents[0]: expected a dim of an argument, but got 'S'");
}

TEST(Manifest, ParsesRulesOfSizes) {
  auto parse = [](const std::string &sizes, const std::string &result = o) {
    return parseManifest(
        makeManifest(x, result, R"("attention": null, "sizes": )" + sizes));
  };
  Result<Manifest> manifest =
      parse(R"({"N": {"range": [4, 9]}, "B": {"range": [1]},
                "T": {"is": ["add", "N", 1]}})",
            R"({"name": "o", "dtype": "f32", "shape": ["T"]})");
  ASSERT_TRUE(manifest) << manifest.message();
  const auto &sizes = manifest->entries[0].sizes;
  EXPECT_EQ(sizes.at("N").least, 4);
  EXPECT_EQ(sizes.at("N").most, 9);
  EXPECT_EQ(sizes.at("B").most, std::nullopt);
  EXPECT_EQ(sizes.at("T").definition->in({{"N", 4}}, 1), 5);

  const std::string place = "manifest: '";
  EXPECT_EQ(messageOf(parse(R"({"S": {"range": [1]}})")),
            place + "S': expected a dim of an argument, but got 'S'");
  EXPECT_EQ(messageOf(parse(R"({"N": {"range": []}})")),
            place + "N': expected one end or two of a size, but got 0");
  EXPECT_EQ(messageOf(parse(R"({"N": {"range": [3, 2]}})")),
            place + "N': expected ends of a size that ascend");
  EXPECT_EQ(messageOf(parse(R"({"N": {"range": [-1]}})")),
            place + "N': expected ends of a size that ascend");
  const std::string four = R"("told": {"by": "N", "factor": 4, "offset": 1})";
  const std::string ofB = R"("N": {"is": ["add", ["multiply", 4, "C"], 1]})";
  Result<Manifest> told =
      parse("{" + ofB + R"(, "C": {"range": [0, 7], )" + four + "}}",
            R"({"name": "o", "dtype": "f32", "shape": ["C"]})");
  ASSERT_TRUE(told) << told.message();
  const SizeRule &c = told->entries[0].sizes.at("C");
  EXPECT_EQ(c.most, 7);
  EXPECT_EQ(c.told->by, "N");
  EXPECT_EQ(c.told->factor, 4);
  EXPECT_EQ(c.told->offset, 1);
  EXPECT_EQ(messageOf(parse(R"({"C": {"range": [0], )" + four + "}}")),
            place + "C'.told: expected a dim of an argument that others tell, "
                    "but got 'N'");
  EXPECT_EQ(
      messageOf(parse("{" + ofB + R"(, "B": {"range": [0], )" + four + "}}")),
      place + "B': expected a dim that no argument has and that is not "
              "computed, but got 'B'");
  EXPECT_EQ(messageOf(parse("{" + ofB + R"(, "C": {"is": 3, )" + four + "}}")),
            place + "C': expected a dim that no argument has and that is not "
                    "computed, but got 'C'");
  EXPECT_EQ(messageOf(parse("{" + ofB + R"(, "C": {"range": [0], "told":
                            {"by": "N", "factor": 0, "offset": 1}}})")),
            place + "C'.told: expected a factor from 1 on and an offset below "
                    "2^31, but got 0 and 1");
  EXPECT_EQ(messageOf(parse("{" + ofB + R"(, "C": {"range": [0], "told":
                            {"by": "N", "factor": 2, "offset": 2147483648}}})")),
            place + "C'.told: expected a factor from 1 on and an offset below "
                    "2^31, but got 2 and 2147483648");
  // Two that wait for each other.
  EXPECT_EQ(messageOf(parse(R"({"N": {"is": "B"}, "B": {"is": "N"}})")),
            place + "B'.is: expected a dim of an argument, but got 'N'");
}

TEST(Manifest, Kernels) {
  auto with = [](const std::string &kernels) {
    return parseManifest(
        makeManifest(x, o, R"("attention": null, "kernels": )" + kernels));
  };
  EXPECT_FALSE(parseManifest(makeManifest(x, o))->entries[0].kernels);
  EXPECT_TRUE(with("[]")->entries[0].kernels->empty());
  Result<Manifest> manifest = with(R"([
      {"op": "linalg.matmul", "place": "f.mlir:3:8", "called_at": ["f.mlir:9:3"],
       "flops": [{"coefficient": 3, "dims": ["N"]}], "bytes": null,
       "stages": [{"number": 4294967294, "name": "dense"}]},
      {"op": "linalg.fill", "stages": []}])");
  ASSERT_TRUE(manifest) << manifest.message();
  const Kernel &kernel = manifest->entries[0].kernels->front();
  EXPECT_EQ(kernel.op, "linalg.matmul");
  EXPECT_EQ(kernel.place, "f.mlir:3:8");
  EXPECT_EQ(kernel.calledAt, std::vector<std::string>{"f.mlir:9:3"});
  EXPECT_EQ(kernel.flops->in({{"B", 1}, {"N", 5}}), 15);
  EXPECT_FALSE(kernel.bytes);
  EXPECT_EQ(kernel.stages[0].number, 4294967294u);
  EXPECT_EQ(kernel.stages[0].name, "dense");
  EXPECT_EQ(manifest->entries[0].kernels->back().place, "");

  auto error = [&](const char *number) {
    return messageOf(with(R"([{"op": "f", "stages": [{"name": "", "number": )" +
                          std::string(number) + "}]}]"));
  };
  const std::string place = "manifest: entries[0].kernels[0].stages[0]: ";
  EXPECT_EQ(error("-1"), place + "expected the number of an event, but got -1");
  EXPECT_EQ(error("4294967295"),
            place + "expected the number of an event, but got 4294967295");
}

TEST(Manifest, EntriesHaveNamesOfTheirOwn) {
  std::string text = makeManifest(x, o);
  std::string entry = text.substr(text.find(R"({"name": "f")"));
  entry.resize(entry.size() - 2);
  text.insert(text.size() - 2, "," + entry);
  EXPECT_EQ(parseError(text),
            "manifest: entries[1]: expected a name of its own, but got 'f'");
}

/// No prefix of a manifest parses, and none crashes.
TEST(Manifest, Truncated) {
  std::string text = makeManifest(x, o);
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(parseManifest(std::string_view(text).substr(0, size)));
}
