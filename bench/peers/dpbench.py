#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dpbench.py DATA [--scales 1000,100000,10000000] [--trials 3] [--jobs N] ...

The errors of the algorithms that DPBench's authors published [Hay, Machanavajjhala, Miklau,
Chen & Zhang 2016], by their own code (dpcomp_core, in PYTHONPATH; with numpy, scipy and a
C++ compiler for DAWA), measured as `dusk-bench dpbench` measures ours: epsilon
0.1, all prefixes of 4096 bins, 2000 random rectangles of 256 x 256 cells; the l2 norm of all
errors over (queries x rows), mean over data sets and trials, and the least and largest mean of
a data set. DATA has the folder dpbench. An algorithm that does not start is left out, and said
to be."""
import argparse
import ctypes
import glob
import gzip
import importlib
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

import numpy

EPSILON = 0.1
ENGINES = {
    1: [("Identity", "identity", "identity_engine"), ("H2", "HB", "H2_engine"), ("HB", "HB", "HB_engine"),
        ("Privelet", "privelet", "privelet_engine"), ("Uniform", "uniform", "uniform_noisy_engine"),
        ("MWEM", "mwemND", "mwemND_engine"), ("AHP", "ahp", "ahpND_engine"), ("DAWA", "dawa", "dawa_engine")],
    2: [("Identity", "identity", "identity_engine"), ("HB", "HB2D", "HB2D_engine"),
        ("Privelet", "privelet2D", "privelet2D_engine"), ("QuadTree", "QuadTree", "QuadTree_engine"),
        ("UGrid", "UG", "UG_engine"), ("AGrid", "AG", "AG_engine"), ("Uniform", "uniform", "uniform_noisy_engine"),
        ("MWEM", "mwemND", "mwemND_engine"), ("AHP", "ahp", "ahpND_engine"), ("DAWA", "dawa", "dawa2D_engine")],
}


def module(name, **members):
    found = types.ModuleType(name)
    found.__dict__.update(members)
    sys.modules[name] = found
    return found


def prepare():
    """Make the package importable piece by piece, with what it wants of Python 2."""
    def old_div(x, y):
        return x // y if isinstance(x, int) and isinstance(y, int) else x / y
    past = module("past", __path__=[])
    past.utils = module("past.utils", old_div=old_div)
    past.builtins = module("past.builtins", str=str, unicode=str)
    for old, new in (("float", float), ("int", int), ("bool", bool)):
        if old not in numpy.__dict__:
            setattr(numpy, old, new)
    import dpcomp_core
    root = pathlib.Path(dpcomp_core.__file__).parent
    package = module("dpcomp_core.algorithm", __path__=[str(root / "algorithm")])
    package.estimate_engine = importlib.import_module("dpcomp_core.algorithm.estimate_engine")
    prepare_dawa(root)
    prepare_ahp(root)
    from dpcomp_core.query_nd_union import ndRangeUnion  # numpy no longer takes lists of slices
    ndRangeUnion.slice = staticmethod(lambda r: tuple(slice(i, j + 1) for i, j in zip(r.lb, r.ub)))


def prepare_dawa(root):
    source = root / "algorithm" / "dawa" / "cutils"
    library = pathlib.Path(tempfile.gettempdir()) / ("dpcomp_cutil_%d.so" % os.getuid())
    if not library.exists():
        subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", str(library), *map(str, source.glob("*.cpp"))], check=False,
                       stderr=subprocess.DEVNULL)
    if not library.exists():
        return
    code = ctypes.CDLL(str(library))
    names = subprocess.run(["nm", "-D", str(library)], capture_output=True, text=True, check=False).stdout.split()

    def call(name):
        symbol = next(n for n in names if "%d%s" % (len(name), name) in n or n == name)
        function = code[symbol]

        def run(size, x, epsilon, ratio, seed):
            hist = numpy.zeros(size, numpy.int32)
            x = numpy.ascontiguousarray(x, numpy.float64)
            function(hist.ctypes.data_as(ctypes.c_void_p), ctypes.c_int(size), x.ctypes.data_as(ctypes.c_void_p),
                     ctypes.c_int(len(x)), ctypes.c_double(epsilon), ctypes.c_double(ratio), ctypes.c_long(seed))
            return hist
        return run
    cutil = module("dpcomp_core.algorithm.dawa.cutils.cutil", L1partition=call("L1partition"),
                   L1partition_approx=call("L1partition_approx"))
    module("dpcomp_core.algorithm.dawa.cutils", __path__=[], cutil=cutil)


def prepare_ahp(root):
    """AHP is Cython for Python 2; without its types and its one print it is Python."""
    text = (root / "algorithm" / "ahp" / "lib" / "ahp_fast.pyx").read_text()
    text = re.sub(r"(?m)^\s*cdef .*$", "", text)
    text = re.sub(r"(?m)^(\s*)print .*$", r"\1pass", text)
    text = re.sub(r"(?m)^def .*$", lambda line: re.sub(r"\b(int|double) (?=\w)", "", line[0]), text)
    exec(text, module("dpcomp_core.algorithm.ahp.ahp_fast").__dict__)


def read(path, dimensions):
    with gzip.open(path, "rt") as file:
        counts = numpy.array(file.read().split(), float)
    return counts.reshape((256, 256)) if dimensions == 2 else counts


def answers(x, ranges):
    """Prefixes, or rectangles from sums to the corner."""
    if x.ndim == 1:
        return numpy.cumsum(x)
    sums = numpy.pad(numpy.cumsum(numpy.cumsum(x, 0), 1), ((1, 0), (1, 0)))
    (a, b), (c, d) = ranges
    return sums[c + 1, d + 1] - sums[a, d + 1] - sums[c + 1, b] + sums[a, b]


def workload(dimensions):
    from dpcomp_core import workload as w
    if dimensions == 1:
        return w.Prefix1D(4096), None
    random = numpy.random.RandomState(9001)
    queries = w.RandomRange(None, (256, 256), 2000, seed=9001)
    low, high = [], []
    for _ in range(2000):
        shape = tuple(random.randint(1, 257, None) for _ in range(2))
        lb, ub = w.placeRandomly(shape, (256, 256), random)
        low.append(lb)
        high.append(ub)
    return queries, (numpy.array(low).T, numpy.array(high).T)


_known = {}


def trial(job):
    dimensions, name, file, engine, path, scale, seed = job
    if dimensions not in _known:
        _known[dimensions] = workload(dimensions)
    queries, ranges = _known[dimensions]
    shape = read(path, dimensions)
    random = numpy.random.RandomState(seed)
    x = random.multinomial(scale, (shape / shape.sum()).ravel()).reshape(shape.shape)
    try:
        found = getattr(importlib.import_module("dpcomp_core.algorithm." + file), engine)
        estimate = numpy.asarray(found().Run(queries, x, EPSILON, seed), float).reshape(shape.shape)
    except Exception as problem:  # noqa: BLE001
        return dimensions, name, scale, path, None, "%s: %s" % (type(problem).__name__, str(problem)[:120])
    difference = answers(estimate - x, ranges)
    return dimensions, name, scale, path, numpy.linalg.norm(difference) / difference.size / scale, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--scales", default="1000,100000,10000000")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--dimensions", default="1,2")
    parser.add_argument("--only", default="", help="names of algorithms, a comma between them")
    parser.add_argument("--sets", type=int, default=100, help="at most so many data sets of each dimension")
    parser.add_argument("--verbose", action="store_true", help="say what comes out of every trial")
    options = parser.parse_args()
    prepare()
    jobs = []
    for dimensions in map(int, options.dimensions.split(",")):
        paths = sorted(glob.glob(os.path.join(options.data, "dpbench", "%dD.*.txt.gz" % dimensions)))
        for number, path in enumerate(paths[:options.sets]):
            for scale in map(int, options.scales.split(",")):
                for name, file, engine in ENGINES[dimensions]:
                    if options.only and name not in options.only.split(","):
                        continue
                    jobs += [(dimensions, name, file, engine, path, scale, 1000 * number + t) for t in range(options.trials)]
    errors, problems = {}, {}
    with multiprocessing.Pool(options.jobs) as pool:
        for dimensions, name, scale, path, error, problem in pool.imap_unordered(trial, jobs):
            if options.verbose:
                print("%dD %s %d %s: %s" % (dimensions, name, scale, os.path.basename(path), error or problem), file=sys.stderr)
            if error is None:
                problems[dimensions, name] = problem
            else:
                errors.setdefault((dimensions, name, scale), {}).setdefault(path, []).append(error)
    for (dimensions, name, scale), sets in sorted(errors.items()):
        means = [sum(e) / len(e) for e in sets.values()]
        print("%dD %-9s %9d rows: %.3g (%.3g .. %.3g), %d data sets" %
              (dimensions, name, scale, sum(means) / len(means), min(means), max(means), len(means)))
    for (dimensions, name), problem in sorted(problems.items()):
        print("%dD %-9s left out: %s" % (dimensions, name, problem))


if __name__ == "__main__":
    main()
