# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints what each fatbin in FILE holds, a line each: FILE FOLDER. FOLDER receives them."""

import pathlib
import re
import struct
import subprocess
import sys

# fatbinary's first bytes, then the version, the size of the header, and that of what follows.
HEADER = struct.Struct("<IHHQ")
MAGIC = 0xba55ed50


def images(data):
    for found in re.finditer(re.escape(struct.pack("<IH", MAGIC, 1)), data):
        _, _, header, size = HEADER.unpack_from(data, found.start())
        yield data[found.start():found.start() + header + size]


def main():
    path, folder = map(pathlib.Path, sys.argv[1:])
    for number, image in enumerate(images(path.read_bytes())):
        file = folder / f"image{number}.fatbin"
        file.write_bytes(image)
        listed = subprocess.run(["cuobjdump", "--list-elf", "--list-ptx", file], check=True, text=True,
                                stdout=subprocess.PIPE).stdout
        print("image of", *sorted(re.findall(r"sm_\w+\.\w+", listed)))


if __name__ == "__main__":
    main()
