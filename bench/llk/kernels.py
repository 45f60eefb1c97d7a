"""Runs the kernels of a plan, as a test of LLK's suite; see rows.py, which makes the plan.

The suite's own helpers compile a kernel, run it on the library under test and read its zones. A kernel is a
source of the suite, or one of the two beside this file, and what its rows were measured with: 16 tiles, twice.

  SILICON_LLK_PLAN     a JSON list: {"id", "kind", "op", "thread", "in", "out", "acc", "utd", "fidelity"}
  SILICON_LLK_RESULTS  where results go, a JSON object a line: {"id", "INIT", "TILE_LOOP"}, in cycles
  SILICON_LLK_SOURCES  the folder of our sources
"""
import dataclasses
import hashlib
import json
import os
import pathlib

import pytest
from helpers.format_config import DataFormat, InputOutputFormat
from helpers.llk_params import (
    ApproximationMode, BroadcastType, DestAccumulation, DestSync, FastMode, FusedSort, MathFidelity,
    MathOperation, PerfRunType, StableSort, Tilize, Transpose)
from helpers.param_config import get_num_blocks_and_num_tiles_in_block
from helpers.llk_params import BlocksCalculationAlgorithm
from helpers.perf.core import PerfConfig
from helpers.stimuli_config import StimuliConfig
from helpers.test_variant_parameters import (
    APPROX_MODE, BROADCAST_TYPE, CLAMP_NEGATIVE, DEST_INDEX, FAST_MODE, FUSED_SORT, ITERATIONS,
    LOOP_FACTOR, MATH_FIDELITY, MATH_OP, NUM_BLOCKS, NUM_FACES, NUM_TILES_IN_BLOCK, STABLE_SORT,
    TILE_COUNT, TILIZE, TYPECAST_FORMATS, TemplateParameter, UNPACK_TRANS_FACES, UNPACK_TRANS_WITHIN_FACE,
    generate_input_dim)

TILES, LOOPS, FACES = 16, 2, 4
DIMENSIONS = [128, 128]
FACE_ROWS = 8  # of 32 data: what an operation goes over, unary ones once and others once a face
PLAN = json.loads(pathlib.Path(os.environ["SILICON_LLK_PLAN"]).read_text())
SOURCES = pathlib.Path(os.environ["SILICON_LLK_SOURCES"])

UNARY = [FAST_MODE(FastMode.No), STABLE_SORT(StableSort.No)]
UNPACKED = [TILE_COUNT(TILES), LOOP_FACTOR(LOOPS), NUM_FACES(num_faces=FACES),
            UNPACK_TRANS_FACES(Transpose.No), UNPACK_TRANS_WITHIN_FACE(Transpose.No)]


@dataclasses.dataclass
class SOURCE(TemplateParameter):
    """What a source of ours holds: the suite knows a compiled kernel by its parameters alone."""
    digest: str

    def convert_to_cpp(self):
        return f"// {self.digest}"


def own(name):
    file = SOURCES / name
    return str(file), SOURCE(hashlib.sha256(file.read_bytes()).hexdigest()[:12])


def copy(kernel, formats, dest_acc):
    blocks, in_block = get_num_blocks_and_num_tiles_in_block(
        DestSync.Half, dest_acc, formats, DIMENSIONS, [32, 32], BlocksCalculationAlgorithm.Standard)
    return ("sources/eltwise_unary_datacopy_test.cpp",
            [generate_input_dim(DIMENSIONS, DIMENSIONS), TILIZE(Tilize.No)],
            [DEST_INDEX(0), TILE_COUNT(TILES), NUM_FACES(FACES), NUM_BLOCKS(blocks),
             NUM_TILES_IN_BLOCK(in_block), LOOP_FACTOR(LOOPS)])


def unary(kernel, formats, dest_acc):
    return ("sources/eltwise_unary_sfpu_perf.cpp",
            [MATH_OP(mathop=MathOperation[kernel["op"]]), APPROX_MODE(ApproximationMode.No),
             ITERATIONS(FACE_ROWS), *UNARY, FUSED_SORT(FusedSort.No), CLAMP_NEGATIVE(False)],
            UNPACKED)


def typecast(kernel, formats, dest_acc):
    return ("sources/eltwise_unary_typecast_perf.cpp",
            [MATH_OP(mathop=MathOperation.Typecast), TYPECAST_FORMATS(formats.input, formats.output),
             APPROX_MODE(ApproximationMode.No), ITERATIONS(FACE_ROWS), *UNARY],
            UNPACKED)


def sfpu_binary(kernel, formats, dest_acc):
    source, digest = own("sfpu_binary.cpp")
    return (source,
            [digest, MATH_OP(mathop=MathOperation[kernel["op"]]), APPROX_MODE(ApproximationMode.No),
             ITERATIONS(FACE_ROWS)],
            [TILE_COUNT(TILES), LOOP_FACTOR(LOOPS)])


def fpu_binary(kernel, formats, dest_acc):
    source, digest = own("fpu_binary.cpp")
    return (source,
            [digest, MATH_OP(mathop=MathOperation[kernel["op"]]),
             MATH_FIDELITY(MathFidelity[kernel["fidelity"]])],
            [TILE_COUNT(TILES), LOOP_FACTOR(LOOPS)])


KINDS = {function.__name__: function for function in (copy, unary, typecast, sfpu_binary, fpu_binary)}


class Report:
    """What PerfConfig.run appends its result to."""

    def append(self, frame, label=None):
        self.frame = frame


@pytest.mark.perf
@pytest.mark.parametrize("kernel", PLAN, ids=[kernel["id"] for kernel in PLAN])
def test_kernel(kernel):
    formats = InputOutputFormat(DataFormat[kernel["in"]], DataFormat[kernel["out"]])
    dest_acc = DestAccumulation.Yes if kernel["acc"] else DestAccumulation.No
    run_type = PerfRunType[kernel["thread"].upper() + "_ISOLATE"]
    source, templates, runtimes = KINDS[kernel["kind"]](kernel, formats, dest_acc)
    config = PerfConfig(
        source, formats, run_types=[run_type], templates=templates, runtimes=runtimes,
        variant_stimuli=StimuliConfig(None, formats.input, None, formats.input, formats.output,
                                      tile_count_A=TILES, tile_count_B=TILES, tile_count_res=TILES),
        unpack_to_dest=bool(kernel["utd"]), dest_acc=dest_acc, compile_time_formats=True)
    report = Report()
    config.run(report)
    column = f"mean({run_type.name})"
    result = {row["marker"]: row[column] for _, row in report.frame.iterrows()}
    with open(os.environ["SILICON_LLK_RESULTS"], "a", encoding="utf-8") as lines:
        lines.write(json.dumps({"id": kernel["id"], "INIT": float(result["INIT"]),
                                "TILE_LOOP": float(result["TILE_LOOP"])}) + "\n")
