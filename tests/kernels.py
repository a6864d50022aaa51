"""Runs the tests as other processors would calculate: `python -m tests.kernels [arguments of pytest]`.

The last digits of sums and products differ with the kernels that OpenBLAS and numpy choose for a processor. No test and
no file that is written may depend on them.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np

KERNELS = {
    "x86_64": ("Prescott", "Haswell", "SkylakeX"),
    "aarch64": ("CORTEXA53", "THUNDERX", "NEOVERSEN1"),
}
"""Kernels of OpenBLAS that add in different orders, by machine."""

MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
"""Other names of the same machines."""

PRODUCT = "import numpy, scipy.linalg; a = numpy.ones((64, 64)); a @ a; a @ a[0]; scipy.linalg.det(a)"


def settings(machine: str, features: list[str]) -> list[dict[str, str]]:
    """Variables of the environment, one set per run: each kernel, and the first of them without numpy's own."""
    name = MACHINES.get(machine.lower(), machine.lower())
    chosen = [{"OPENBLAS_CORETYPE": kernel} for kernel in KERNELS.get(name, ())]
    if features:
        chosen.append({**(chosen[0] if chosen else {}), "NPY_DISABLE_CPU_FEATURES": " ".join(features)})
    return chosen


def runs_here(setting: dict[str, str]) -> bool:
    """Whether this processor has the instructions; one that lacks them stops the program."""
    return subprocess.run([sys.executable, "-c", PRODUCT], env=os.environ | setting, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    tried = 0
    for setting in settings(platform.machine(), features):
        told = " ".join(f"{name}={value!r}" for name, value in setting.items())
        if not runs_here(setting):
            print(f"{told}: not on this processor, skipped", flush=True)
            continue
        print(told, flush=True)
        tried += 1
        ended = subprocess.run([sys.executable, "-m", "pytest", *arguments], env=os.environ | setting, check=False)
        if ended.returncode:
            return ended.returncode
    print(f"{tried} other ways to calculate tried")
    return 0 if tried else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
