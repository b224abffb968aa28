// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compilation for one target.
#include "tools/mixattn-compile/Compilation.h"

#include "lib/Target/Artifact.h"
#include "lib/Target/DispatchObjects.h"
#include "lib/Target/Imports.h"
#include "lib/Target/Ptx.h"
#include "passes/Passes.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/entry/EmbeddedWeights.h"
#include "passes/plan/CostReport.h"
#include "passes/plan/Explain.h"
#include "passes/target/CpuModel.h"
#include "passes/target/GpuModel.h"
#include "passes/target/Target.h"
#include "tools/mixattn-compile/Memory.h"
#include "tools/mixattn-compile/Resources.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mixattn;

/// Where the module's manifest stands once it is at level llvm.
static constexpr llvm::StringLiteral manifestAttribute = "attn.manifest";

static TargetFamily familyOf(const Machine &machine) {
  return machine.isGpu ? findGpu(machine.cpu)->family : TargetFamily::X86;
}

ExitCode mixattn::report(const Error &error, ExitCode code) {
  llvm::errs() << "mixattn-compile: error: " << error.message << "\n";
  return code;
}

mlir::DialectRegistry mixattn::makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerCodeTranslations(registry);
  return registry;
}

Compilation::Compilation(const Options &options, const Machine &machine,
                         std::unique_ptr<llvm::MemoryBuffer> source)
    : options(options), machine(machine), context(makeRegistry()),
      reproducer(source->getBuffer().str(), options.output) {
  sources.AddNewSourceBuffer(std::move(source), llvm::SMLoc());
  // A person reads what is wrong and where; the op is in the file.
  context.printOpOnDiagnostic(false);
  // That nothing better than the plain path was found is not to be missed.
  mlir::remark::RemarkCategories categories;
  if (options.hasRemarks)
    categories.passed = categories.missed = ".*";
  else if (!options.isReport())
    categories.missed = "attn-plan|attn-schedule-kernels";
  else
    return;
  (void)mlir::remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

std::string Compilation::print() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << "\n";
  return text;
}

/// An error of a function that has the name of one that code calls.
static Status checkNames(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isDeclaration() && isImported(function.getName()))
      return makeError("expected names of functions that libc, libm and OpenMP "
                       "do not have, but got '{}'",
                       function.getName().str());
  return Success{};
}

ExitCode Compilation::parse() {
  module = mlir::parseSourceFile<mlir::ModuleOp>(sources,
                                                 mlir::ParserConfig(&context));
  if (!module || mlir::failed(checkResources(*module)))
    return failed;
  if (Status checked = checkNames(*module); !checked)
    return report(checked.error());
  // The reproducer is text.
  const llvm::MemoryBuffer *source = sources.getMemoryBuffer(1);
  if (mlir::isBytecode(source->getMemBufferRef()))
    reproducer.setSource(print());
  return done;
}

/// Adds the pass that says which machine the module is for.
void Compilation::addTarget(mlir::OpPassManager &passes) {
  SetTargetPassOptions target;
  target.family = familyOf(machine);
  target.chip = machine.cpu;
  target.features.assign(machine.features.begin(), machine.features.end());
  if (machine.emulatesAmx)
    target.features.insert(
        llvm::upper_bound(target.features, emulatedAmx.str()),
        emulatedAmx.str());
  target.threads = options.threads;
  if (machine.facts)
    target.machine = toText(*machine.facts);
  for (const auto &[name, number] : machine.calibration) {
    std::string text;
    llvm::raw_string_ostream(text)
        << name << "=" << llvm::format("%.17g", number);
    target.calibration.push_back(text);
  }
  passes.addPass(createSetTargetPass(target));
}

PipelineOptions Compilation::passOptions() const {
  PipelineOptions made;
  made.entry = options.entry;
  made.sanitizer = nameOf(options.sanitizer);
  made.family = familyOf(machine);
  made.plan = options.plan;
  made.raise = options.isRaised;
  made.profile = options.isProfiled;
  made.embed = options.embeds;
  made.weights = options.weightsMark;
  return made;
}

