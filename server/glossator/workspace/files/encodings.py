"""Which encodings are declared for files that are no Unicode: by the setting, and by the editor."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from glossator.core.encoding import codec_named
from glossator.core.errors import UsageError
from glossator.core.glob import compile_glob

_NONE = "utf-8"  # the codec that stands for no declaration
_log = logging.getLogger(__name__)


class EncodingRule(NamedTuple):
    """The codec (see `codec_named`) of the files below a real folder that fit a glob.

    A `folder` of "" is that of the workspace, the outermost one.
    """

    folder: str
    glob: str
    codec: str


def encoding_rules(setting: Mapping[str, str], told: object) -> tuple[EncodingRule, ...]:
    """The editor's rules, then those of the setting `files.encodings`, which win; see `Roots`.

    `told` is what the editor sent. Rules of an unknown form are logged and left out.
    """
    return (*_told(told), *_set(setting))


def _set(setting: Mapping[str, str]) -> Iterator[EncodingRule]:
    for glob, codec in setting.items():
        place = os.path.expanduser(glob)
        yield EncodingRule(os.sep if os.path.isabs(place) else "", place, codec)


def _told(told: object) -> Iterator[EncodingRule]:
    for each in told if isinstance(told, Iterable) else ():
        match each:
            case {"folder": str(folder), "glob": str(glob), "encoding": str(name)}:
                try:
                    compile_glob(glob)
                except UsageError as error:
                    _log.warning("The editor's encoding %s is not used: %s", name, error)
                else:
                    yield EncodingRule(os.path.realpath(folder), glob, _codec(name))
            case _:
                _log.warning("The editor's encodings are not of the form that is known")


def _codec(name: str) -> str:
    try:
        return codec_named(name)
    except UsageError as error:
        _log.warning("Files with the editor's encoding %s are read by their bytes: %s", name, error)
        return _NONE
