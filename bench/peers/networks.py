#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""networks.py MNIST [--bench DUSK-BENCH] [--case NAME ...]: epochs of private training beside torch and Opacus.

MNIST is a folder of the four IDX files. Takes torch and opacus as Python finds them (PYTHONPATH). Networks, lots, Poisson
samples and one thread are those of `dusk-bench deep/epoch`, which is run in between, so that all of it is measured on the same
machine in the same minutes. CPU seconds of an epoch of 60,000 rows. Opacus gets rows out of one tensor by their
numbers, which is faster than its own loader, and a C library that keeps its memory (MALLOC_*), without which page faults are most
of what it does; its noise is that of torch's generator, which is not cryptographic."""
import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import time

KEEP = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "4294967296", "MALLOC_TOP_PAD_": "268435456",
        "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
if any(name not in os.environ for name in KEEP):
    os.execve(sys.executable, [sys.executable] + sys.argv, {**os.environ, **KEEP})

import torch
from torch import nn

LOTS = (256, 2048)
ROWS = 60000


def network(name):
    if name == "logistic":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
    if name == "mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    return nn.Sequential(
        nn.Conv2d(1, 16, 8, 2, padding=3), nn.Tanh(), nn.MaxPool2d(2, 1),
        nn.Conv2d(16, 32, 4, 2), nn.Tanh(), nn.MaxPool2d(2, 1),
        nn.Flatten(), nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, 10))


def read(folder, name, head):
    for end in (".gz", ""):
        path = os.path.join(folder, name + end)
        if os.path.exists(path):
            with (gzip.open if end else open)(path, "rb") as file:
                return torch.frombuffer(bytearray(file.read()[head:]), dtype=torch.uint8)
    sys.exit(f"networks.py: there is no {name} in {folder}")


def epoch(x, y, model, optimizer, lot):
    """CPU seconds; every row is in each sample with the same chance."""
    rate = lot / ROWS
    start = time.process_time()
    for _ in range(round(1 / rate)):
        rows = (torch.rand(ROWS) < rate).nonzero().flatten()
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    return time.process_time() - start


def plain(x, y, name, lot):
    model = network(name)
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def private(x, y, name, lot):
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer
    model = network(name)
    model = GradSampleModule(model)
    inner = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return model, DPOptimizer(inner, noise_multiplier=1.1, max_grad_norm=1.0, expected_batch_size=lot)


def measure(make, x, y, name, lot, times):
    model, optimizer = make(x, y, name, lot)
    return statistics.median(epoch(x, y, model, optimizer, lot) for _ in range(times))


def dusk(bench, name, lot):
    """(private, without privacy)"""
    out = subprocess.run([bench, "--json", f"deep/epoch/mnist/{name}/{lot}"], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        case = json.loads(line)
        if case["case"].endswith(f"/{name}/{lot}"):
            return case["value"], case["floor_value"]
    sys.exit(f"networks.py: {bench} measured nothing; is DUSK_DATA set?")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("mnist")
    parser.add_argument("--bench", default="build/bench/dusk-bench")
    parser.add_argument("--case", nargs="*", default=["logistic", "mlp", "cnn"])
    o = parser.parse_args()
    import opacus
    torch.set_num_threads(1)
    x = read(o.mnist, "train-images-idx3-ubyte", 16).float().div(255).view(-1, 1, 28, 28)
    y = read(o.mnist, "train-labels-idx1-ubyte", 8).long()
    print(f"torch {torch.__version__}, opacus {opacus.__version__}, CPU s an epoch, one thread", flush=True)
    print("| network | lot | torch without privacy | opacus | dusk without privacy | dusk | opacus / dusk |\n|---|---|---|---|---|---|---|", flush=True)
    for name in o.case:
        for lot in LOTS:
            ours, floor = dusk(o.bench, name, lot)
            bare = measure(plain, x, y, name, lot, 3)
            theirs = measure(private, x, y, name, lot, 1 if name != "logistic" else 3)
            print(f"| {name} | {lot} | {bare:.3g} | {theirs:.3g} | {floor:.3g} | {ours:.3g} | {theirs / ours:.0f} |", flush=True)
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
