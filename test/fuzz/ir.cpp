// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzzes what reads IR: whatever parses must print, parse again, and go down
// the pipeline or be refused with a reason. Texts are mutated token by token,
// so that many of them reach the verifiers and the passes.

#include "passes/Pipelines/Pipelines.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace mlir;

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

/// Ends the program in a way that the fuzzer reports.
[[noreturn]] static void fail(StringRef what, StringRef text) {
  llvm::errs() << what << ":\n" << text << "\n";
  abort();
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

static OwningOpRef<ModuleOp> parse(StringRef text, MLIRContext &context) {
  return parseSourceString<ModuleOp>(text, ParserConfig(&context));
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  mixattn::registerDialects(registry);
  return registry;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const DialectRegistry registry = makeRegistry();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // Diagnostics are answers, and nobody listens.
  ScopedDiagnosticHandler silence(&context, [](Diagnostic &) {});

  // The parser wants a NUL after its text, as the buffers of files have.
  std::string text(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module = parse(text, context);
  if (!module)
    return 0;
  std::string printed = print(*module);
  OwningOpRef<ModuleOp> again = parse(printed, context);
  if (!again)
    fail("printed IR does not parse", printed);
  if (print(*again) != printed)
    fail("printed IR changes when it is parsed", printed);

  // The lower levels take most of the time: go there now and then.
  mixattn::Level to = llvm::hash_value(StringRef(text)) % 16
                          ? mixattn::Level::Normal
                          : mixattn::Level::Llvm;
  bool hasReason = false;
  ScopedDiagnosticHandler watch(&context, [&](Diagnostic &diagnostic) {
    hasReason |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  PassManager passes(&context);
  mixattn::buildPipeline(passes, mixattn::Level::Graph, to, {});
  bool isDone = succeeded(passes.run(*module));
  if (isDone && failed(verify(*module)))
    fail("the pipeline leaves invalid IR", printed);
  if (!isDone && !hasReason)
    fail("the pipeline fails without a reason", printed);
  return 0;
}

//===----------------------------------------------------------------------===//
// The mutator
//===----------------------------------------------------------------------===//

/// Words that may stand for one another.
static const std::vector<std::vector<std::string>> groups = {
    {"0", "1", "2", "3", "4", "7", "8", "64", "96", "-1", "?", "1.0", "0.125"},
    {"f16", "bf16", "f32", "f64", "i1", "i32", "i64", "index"},
    {"bias",           "mask",     "lengths",      "prior",      "mixer",
     "mixer_by_row",   "mlp",      "premix",       "premix_mlp", "postmix",
     "postmix_by_row", "pool",     "scores",       "shifted_by", "query_term",
     "key_term",       "given",    "projected_by", "drawn",      "philox",
     "sigma",          "features", "favor",        "normaliser"},
    {"causal", "gaussian", "maximum", "scale_before", "relu_per_key", "weights",
     "lse", "sigsoftmax", "base2"},
    {"scale", "band", "keep", "variances", "score_mod"},
    {"local", "global"},
    {"attn.softmax", "attn.mix_heads", "attn.mixture_of_keys",
     "attn.admixture_heads", "attn.generic"},
    {"attn.linear", "attn.linear_mixture_of_keys",
     "attn.linear_admixture_heads", "attn.linear_generic"},
    {"elu", "normalized_elu", "relu", "dpfp", "favor"},
    {"eps", "output_scale", "rolls"},
    {"attn.structured_pool", "attn.responsibilities", "attn.prior_update",
     "attn.orthogonal_penalty"},
    {"windows", "error", "band", "prior"},
    {"row_normalise", "per_key", "dot", "causal"},
    {"\"prior\"", "\"log_prior\"", "\"coordinates\"", "\"windows\"",
     "\"nonempty\""},
    {"attn.name", "attn.dims", "attn.range", "attn.holds", "\"B\"", "\"N\"",
     "\"S\""},
    {"arith.addf", "arith.mulf", "arith.subf", "arith.maximumf"},
    {"%q", "%k", "%v", "%m", "%mixer", "%bias", "%mask", "%lengths", "%o",
     "%keys", "%shifts", "%log_prior", "%w1", "%b1", "%w2", "%b2"},
};

/// Splits `text` into words (with % ^ # " and dots), numbers and single other
/// characters; joined, they are `text` again.
static std::vector<std::string> split(StringRef text) {
  std::vector<std::string> tokens;
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  while (!text.empty()) {
    size_t length = 1;
    if (text[0] == '"') {
      size_t end = text.find('"', 1);
      length = end == StringRef::npos ? text.size() : end + 1;
    } else if (llvm::isDigit(text[0])) {
      // A number ends before the x of a shape.
      while (length < text.size() &&
             (llvm::isDigit(text[length]) || text[length] == '.'))
        ++length;
    } else if (isWord(text[0]) || StringRef("%^#@").contains(text[0])) {
      bool isDimSeparator =
          text[0] == 'x' && !tokens.empty() &&
          (llvm::isDigit(tokens.back().back()) || tokens.back() == "?");
      while (!isDimSeparator && length < text.size() && isWord(text[length]))
        ++length;
    }
    tokens.push_back(text.take_front(length).str());
    text = text.drop_front(length);
  }
  return tokens;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  auto below = [&](size_t n) { return n ? random() % n : 0; };
  std::vector<std::string> tokens =
      split(StringRef(reinterpret_cast<const char *>(data), size));
  if (tokens.empty())
    tokens = {"module"};
  for (size_t rounds = 1 + below(3); rounds && !tokens.empty(); --rounds) {
    size_t at = below(tokens.size()), other = below(tokens.size());
    switch (below(8)) {
    case 0:
      tokens.erase(tokens.begin() + at);
      break;
    case 1:
      tokens.insert(tokens.begin() + at, tokens[other]);
      break;
    case 2:
      tokens[at] = tokens[other];
      break;
    case 3:
      std::swap(tokens[at], tokens[other]);
      break;
    default:
      // Another word of the same group, for the next token that is in one.
      for (size_t i = 0; i < tokens.size(); ++i) {
        std::string &token = tokens[(at + i) % tokens.size()];
        auto group = llvm::find_if(groups, [&](const auto &words) {
          return llvm::is_contained(words, token);
        });
        if (group == groups.end())
          continue;
        token = (*group)[below(group->size())];
        break;
      }
    }
  }
  std::string text = llvm::join(tokens, "");
  size_t length = std::min(text.size(), maxSize);
  memcpy(data, text.data(), length);
  return length;
}
