"""The package on the library that PENROSE_PREFIX names."""

import subprocess
import sys

import numpy as np
import pytest

import penrose


@pytest.fixture
def chip():
    with penrose.chip() as chip:
        yield chip


@pytest.fixture
def tile(chip):
    return chip.tiles("Tensix")[0]


def test_version_is_that_of_the_program():
    told = subprocess.run([penrose.program(), "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert told.split() == ["penrose", penrose.__version__]


def test_every_function_of_the_headers_is_there():
    names = [name for name in dir(penrose.lib) if name.startswith("penrose_")]
    assert len(names) > 80
    for name in names:
        assert callable(getattr(penrose.lib, name)), name


def test_cards_have_their_tiles(chip):
    assert len(chip.tiles("Tensix")) == 140
    with penrose.chip("p100a") as other:
        assert len(other.tiles("Tensix")) == 120


def test_memory_comes_back(chip, tile):
    data = np.arange(48, dtype=np.float32).reshape(6, 8)
    chip.write(tile, 0x1000, data)
    assert (chip.read(tile, 0x1000, (6, 8), np.float32) == data).all()
    chip.write(tile, 0x2000, b"abc")
    assert chip.read(tile, 0x2000, 3).tobytes() == b"abc"
    chip.write(tile, 0x3000, data[:, ::2])  # not in one piece
    assert (chip.peek(tile, 0x3000, (6, 4), np.float32) == data[:, ::2]).all()
    chip.poke(tile, 0x3000, np.uint32(7))
    assert chip.read(tile, 0x3000, 1, "<u4") == [7]


def test_banks_are_reached_through_their_tiles(chip):
    first, second = chip.tiles("DRAM")[:2]
    chip.write(first, 0x1234560, np.arange(4, dtype=np.uint32))
    assert chip.read(first, 0x1234560, 4, "<u4").tolist() == [0, 1, 2, 3]
    assert first != second


def test_a_program_runs(chip, tile):
    chip.start(tile, "brisc", penrose.guest("hello.elf"))
    assert chip.hart(tile, "brisc").state == "running"
    assert chip.run() == "quiet"
    hart = chip.hart(tile, "brisc")
    assert (hart.state, hart.retired) == ("paused", 521)
    assert chip.register(tile, "brisc", "a0") == 0
    assert chip.read(tile, 0x8038, 1, "<u4") == [0x4F4C4548]
    chip.set_register(tile, "brisc", "a0", 0x12345678)
    assert chip.register(tile, "brisc", "x10") == 0x12345678
    assert chip.hart(tile, "brisc").x[10] == 0x12345678


def test_a_fault_is_an_exception_with_the_report(chip, tile):
    chip.start(tile, "brisc", penrose.guest("fault-load.elf"))
    with pytest.raises(penrose.GuestFault, match="load of 4 bytes at 0x00400000") as caught:
        chip.run()
    (fault,) = caught.value.faults
    assert (fault.kind, fault.tile, fault.hart, fault.policy) == ("unmapped-address", tile, "brisc", "stop")
    assert "fault.c:18" in fault.source and fault.report in str(caught.value)
    chip.clear_faults()
    assert chip.faults == [] and chip.run(check=False) == "fault"


def test_a_fault_names_the_calls_of_inlined_code(chip, tile):
    chip.start(tile, "brisc", penrose.guest("fault-store.elf"))
    assert chip.run(check=False) == "fault"
    (fault,) = chip.faults
    assert "fault.c:23" in fault.source
    assert [call.rsplit("/", 1)[-1] for call in fault.inlined_at] == ["fault.c:28"]


def test_a_policy_lets_it_go_on(tile):
    with penrose.chip(policy={"unmapped-address": "warn"}) as chip:
        chip.start(tile, "brisc", penrose.guest("fault-load.elf"))
        assert chip.run() == "quiet"
        assert [fault.policy for fault in chip.faults] == ["warn"]


def test_until_ends_a_run(chip, tile):
    chip.start(tile, "brisc", penrose.guest("fault-loop.elf"))
    assert chip.run(until=lambda chip: chip.now >= 2000) in ("condition", "quiet")

    def fails(_chip):
        raise KeyError("x")

    chip.release(tile, "trisc0", chip.load(tile, "trisc0", penrose.guest("hello.elf")))
    with pytest.raises(KeyError):
        chip.run(until=fails)


def test_a_loop_is_explained(chip, tile):
    chip.start(tile, "brisc", penrose.guest("fault-loop.elf"))
    assert chip.run() == "quiet"
    assert "endless loop without effect" in chip.wait_report()


def test_the_coprocessor_shows_its_state(chip, tile):
    assert chip.dst(tile, range(4)).shape == (4, 16)
    assert chip.dst(tile, [0], "bf16").dtype == np.float32
    assert chip.dst(tile, [0], "fp16").dtype == np.float16
    assert chip.lreg(tile, 0).shape == (32,)
    assert chip.src(tile, "a", 0, 0).shape == (16,)
    assert chip.tensix(tile, "semaphore.1.value") == 0
    with pytest.raises(penrose.Error, match="row"):
        chip.dst(tile, [512])


@pytest.mark.parametrize("to_file", [False, True])
def test_a_snapshot_goes_on(chip, tile, tmp_path, to_file):
    chip.start(tile, "brisc", penrose.guest("sort_crc.elf"))
    chip.run(500)
    path = tmp_path / "snapshot"
    saved = chip.snapshot(path) if to_file else chip.snapshot()
    with penrose.load_snapshot(path if to_file else saved) as other:
        assert other.state_hash == chip.state_hash
        assert other.run() == chip.run() == "quiet"
        assert other.state_hash == chip.state_hash


def test_errors_name_the_thing(chip, tile):
    with pytest.raises(penrose.Error, match="none.elf") as caught:
        chip.load(tile, "brisc", "none.elf")
    assert caught.value.status == "E_FILE"
    with pytest.raises(penrose.Error, match="no hart 'erisc0'"):
        chip.hart(tile, "erisc0")
    with pytest.raises(penrose.Error, match="random"):
        penrose.chip(schedule="wild")
    with pytest.raises(penrose.Error):
        penrose.chip("p999")
    with pytest.raises(penrose.Error, match="0x00400000"):
        chip.read(tile, 0x400000, 4)


@pytest.mark.parametrize("card", ["unharvested", "p150a", "p100a", "p100"])
def test_the_library_of_a_card_lies_beside_its_descriptor(card):
    library = penrose.libttsim(card)
    assert library.name == "libttsim.so" and library.parent.name == card and library.exists()
    assert card in (library.parent / "soc_descriptor.yaml").read_text()


def test_the_environment_is_that_of_exec():
    variables = penrose.environment("p150a", "--policy", "all=warn")
    assert variables["PENROSE_CARD"] == "p150a" and variables["PENROSE_POLICY"] == "all=warn"
    assert variables["TT_METAL_SIMULATOR"] == str(penrose.libttsim("p150a"))
    with pytest.raises(RuntimeError, match="p999"):
        penrose.environment("p999")


def test_the_program_starts_as_console_script():
    result = subprocess.run(
        [sys.executable, "-c", "from penrose._installation import main; main()", "--version"],
        stdout=subprocess.PIPE, text=True, check=True,
    )
    assert result.stdout.startswith("penrose ")