ExitCode Compilation::runPasses() {
  auto passes = mlir::PassManager::on<mlir::ModuleOp>(&context);
  addTarget(passes);
  if (options.cost != Options::Report::None)
    buildEntries(passes, passOptions());
  else
    buildPipeline(passes, Level::Graph,
                  options.isReport() ? Level::Planned : options.level,
                  passOptions());
  // After each pass it takes as long as all passes do: levels verify where they
  // end, and passes that the reproducer repeats each.
  passes.enableVerifier(options.cost != Options::Report::None);
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  passes.printAsTextualPipeline(stream);
  reproducer.setPipeline(pipeline);

  // A pass that says what it has against the input has done its duty. One that
  // fails in silence, or leaves a module that does not verify, has not.
  bool hasErrors = false;
  mlir::ScopedDiagnosticHandler watch(&context, [&](mlir::Diagnostic &each) {
    hasErrors |= each.getSeverity() == mlir::DiagnosticSeverity::Error;
    return mlir::failure();
  });
  if (mlir::succeeded(passes.run(*module)))
    return done;
  mlir::ScopedDiagnosticHandler hush(&context, [](mlir::Diagnostic &) {});
  if (mlir::failed(mlir::verify(*module)))
    reproducer.report("a pass left a module that does not verify");
  else if (!hasErrors)
    reproducer.report("a pass failed without a reason");
  return failed;
}

ExitCode Compilation::readManifest(Manifest &manifest, std::string &text) {
  if (auto held = (*module)->getAttrOfType<mlir::StringAttr>(manifestAttribute))
    text = held.str();
  auto parsed = parseManifest(text);
  if (!parsed) {
    reproducer.report(parsed.message());
    return failed;
  }
  manifest = std::move(*parsed);
  if (manifest.target.cpu != machine.cpu ||
      manifest.target.features != machine.features)
    return report(makeError("the input was made for '{}' and its features, "
                            "but the target is '{}'",
                            manifest.target.cpu, machine.cpu));
  if (manifest.sanitizer != options.sanitizer)
    return report(makeError("the input was made for the sanitizer '{}', but "
                            "'--sanitize' says '{}'",
                            nameOf(manifest.sanitizer),
                            nameOf(options.sanitizer)));
  return done;
}

/// The code in the form that the output has, with `prefix` before its names.
ExitCode Compilation::emit(std::vector<std::string> &code,
                           const std::string &prefix) {
  auto emitted = emitCode(*module, {machine, codeKindOf(*options.kind),
                                    options.isOptimized, options.sanitizer,
                                    isLinked(*options.kind), prefix});
  if (!emitted) {
    reproducer.report(emitted.message());
    return failed;
  }
  code = std::move(*emitted);
  return done;
}

ExitCode Compilation::makeCode(Weights &weights, OutputFiles &files) {
  Manifest manifest;
  std::string text;
  if (ExitCode code = readManifest(manifest, text))
    return code;
  std::vector<std::string> objects;
  if (ExitCode code = emit(objects, /*prefix=*/""))
    return code;
  if (options.embeds)
    if (Status held = embedWeights(*module, objects, weights); !held)
      return report(held.error());
  Status added = makeArtifact(
      *options.kind, options.output, std::move(objects), manifest, text, files,
      weights.section.empty() ? nullptr : &weights.section);
  return added ? done : report(added.error());
}

std::string Compilation::explainPlans() {
  PlanTarget target(TargetAttr::of(*module));
  std::string error;
  if (!options.plan.empty())
    target.forced = parseForcedPlan(options.plan, error);
  EntryMemory memory = findMemory(*module, passOptions(), options.sizes);
  if (options.explanation == Options::Report::Json)
    return explainAsJson(*module, options.sizes, target, memory);
  std::string header =
      "target " + machine.cpu + ": " + describeTarget(target.target) + "\n";
  if (!machine.doubt.empty())
    header += machine.doubt + "\n";
  return header + "\n" + explain(*module, options.sizes, target, memory);
}

ExitCode Compilation::makeReport(OutputFiles &files) {
  std::vector<std::string> dims = getDimNames(*module);
  for (const auto &[name, size] : options.sizes)
    if (!llvm::is_contained(dims, name))
      return report(makeError("expected '--dim' to name a dimension of an "
                              "entry, but got '{}'",
                              name));
  std::string text = options.cost == Options::Report::Json
                         ? printCostsAsJson(*module, options.sizes)
                     : options.cost == Options::Report::Text
                         ? printCosts(*module, options.sizes)
                         : explainPlans();
  Status added = files.add(options.output, std::move(text));
  return added ? done : report(added.error());
}

