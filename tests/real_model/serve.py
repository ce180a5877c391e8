"""Serves a small real model by llama.cpp on loopback: prints the address, and ends when its input ends.

A process of its own, so that native code that crashes takes no test run with it.
"""

import sys

import xllamacpp


def main(weights: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 2
    params.cpuparams.n_threads = 1  # two that wait for each other stand still where the machine is busy
    params.warmup = False
    params.ui = False
    params.endpoint_slots = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
