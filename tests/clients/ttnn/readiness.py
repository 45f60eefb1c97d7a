"""The MLP of tt-check, its check of cards, with few rows (see programs.py).

tt-check resets the card by tt-smi first, which needs the driver of a real one; what it does through ttnn is
the rest: weights in BFP8, a run, a trace of it, and replays that must give the same.
"""
import programs
from tt_check import cli

LEAST = 0.99  # correlation, tt-check's own


def mlp(rows_of_prefill, rows_of_decode):
    results = cli.run_ttnn_mlp_check(
        device_id=0, runs=2, pcc_threshold=LEAST, activation_width=256, prefill_rows=rows_of_prefill,
        decode_rows=rows_of_decode, intermediate_multiplier=4, seed=0)
    return 1 - min(result["pcc"] for result in results), 1 - LEAST, f"correlation {results[0]['pcc']:.6f}"


@programs.program
def prefill(options):
    return mlp(128, 0)


@programs.program
def decode(options):
    return mlp(0, 1)


programs.main("Run tt-check's MLP.")
