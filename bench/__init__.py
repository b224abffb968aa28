# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark: compiled attention and graphs against their peers and the machine's peak.

`python -m bench` runs it; README.md says what is measured and how.
"""

# The oracle and the signatures of the numeric tests are found from here on.
from bench import paths  # pylint: disable=W0611
