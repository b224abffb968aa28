# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The circumstances of a measurement: the CPU, the versions, the commit."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import time

from bench import paths

FLAGS = ("avx2", "fma", "avx512f", "avx512_bf16", "amx_bf16")
PACKAGES = ("torch", "onnxruntime", "numpy")


def parse_threads(parser, text):
    """The counts of threads of an option `--threads`, ascending; an error of
    `parser` where this process may not use as many CPUs."""
    cpus = len(os.sched_getaffinity(0))
    try:
        counts = sorted({int(count) for count in text.split(",")})
    except ValueError:
        counts = [0]
    if not 1 <= counts[0] <= counts[-1] <= cpus:
        parser.error(f"--threads: expected numbers from 1 to {cpus}, but got '{text}'")
    return counts


def has_amx():
    """Whether this CPU multiplies bf16 by AMX."""
    return "amx_bf16" in cpu()["flags"]


def has_pairs():
    """Whether this CPU has an instruction for products of pairs of bf16."""
    return "avx512_bf16" in cpu()["flags"]


def cpu():
    """Model, family, flags that matter, caches, CPUs that may be used."""
    fields = {}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file.read().split("\n\n")[0].split("\n"):
            name, _, value = line.partition(":")
            fields[name.strip()] = value.strip()
    flags = fields.get("flags", "").split()
    caches = {}
    folder = "/sys/devices/system/cpu/cpu0/cache"
    for index in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if index.startswith("index"):
            level, kind, size = (read(f"{folder}/{index}/{what}")
                                 for what in ("level", "type", "size"))
            if kind != "Instruction":
                caches[f"L{level}"] = size
    return {"model": fields.get("model name", platform.machine()),
            "family": fields.get("cpu family"), "number": fields.get("model"),
            "flags": [flag for flag in FLAGS if flag in flags], "caches": caches,
            "cpus": len(os.sched_getaffinity(0)),
            "memory_gib": round(os.sysconf("SC_PAGE_SIZE")
                                * os.sysconf("SC_PHYS_PAGES") / 2**30),
            "kernel": platform.release().partition("-")[0]}


def busy(seconds=1.0):
    """How many CPUs others use while this process sleeps."""
    def jiffies():
        with open("/proc/stat", encoding="ascii") as file:
            spent = [int(word) for word in file.readline().split()[1:9]]
        return sum(spent), spent[3] + spent[4]
    (before, idle_before), _ = jiffies(), time.sleep(seconds)
    after, idle_after = jiffies()
    total = max(1, after - before)
    return os.cpu_count() * (total - (idle_after - idle_before)) / total


def read(file):
    with open(file, encoding="ascii") as text:
        return text.read().strip()


def git(*command):
    process = subprocess.run(["git", "-C", paths.ROOT, *command], text=True,
                             capture_output=True)
    return process.stdout.strip() if process.returncode == 0 else ""


def commit():
    """The commit, with a + after it where files differ; nothing without git."""
    if not shutil.which("git"):
        return ""
    changed = git("status", "--porcelain", "--untracked-files=no")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def versions(tools):
    """Of the compiler and of the peers that are installed."""
    process = subprocess.run([tools / "mixattn-compile", "--version"], text=True,
                             capture_output=True)
    found = {"mixattn": process.stdout.strip().replace("\n", "; "),
             "python": sys.version.split()[0]}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pass
    return found
