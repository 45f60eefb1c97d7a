#!/bin/bash
# The sampler and the report of the field's suites, on made-up sessions.
set -euo pipefail
PYTHONDONTWRITEBYTECODE=1 exec python3 "$(dirname "${BASH_SOURCE[0]}")/suites.py"
