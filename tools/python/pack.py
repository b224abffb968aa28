# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs the package, the programs and libomp as a wheel: pack.py BUILD VERSION OUT.

What is packed needs glibc 2.36 at most, Debian 12's, and no other library: this is
asked of each program, and said by the wheel's tag.
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# The first is mixattn-opt, too.
PROGRAMS = ("mixattn-compile", "mixattn-run")
COMMANDS = (*PROGRAMS, "mixattn-opt")
GLIBC = (2, 36)
TAG = f"py3-none-manylinux_{GLIBC[0]}_{GLIBC[1]}_x86_64"
# Parts of glibc, which every Linux of the tag has.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"}
# Headers whose code is in the programs; what is linked says itself where it is from.
HEADERS = ("/usr/include/nlohmann/json.hpp", "/usr/include/dlpack/dlpack.h", "/usr/include/onnx/onnx.proto")
SIZE = 60_000_000


def say(*command):
    """The output of a command."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def check(path):
    """Ends the program unless the file asks for the tag's glibc alone."""
    name = os.path.basename(path)
    needed = set(re.findall(r"Shared library: \[(.+?)\]", say("readelf", "-dW", path)))
    if needed - SYSTEM:
        sys.exit(f"pack: {name}: expected glibc alone, but it needs {', '.join(sorted(needed - SYSTEM))}")
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", say("readelf", "-VW", path))
    newest = max(tuple(map(int, version)) for version in versions)
    if newest > GLIBC:
        sys.exit(f"pack: {name}: expected glibc {GLIBC[0]}.{GLIBC[1]}, but it needs {newest[0]}.{newest[1]}")


def archives(build):
    """The archives of others that the programs were linked from."""
    links = [line for program in PROGRAMS
             for line in say("ninja", "-C", build, "-t", "commands", "-s", f"bin/{program}").splitlines()]
    named = {word for line in links for word in re.findall(r"/usr/\S+\.a\b", line)}
    (compiler,) = {re.search(r"&& (\S+) ", line)[1] for line in links}
    return named | {say(compiler, f"-print-file-name={name}").strip() for name in ("libstdc++.a", "libgcc.a")}


def licences(files):
    """The copyright files of the packages that `files` are of, by name."""
    lines = say("dpkg-query", "-S", *sorted(map(os.path.realpath, files))).splitlines()
    packages = {line.split(":")[0] for line in lines}
    found = {}
    for package in sorted(packages):
        with open(f"/usr/share/doc/{package}/copyright", "rb") as file:
            found.setdefault(file.read(), []).append(package)
    return {f"{names[0]}.txt": ("Of " + ", ".join(names) + ":\n\n").encode() + text
            for text, names in found.items()}


def metadata(version):
    """The metadata that installers and package indexes read."""
    with open(os.path.join(HERE, "about.md"), encoding="utf-8") as file:
        text = file.read()
    return f"""Metadata-Version: 2.1
Name: mixattn
Version: {version}
Summary: A compiler for attention that couples heads or keys
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.9
Requires-Dist: numpy
Description-Content-Type: text/markdown

{text}"""


def contents(build, version, libomp):
    """The files of the wheel by their places in it: bytes, and whether they are programs."""
    files = {}

    def add(place, path, is_program=False):
        with open(path, "rb") as file:
            files[place] = (file.read(), is_program)

    package = os.path.join(HERE, "mixattn")
    for folder in ("", "ops"):
        for name in sorted(os.listdir(os.path.join(package, folder))):
            if name.endswith((".py", ".typed")):
                add(os.path.join("mixattn", folder, name), os.path.join(package, folder, name))
    for name in PROGRAMS:
        check(os.path.join(build, "bin", name))
        add(f"mixattn/bin/{name}", os.path.join(build, "bin", name), True)
    check(libomp)
    add("mixattn/bin/libomp.so.5", libomp, True)
    info = f"mixattn-{version}.dist-info"
    add(f"{info}/licenses/LICENSE", os.path.join(ROOT, "LICENSE"))
    for name, text in licences({*archives(build), libomp, *HEADERS}).items():
        files[f"{info}/licenses/{name}"] = (text, False)
    scripts = "".join(f"{name} = mixattn._programs:{name[8:]}\n" for name in COMMANDS)
    for name, text in (("METADATA", metadata(version)), ("entry_points.txt", "[console_scripts]\n" + scripts),
                       ("WHEEL", f"Wheel-Version: 1.0\nGenerator: mixattn\nRoot-Is-Purelib: false\nTag: {TAG}\n")):
        files[f"{info}/{name}"] = (text.encode(), False)
    return files, info


def main():
    build, version, libomp, out = sys.argv[1:]
    files, info = contents(build, version, libomp)
    record = ""
    for place, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{place},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), False)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    path = os.path.join(out, f"mixattn-{version}-{TAG}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for place, (data, is_program) in files.items():
            # No time of its own: of the same files the same wheel.
            entry = zipfile.ZipInfo(place)
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    size = os.path.getsize(path)
    for place, (data, is_program) in files.items():
        if is_program:
            print(f"{len(data) / 1e6:7.1f} MB  {place}")
    print(f"{size / 1e6:7.1f} MB  {path}")
    if size > SIZE:
        sys.exit(f"pack: expected {SIZE / 1e6:.0f} MB at most")


main()
