#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""accounting.py [--program DUSK]: the same questions to other accountants and to dusk.

Takes those that Python finds (PYTHONPATH) among dp_accounting, prv_accountant and
computeamplification, and prints a table: CPU seconds, median of three calls (one where a
call takes more than ten seconds), without starting Python or importing; of dusk the
whole process. Truth is known to ten digits (see tests/vectors)."""
import argparse
import importlib
import json
import resource
import statistics
import subprocess
import time


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(call):
    """(answer, CPU seconds)"""
    times = []
    for _ in range(3):
        start = time.process_time()
        answer = call()
        times.append(time.process_time() - start)
        if times[-1] > 10:
            break
    return answer, statistics.median(times)


def dusk(program, *words):
    times = []
    for _ in range(7):
        start = cpu_of_children()
        text = subprocess.run([program, "account", "--json", *words], capture_output=True, text=True, check=True).stdout
        times.append(cpu_of_children() - start)
    return json.loads(text), statistics.median(times)


def different(n):
    return [(0.001 + 1e-5 * i, 0.8 + 0.002 * i) for i in range(n)]


def dp_accounting_rows():
    dpa = importlib.import_module("dp_accounting")
    pld = importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    rdp = importlib.import_module("dp_accounting.rdp")
    step = dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1))

    def by_rdp(event):
        accountant = rdp.RdpAccountant()
        accountant.compose(event)
        return accountant.get_epsilon(1e-6)

    def by_pld(interval):
        one = pld.from_gaussian_mechanism(1, sampling_prob=0.01, value_discretization_interval=interval)
        return one.self_compose(10000).get_epsilon_for_delta(1e-6)

    def solve():
        make = lambda s: dpa.SelfComposedDpEvent(dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(s)), 10000)
        return dpa.calibrate_dp_mechanism(lambda: importlib.import_module("dp_accounting.pld").PLDAccountant(), make, 1.0, 1e-6,
                                          dpa.ExplicitBracketInterval(1, 10), tol=1e-4)

    def mixed():
        return by_rdp(dpa.ComposedDpEvent([dpa.PoissonSampledDpEvent(q, dpa.GaussianDpEvent(s)) for q, s in different(1000)]))

    yield "one", "dp_accounting RDP", lambda: by_rdp(dpa.SelfComposedDpEvent(step, 10000))
    yield "one", "dp_accounting PLD, 1e-4", lambda: by_pld(1e-4)
    yield "solve", "dp_accounting PLD, tolerance 1e-4", solve
    yield "mixed", "dp_accounting RDP", mixed


def prv_rows():
    prv = importlib.import_module("prv_accountant")
    mechanism = prv.PoissonSubsampledGaussianMechanism(noise_multiplier=1.0, sampling_probability=0.01)

    def one():
        accountant = prv.PRVAccountant(prvs=[mechanism], max_self_compositions=[10000], eps_error=0.01, delta_error=1e-9)
        return accountant.compute_epsilon(delta=1e-6, num_self_compositions=[10000])[2]

    yield "one", "prv_accountant, error 0.01", one


def apple_rows():
    apple = importlib.import_module("computeamplification")
    yield "shuffle", "Apple, clones, numerical", lambda: apple.numericalanalysis(10**6, 1.0, 1e-6, 10, 100, True)


QUESTIONS = [
    ("one", "poisson(0.01, gaussian(1)) * 10000, delta 1e-6: epsilon (6.907384495045)"),
    ("solve", "sigma for epsilon 1, delta 1e-6, same rate and steps (4.3021064656)"),
    ("mixed", "1000 different sampled Gaussians, one step each, delta 1e-6: epsilon (0.46711278)"),
    ("shuffle", "shuffle(1e6, 1), delta 1e-6: epsilon"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default="build/dusk")
    program = parser.parse_args().program
    rows = []
    for peer in (dp_accounting_rows, prv_rows, apple_rows):
        try:
            for question, name, call in peer():
                rows.append((question, name, *measure(call)))
        except ImportError as missing:
            print(f"not measured: {missing}")
    mixed = " + ".join(f"poisson({q:.6g}, gaussian({s:.6g}))" for q, s in different(1000))
    for question, key, words in [
        ("one", "epsilon", ["poisson(0.01, gaussian(1)) * 10000", "--delta", "1e-6"]),
        ("solve", "sigma", ["--solve", "sigma", "--epsilon", "1", "--delta", "1e-6", "poisson(0.01, gaussian(sigma)) * 10000"]),
        ("mixed", "epsilon", [mixed, "--delta", "1e-6"]),
        ("shuffle", "epsilon", ["shuffle(1000000, 1)", "--delta", "1e-6", "--neighbours", "replace-one"]),
    ]:
        answer, seconds = dusk(program, *words)
        rows.append((question, "dusk account", answer[key], seconds))
    for question, title in QUESTIONS:
        print(f"\n{title}\n\n| accountant | answer | CPU s |\n|---|---|---|")
        for row in rows:
            if row[0] == question:
                print(f"| {row[1]} | {row[2]:.12g} | {row[3]:.3g} |")


if __name__ == "__main__":
    main()
