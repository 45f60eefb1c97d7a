"""pytest --penrose, with tests that drive the library as UMD does: by ctypes, from a copy."""

import pytest

HOST = '''
import ctypes, os, pytest

BAR0 = 0

class Device:
    def __init__(self):
        self.lib = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])
        self.lib.libttsim_init()

    def write(self, address, *words):
        data = (ctypes.c_uint32 * len(words))(*words)
        self.lib.libttsim_tile_wr_bytes(1, 2, ctypes.c_uint64(address), data, ctypes.sizeof(data))

    def read(self, address):
        word = ctypes.c_uint32()
        self.lib.libttsim_tile_rd_bytes(1, 2, ctypes.c_uint64(address), ctypes.byref(word), 4)
        return word.value

    def start(self, *program):
        self.write(0xFFB121B0, 0x47800)
        self.write(0, *program)
        self.write(0xFFB121B0, 0x47000)
        self.lib.libttsim_clock(1000)

@pytest.fixture
def device():
    device = Device()
    yield device
    device.lib.libttsim_exit()

def test_nothing(device):
    device.write(0x100, 5)
    assert device.read(0x100) == 5

def test_fault(device):
    device.start(0xFFFFFFFF)

def test_hang(device):
    device.start(0x0000006F)
    for _ in range(1100):
        device.read(0x100)
        device.lib.libttsim_clock(1) # throws no exception to callers that are not C++

def test_nothing_again(device):
    device.write(0x100, 6)
    assert device.read(0x100) == 6
'''


def test_faults_and_hangs_fail(pytester):
    pytester.makepyfile(HOST)
    result = pytester.runpytest_subprocess("--penrose", "-v")
    result.stdout.fnmatch_lines(["*test_nothing PASSED*", "*test_fault FAILED*", "*test_hang FAILED*",
                                 "*test_nothing_again PASSED*"])
    result.stdout.fnmatch_lines(["*illegal-instruction: tile (1, 2) brisc*", "*polling*"])
    result.assert_outcomes(passed=2, failed=2)


FINDS = """
    device.start(0x40002283, 0x00028463, *[0x13] * 40, 0x6F) # a branch on 0x400, which nobody has written
"""


def test_findings_fail(pytester):
    pytester.makepyfile(HOST + "\ndef test_branch(device):" + FINDS)
    result = pytester.runpytest_subprocess("--penrose", "--penrose-check=uninit", "-k", "branch")
    result.stdout.fnmatch_lines(["*undefined-data: tile (1, 2) brisc*"])
    result.assert_outcomes(failed=1, deselected=4)
    result = pytester.runpytest_subprocess("--penrose", "-k", "branch")
    result.assert_outcomes(passed=1, deselected=4)


@pytest.mark.parametrize("options", [["--penrose"], ["--penrose-check"], ["--penrose", "--penrose-check"]])
def test_what_stands_behind_an_option_is_a_file(pytester, options):
    pytester.mkdir("tests").joinpath("test_host.py").write_text(HOST + "\ndef test_branch(device):" + FINDS)
    result = pytester.runpytest_subprocess(*options, "tests", "-k", "branch")
    result.assert_outcomes(**{"failed" if "--penrose-check" in options else "passed": 1}, deselected=4)


def test_a_misspelt_check_is_refused(pytester):
    result = pytester.runpytest_subprocess("--penrose", "--penrose-check=unint")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no check 'unint'*"])


def test_policies_decide(pytester):
    pytester.makepyfile(HOST)
    result = pytester.runpytest_subprocess("--penrose=p100a", "--penrose-exec=--policy all=warn", "-k", "fault")
    result.assert_outcomes(passed=1, deselected=3)


def test_the_environment_is_set_before_conftest(pytester):
    pytester.makeconftest("import os; assert os.environ['PENROSE_CARD'] == 'p150a'")
    pytester.makepyfile(
        "import os\n"
        "def test_it(): assert os.environ['TT_METAL_SIMULATOR'].endswith('/p150a/libttsim.so')\n"
        "def test_time(): assert os.environ['TT_METAL_OPERATION_TIMEOUT_SECONDS'] == '30'\n"
        "def test_hangs(): assert os.environ['PENROSE_ON_HANG'] == 'throw'\n"
    )
    pytester.runpytest_subprocess("--penrose=p150a").assert_outcomes(passed=3)


def test_without_the_option_nothing_changes(pytester, monkeypatch):
    monkeypatch.delenv("TT_METAL_SIMULATOR", raising=False)
    pytester.makepyfile("import os\ndef test_it(): assert 'TT_METAL_SIMULATOR' not in os.environ\n")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_an_unknown_card_is_refused(pytester):
    result = pytester.runpytest_subprocess("--penrose=p999")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*p999*"])


def test_a_cluster_file_is_taken(pytester):
    from penrose import _installation

    library = _installation.libttsim("p300")
    cluster = library.parent / "cluster_descriptor.yaml"
    pytester.makepyfile(
        "import os\n"
        f"def test_it(): assert os.environ['PENROSE_CLUSTER'] == '{cluster}'\n"
        "def test_folder(): assert '/clusters/' in os.environ['TT_METAL_SIMULATOR']\n"
    )
    pytester.runpytest_subprocess(f"--penrose-cluster={cluster}").assert_outcomes(passed=2)
    result = pytester.runpytest_subprocess("--penrose-cluster=/nowhere.yaml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--penrose-cluster: *nowhere*"])
