"""Serves the given model with llama.cpp's own server at the given port of this machine, for the given key, two replies at once."""

import sys
import time

import xllamacpp

model, port, key = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {"small"}
params.port = int(port)
params.api_keys = [key]
params.n_parallel = 2
params.n_ctx = 8192
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
while True:
    time.sleep(60)
