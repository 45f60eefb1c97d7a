"""The program as the console script of a wheel starts it, and what it is asked."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from penrose import _installation


def test_the_program_examines_the_python_of_the_wheel(monkeypatch):
    started = []
    monkeypatch.setenv("PENROSE_PYTHON", "/elsewhere/python3")  # of a wheel that started this one
    monkeypatch.setattr(sys, "argv", ["penrose", "doctor"])
    monkeypatch.setattr(os, "execv", lambda path, argv: started.append((path, argv, os.environ["PENROSE_PYTHON"])))
    _installation.main()
    path = _installation.program()
    assert started == [(path, [str(path), "doctor"], sys.executable)]


def test_a_cluster_file_is_in_place_of_a_card(tmp_path):
    described = subprocess.run(
        [_installation.program(), "info", "--cluster-descriptor", "p300"], stdout=subprocess.PIPE, check=True
    ).stdout
    path = tmp_path / "cluster.yaml"
    path.write_bytes(described)
    variables = _installation.environment(None, "--threads", "1", cluster=path)
    assert variables["PENROSE_CLUSTER"] == str(path)
    assert variables.get("PENROSE_CARD") is None
    library = _installation.libttsim(cluster=path)
    assert library.parent.parent.name == "clusters"
    assert "chan: 9" in (library.parent / "cluster_descriptor.yaml").read_text()
    assert variables["TT_METAL_SIMULATOR"] == str(library)
    assert _installation.libttsim("p300").parent.name == "p300"
    with pytest.raises(ValueError, match="leave card 'p300' out"):
        _installation.libttsim("p300", cluster=path)
    with pytest.raises(RuntimeError, match="--cluster: .*nowhere"):
        _installation.environment(cluster=Path("/nowhere.yaml"))
