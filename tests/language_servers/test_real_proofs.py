"""Proofs by basedpyright as it comes from PyPI, over a small package."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from glossator.commands.check import CheckRequest, check_text
from glossator.core.span import Basis
from glossator.symbols import Limits
from glossator.turn.judged import proofs
from tests.sandboxed import SANDBOXED
from tests.stage import stage

pytestmark = SANDBOXED

TOOLS = os.pathsep.join((str(Path(sys.prefix) / "bin"), os.environ["PATH"]))
FILES = {
    "zoo/__init__.py": "",
    "zoo/base.py": "class Animal:\n    def _feed(self):\n        return _weigh(self)\n\n\n"
    "def _weigh(animal):\n    return 1\n\n\ndef _unseen():\n    return _unseen\n",
    "zoo/fish.py": "from zoo import base\n\n\nclass Fish(base.Animal):\n    def swim(self):\n"
    "        self._feed()\n\n\nclass Shark(Fish):\n    pass\n",
    "zoo/cage.py": "import abc\n\n\nclass Cage(abc.ABC):\n    pass\n",
    "zoo/keep.py": "from zoo.fish import Shark as Big\n\n\ndef keep(x, _weigh=3):\n"
    "    Big()._feed()\n    x.feed(_weigh)\n",
    "zoo/wild.py": "from zoo import base\n\n\ndef made(*, of):\n    return type('Made', (of,), {})"
    "\n\n\nclass Wolf(made(of=base.Animal)): # howls\n    legs = (4)\n\n    def howl(self):\n"
    "        pass\n\n\nclass Fly(base.Animal.__mro__[0]):\n    pass\n",
    "zoo/den.py": "class Den:\n    pass\n",
    "zoo/lair.py": "from zoo import den\n\n\nclass Den(den.Den):\n    pass\n\n\n"
    "class Lair(Den):\n    pass\n",
}
SAID = {
    "Only `Animal._feed` calls `_weigh`. [cite: doc, zoo/base.py, L6-L7]": "undecided",
    "`_feed` is only called by `swim`. [cite: doc, zoo/base.py, L2-L3]": "contradicted",
    "`_feed` is only called by `swim` and `keep`. [cite: doc, zoo/base.py, L2-L3]": "undecided",
    "`Shark` extends `Animal`. [cite: doc, zoo/fish.py, L9-L10]": "supported",
    "`Fish` extends `Shark`. [cite: doc, zoo/fish.py, L4-L6]": "contradicted",
    "`Cage` extends `Animal`. [cite: doc, zoo/cage.py, L4-L5]": "contradicted",
    "Only `Fish` extends `Animal`. [cite: doc, zoo/base.py, L1-L3]": "undecided",  # `Shark`, too
    "`Fish` and `Shark` are the only subclasses of `Animal`. [cite: doc, zoo/base.py, L1]": (
        "undecided"
    ),
    "`Wolf` extends `Animal`. [cite: doc, zoo/wild.py, L8-L12]": "undecided",
    "`Fly` extends `Animal`. [cite: doc, zoo/wild.py, L15-L16]": "undecided",
    # the `Den` that `Lair` extends is that of its own module
    "Only `lair.Den` extends `den.Den`. [cite: doc, zoo/den.py, L1-L2]": "undecided",
    "Nothing extends `den.Den`. [cite: doc, zoo/den.py, L1-L2]": "contradicted",
    "Nothing extends `Animal`. [cite: doc, zoo/base.py, L1-L3]": "contradicted",
    "Nothing extends `Shark` in the workspace. [cite: doc, zoo/fish.py, L9-L10]": "undecided",
    "`_weigh` is never called. [cite: doc, zoo/base.py, L6-L7]": "contradicted",
    # `_weigh` is a parameter there, and `_unseen` gives itself
    "Only `_feed` and `swim` use `_weigh`. [cite: doc, zoo/base.py, L6-L7]": "undecided",
    "`_unseen` is never called. [cite: doc, zoo/base.py, L10-L11]": "undecided",
}


async def test_proofs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the machine may be busy
    monkeypatch.setattr("glossator.commands.check._PROVING_SECONDS", 60.0)
    monkeypatch.setattr(proofs, "_LIMITS", Limits(texts=150, hits=300, seconds=60.0))
    text, servers = "\n\n".join(SAID), {"languageServers": {"enabled": "auto"}}
    async with stage(tmp_path / "ws", FILES, [], servers, programs=TOOLS) as s:
        await check_text(s.app, CheckRequest(text, model=False))  # the server may start late
        checked = await check_text(s.app, CheckRequest(text, model=False))
        assert [each.verdict for each in checked.sentences] == list(SAID.values())
        decided = [each for each in checked.sentences if each.verdict != "undecided"]
        assert {each.basis for each in decided} == {Basis.SERVER}
