# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The configuration that all lit suites of this project share."""

import glob
import os
import platform
import shutil

import lit.formats

config.name = config.suite_name
config.test_source_root = config.suite_source_dir
config.test_exec_root = config.suite_binary_dir
config.excludes = ["Inputs", "corpus", "out-of-tree", "lit.cfg.py", "lit.site.cfg.py"]
if config.suite_name == "unit":
    config.test_format = lit.formats.GoogleTest(".", "Tests")
else:
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test"]

# Tools: ours first, then LLVM's FileCheck, not, count, split-file.
bin_dir = os.path.join(config.mixattn_obj_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
for name in ("MLIR_DIR", "CMAKE_PREFIX_PATH", "OMP_NUM_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

sanitizer_flags = "-g0"
if config.sanitizers:
    sanitizer_flags = "-fsanitize=" + config.sanitizers + " -fno-sanitize=vptr"
config.substitutions += [
    ("%mixattn_src_root", config.mixattn_src_root),
    ("%mixattn_obj_root", config.mixattn_obj_root),
    ("%llvm_tools_dir", config.llvm_tools_dir),
    ("%cmake", config.cmake),
    ("%python", config.python),
    ("%sanitizer_flags", sanitizer_flags),
    ("%cxx", config.cxx),
    ("%cc", config.cc),
]

# MIXATTN_ROUNDTRIP=1: whatever mixattn-opt reads, it also prints, parses back
# and compares.
if os.environ.get("MIXATTN_ROUNDTRIP"):
    config.substitutions.append(
        (
            r"(?<![\w/-])mixattn-opt\b(?!.*--verify-roundtrip)",
            "mixattn-opt --verify-roundtrip",
        )
    )

# Sanitized tools and fuzz targets call into Debian's plain libLLVM, libMLIR and
# liblld: containers that cross the border look overflown, and what LLVM's arenas
# poison on our side is never cleared on theirs.
config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
config.environment["ASAN_SYMBOLIZER_PATH"] = os.path.join(
    config.llvm_tools_dir, "llvm-symbolizer"
)
if config.sanitizers:
    config.available_features.add("sanitized")

# REQUIRES: asan-runtime, tsan-runtime, archer: %with_asan and %with_tsan are put
# in front of a program that loads sanitized code. A sanitized build brings its
# own runtime, and takes no other.
with_asan, with_tsan = "env", "env"
if "address" in config.sanitizers:
    config.available_features.add("asan-runtime")
elif os.path.exists(config.asan_runtime):
    with_asan += " LD_PRELOAD=" + config.asan_runtime
    config.available_features.add("asan-runtime")
if os.path.exists(config.tsan_runtime) and not config.sanitizers:
    with_tsan += " LD_PRELOAD=" + config.tsan_runtime
    config.available_features.add("tsan-runtime")
if os.path.exists(config.archer):
    with_tsan += " OMP_TOOL_LIBRARIES=" + config.archer
    config.available_features.add("archer")
with_tsan += " TSAN_OPTIONS=ignore_noninstrumented_modules=1"
config.substitutions += [("%with_asan", with_asan), ("%with_tsan", with_tsan)]

# REQUIRES: root, a tool of NVIDIA's, or x86 features as the kernel names them: cpu-avx512f.
if os.geteuid() == 0:
    config.available_features.add("root")
config.available_features.add(platform.machine())
# NVIDIA's tools: those of scripts/setup.sh --gpu, or others in PATH.
cuda_dir = os.path.join(config.mixattn_src_root, "build", "cuda", "nvidia", "cu13", "bin")
config.environment["PATH"] += os.pathsep + cuda_dir
for tool in ("ptxas", "fatbinary", "cuobjdump", "nvdisasm"):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(tool)
if os.path.exists("/proc/cpuinfo"):
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("flags"):
                flags = line.split(":")[1].split()
                config.available_features.update("cpu-" + f for f in flags)
                break

# Kernels of another compiler, as PTX: those that test/emulator/foreign/make.py
# left, which scripts/setup.sh --gpu runs.
foreign_dir = os.path.join(config.mixattn_src_root, "build", "foreign", "ptx")
config.substitutions.append(("%foreign_dir", foreign_dir))
if os.path.isdir(foreign_dir):
    config.available_features.add("foreign-kernels")

# A Python that has tvm_ffi, which scripts/setup.sh --ffi makes.
ffi_python = os.path.join(config.mixattn_src_root, "build", "ffi", "bin", "python")
config.substitutions.append(("%ffi_python", ffi_python))
if os.path.exists(ffi_python):
    config.available_features.add("tvm-ffi")
# A Python that has PyTorch, which scripts/bench.sh makes.
torch_python = os.path.join(config.mixattn_src_root, "build", "bench", "venv", "bin", "python")
config.substitutions.append(("%torch_python", torch_python))
if glob.glob(os.path.join(os.path.dirname(torch_python), "..", "lib", "python*",
                          "site-packages", "torch")):
    config.available_features.add("torch")

# The libcuda that runs kernels on the emulator.
config.substitutions.append(
    ("%libcuda", os.path.join(config.mixattn_obj_root, "test", "emulator", "libmixattn-cuda.so"))
)

# --param fuzz_dir=DIR: where the fuzz targets lie, built by the preset fuzz.
fuzz_dir = lit_config.params.get("fuzz_dir")
if fuzz_dir:
    config.available_features.add("fuzz")
    config.substitutions.append(("%fuzz_dir", fuzz_dir))
