# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what style cannot say: each rule is one function that yields faults."""

import os
import re

import sources

SOURCES = (".cpp", ".h", ".c", ".td", ".py", ".sh", ".cmake", ".mlir", ".in")
ALLOWED_LINES = 400

def code(name):
    """The tokens of a C++ file but comments and strings, as one line."""
    return " ".join(t for kind, t, _ in sources.tokens(sources.read(name))
                    if kind != "string")


def top_level_is_as_agreed():
    for name in sorted(os.listdir(sources.ROOT)):
        if name not in sources.TOP_LEVEL and not name.startswith((".", "build")):
            yield f"{name}: no such entry at the top level"


def every_source_says_its_licence():
    for name in sources.files(suffixes=SOURCES + ("CMakeLists.txt",)):
        if "/corpus/" in name:
            continue
        head = "\n".join(sources.read(name).split("\n")[:3])
        if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in head:
            yield f"{name}: no SPDX line"


def a_file_is_one_idea():
    for name in sources.files("dialect", "passes", "lib", "tools", suffixes=(".cpp", ".h", ".td")):
        lines = sources.read(name).count("\n")
        if lines > ALLOWED_LINES:
            yield f"{name}: {lines} lines, expected at most {ALLOWED_LINES}"


def a_pass_has_its_file_and_its_test():
    implementations = sources.files("passes", suffixes=(".cpp",))
    tests = {os.path.basename(n) for n in sources.files("test", suffixes=(".mlir",))}
    for td in sources.files("passes", suffixes=(".td",)):
        defs = re.findall(r'^def (\w+?)(?:Pass)?\s*:[^"]*Pass<\s*"([a-z0-9-]+)"',
                          sources.read(td), re.MULTILINE)
        for name, flag in defs:
            stem = re.sub("^(attn|tile)-", "", flag)
            camel = "".join(word.capitalize() for word in stem.split("-"))
            if name not in (camel, "Attn" + camel):
                yield f"{td}: pass '{flag}' is called {name}, expected {camel}Pass"
            files = [n for n in implementations if os.path.basename(n) == camel + ".cpp"]
            if len(files) != 1:
                yield f"{td}: pass '{flag}': expected one file {camel}.cpp below passes/"
            elif sources.read(files[0]).count("#define GEN_PASS_DEF_") != 1:
                yield f"{files[0]}: expected exactly one GEN_PASS_DEF_"
            if stem + ".mlir" not in tests:
                yield f"{td}: pass '{flag}': expected a test {stem}.mlir"


def no_pass_names_a_variant():
    # Families, their ops and their members, in comments and documents too.
    named = re.compile("softmaxop|mixheads?|mixtureofkeys|admixture|mgk|mlk|fish|mish|swin"
                       "|alibi|gqa|bigbird|linformer|synthesizer")
    for name in sources.files("passes", "lib", suffixes=(".cpp", ".h", ".td", ".md", ".txt")):
        if name.startswith("lib/Import/"):
            continue  # Readers use the words of other systems.
        for word in sorted(set(re.findall(r"\w+", sources.read(name)))):
            if named.search(word.lower().replace("_", "")):
                yield f"{name}: '{word}' names a variant; ask through an interface"


def mlir_ends_behind_the_abi():
    includes = re.compile(r'^\s*#\s*include\s*[<"]((?:mlir|llvm|lld|clang|passes|dialect)/[^>"]*)',
                          re.MULTILINE)
    for name in sources.files("lib/Runtime", "lib/Reference", "tools/mixattn-run",
                              suffixes=(".cpp", ".h")):
        for header in includes.findall(sources.read(name)):
            yield f"{name}: includes {header}; this folder knows no MLIR and no LLVM"


def passes_know_no_tool():
    for name in sources.files("dialect", "passes", "lib", suffixes=(".cpp", ".h")):
        for header in re.findall(r'#include "(tools/[^"]*)"', sources.read(name)):
            yield f"{name}: includes {header}; only tools/ knows tools"


# The rooms of passes/ from the ground up, and what each may look down on.
ROOMS = {
    "target": [], "body": [], "profile": [], "entry": ["body", "target"],
    "normalize": ["body"], "normalize/algebra": ["body", "normalize"],
    "plan": ["entry", "profile", "target"], "raise": [],
    "manifest": ["body", "entry", "plan", "target"],
    "schedule": ["body", "entry", "normalize", "normalize/algebra", "plan", "profile"],
    "schedule/gpu": ["body", "normalize", "plan", "schedule", "target"],
    **{f"schedule/{family}": ["body", "plan", "schedule", "schedule/gpu", "target"]
       for family in ("mma", "wgmma")},
    "schedule/x86/shared": ["body", "plan", "schedule", "target"],
    **{f"schedule/x86/{room}": ["body", "plan", "schedule",
                                "schedule/x86/shared"]
       for room in ("attention", "decode", "linear", "pool", "rows", "stages")},
    "schedule/x86/dense": ["body", "plan", "schedule", "schedule/x86/rows",
                           "schedule/x86/shared"],
    "schedule/x86": ["plan", "schedule/x86/shared", "schedule/x86/attention",
                     "schedule/x86/decode", "schedule/x86/dense", "schedule/x86/linear",
                     "schedule/x86/pool", "schedule/x86/rows",
                     "schedule/x86/stages"],
    "lower": ["body"], "lower/gpu": ["body"], "lower/mma": ["body", "lower/gpu"],
    "lower/wgmma": ["body", "lower/gpu"],
    "lower/x86": ["body", "entry", "profile", "target"],
}


def rooms_look_down_only():
    for name in sources.files("passes", suffixes=(".cpp", ".h")):
        room = os.path.dirname(name)[len("passes/"):]
        if room in ("", "Pipelines"):
            continue
        if room not in ROOMS:
            yield f"{name}: the room '{room}' is not among ROOMS"
            continue
        for header in re.findall(r'#include "passes/([^"]*)"', sources.read(name)):
            other = os.path.dirname(header)
            if other not in ("", room, *ROOMS[room]):
                yield f"{name}: includes passes/{header}; '{room}' is not above '{other}'"


def options_live_in_passes_td():
    for name in sources.files("dialect", "passes", "lib", suffixes=(".cpp", ".h")):
        if re.search(r"\bcl : : opt\b", code(name)):
            yield f"{name}: cl::opt outside tools/; make it a pass option"


def cmake_states_facts():
    for name in sources.files(suffixes=("CMakeLists.txt", ".cmake")):
        if re.search(r"\bfile\s*\(\s*GLOB", sources.read(name)):
            yield f"{name}: GLOB; list the files"


def main():
    rules = [
        top_level_is_as_agreed, every_source_says_its_licence, a_file_is_one_idea,
        a_pass_has_its_file_and_its_test, no_pass_names_a_variant,
        mlir_ends_behind_the_abi, passes_know_no_tool, options_live_in_passes_td,
        cmake_states_facts, rooms_look_down_only,
    ]
    sources.finish([f for rule in rules for f in rule()], "layout")


main()