/// Whether all passes have run on `module`: --stop-after=llvm wrote it.
static bool isAtLlvm(mlir::ModuleOp module) {
  auto isLlvm = [](mlir::Operation &op) {
    return op.getName().getDialectNamespace() == "llvm";
  };
  if (!module->hasAttr(manifestAttribute))
    return false;
  // For a GPU kernels are there, and what launches them is as it was.
  auto kernels = module.getOps<mlir::gpu::GPUModuleOp>();
  if (!kernels.empty())
    return llvm::all_of(kernels, [&](mlir::gpu::GPUModuleOp each) {
      return llvm::all_of(each.getOps(), isLlvm);
    });
  return llvm::all_of(module.getOps(), isLlvm);
}

ExitCode Compilation::checkPlan() {
  context.loadDialect<AttnDialect>();
  auto any = TargetAttr::get(&context, familyOf(machine), machine.cpu,
                             mlir::ArrayAttr(), /*threads=*/0,
                             mlir::DictionaryAttr(), mlir::DictionaryAttr());
  std::string error;
  auto forced = parseForcedPlan(options.plan, error);
  if (forced)
    error = whyNoPlan(*forced, schedulesFor(any));
  return error.empty() ? done
                       : report(makeError("{}", error), wrongCommandLine);
}

/// The source, parsed and through all passes.
ExitCode Compilation::runAll() {
  if (!options.plan.empty())
    if (ExitCode code = checkPlan())
      return code;
  if (ExitCode code = parse())
    return code;
  if (!isAtLlvm(*module)) {
    if (ExitCode code = runPasses())
      return code;
  } else if (!options.entry.empty() || options.isReport() ||
             !options.plan.empty() || options.threads || options.isProfiled ||
             (options.embeds && !(*module)->hasAttr(embeddedManifest))) {
    const char *late = options.cost != Options::Report::None ? "cost"
                       : options.isReport()                  ? "explain"
                       : !options.plan.empty()               ? "plan"
                       : options.threads                     ? "threads"
                       : options.isProfiled                  ? "profile"
                       : options.embeds                      ? "embed"
                                                             : "entry";
    return report(
        makeError("'--{}' comes too late for '{}', which is at level llvm",
                  late, options.input));
  }
  return done;
}

ExitCode Compilation::run(Weights &weights, OutputFiles &files) {
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  if (ExitCode code = runAll())
    return code;
  if (options.isReport())
    return makeReport(files);
  if (options.kind)
    return makeCode(weights, files);
  Status added = files.add(options.output, print());
  return added ? done : report(added.error());
}

/// The same; remarks name the target where it is one of several.
ExitCode Compilation::runAllNamed(bool isOneOfSeveral) {
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  // The newest handler is asked first, and leaves the rest to the others.
  std::optional<mlir::ScopedDiagnosticHandler> nameTarget;
  if (isOneOfSeveral)
    nameTarget.emplace(&context, [&](mlir::Diagnostic &each) {
      if (each.getSeverity() == mlir::DiagnosticSeverity::Remark)
        each << " (" << machine.cpu << ")";
      return mlir::failure();
    });
  return runAll();
}

ExitCode Compilation::run(std::vector<GpuKernels> &kernels,
                          std::vector<std::string> &manifests,
                          bool isOneOfSeveral) {
  if (ExitCode code = runAllNamed(isOneOfSeveral))
    return code;
  Manifest manifest;
  if (ExitCode code = readManifest(manifest, manifests.emplace_back()))
    return code;
  auto ptx = emitPtx(*module);
  if (!ptx)
    return report(ptx.error());
  kernels.push_back({machine.cpu, std::move(*ptx)});
  return done;
}

ExitCode Compilation::run(std::vector<std::string> &objects,
                          std::vector<std::string> &manifests) {
  if (ExitCode code = runAllNamed(/*isOneOfSeveral=*/true))
    return code;
  Manifest parsed;
  std::string prefix = hostPrefix(manifests.size());
  if (ExitCode code = readManifest(parsed, manifests.emplace_back()))
    return code;
  std::vector<std::string> own;
  if (ExitCode code = emit(own, prefix))
    return code;
  llvm::append_range(objects, own);
  return done;
}
