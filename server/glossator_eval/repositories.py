"""Where the sources of a set are: folders, or archives that are unpacked while they are read.

`repositories.json`, beside the annotations or named, is an object by the names of repositories.
Each value is the folder that is searched, relative to the repository, or an object with `root`
(that folder), `source` (the repository: a folder or a .tar, relative to the file) and `exclude`
(patterns in .gitignore syntax).
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from glossator.core.errors import UsageError
from glossator_eval.json_lines import why_invalid

TABLE = "repositories.json"
ENDINGS = (".tar.xz", ".tar.gz", ".tgz", ".tar.bz2", ".tar")


class Repository(BaseModel):
    """Where the sources are and which are searched; without `source` it is looked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str | None = None
    root: str = "."
    exclude: tuple[str, ...] = ()


_REPOSITORIES = TypeAdapter(dict[str, Repository | str])


def read_repositories(file: Path) -> dict[str, Repository]:
    """The table. Raises `UsageError`."""
    try:
        table = _REPOSITORIES.validate_json(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}); check the name.") from error
    except ValidationError as error:
        raise UsageError(f"{file}: {why_invalid(error)}") from error
    return {
        name: _placed(Repository(root=each) if isinstance(each, str) else each, file.parent)
        for name, each in table.items()
    }


def _placed(repository: Repository, folder: Path) -> Repository:
    if repository.source is None:
        return repository
    return repository.model_copy(update={"source": str(folder / repository.source)})


def with_roots(
    repositories: Mapping[str, Repository], roots: Iterable[str]
) -> dict[str, Repository]:
    """The table with `NAME=PATH` in place of what it says. Raises `UsageError`."""
    changed = dict(repositories)
    for each in roots:
        name, sign, path = each.partition("=")
        if not (name and sign and path):
            raise UsageError(
                f"--root {each} is not NAME=PATH, such as --root web=packages/web/src."
            )
        changed[name] = changed.get(name, Repository()).model_copy(update={"root": path})
    return changed


@contextmanager
def opened(name: str, repository: Repository, beside: Path) -> Iterator[Path]:
    """The folder that is searched, as long as the block runs.

    Without a `source`, sources/NAME.tar.xz, sources/NAME and NAME are looked for `beside` the
    annotations. Raises `UsageError` if there is none, or no such folder in it.
    """
    source = _source(name, repository, beside)
    if source.is_dir():
        yield _root(source, repository.root, name)
        return
    with tempfile.TemporaryDirectory(prefix="glossator-eval-") as unpacked:
        try:
            with tarfile.open(source) as archive:
                unpack(archive, unpacked)
        except (OSError, tarfile.TarError) as error:
            raise UsageError(f"{source} cannot be unpacked ({error}).") from error
        inside = Path(unpacked, name)
        yield _root(inside if inside.is_dir() else Path(unpacked), repository.root, name)


def unpack(archive: tarfile.TarFile, folder: str | Path) -> None:
    """Unpack what is no danger. Raises `OSError` and `tarfile.TarError`.

    Python can tell since 3.11.4. An older one is given folders and files inside `folder` alone: no
    link, so that none leads what comes after it elsewhere.
    """
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
        return
    for member in archive:
        place = os.path.normpath(member.name)
        if os.path.isabs(place) or place.split(os.sep)[0] == os.pardir:
            raise tarfile.TarError(f"{member.name!r} would be outside of the folder")
        if member.isdir() or member.isreg():
            archive.extract(member, folder, set_attrs=False)


def _source(name: str, repository: Repository, beside: Path) -> Path:
    if repository.source is not None:
        places = [Path(repository.source)]
    else:
        archives = (beside / "sources" / f"{name}{ending}" for ending in ENDINGS)
        places = [*archives, beside / "sources" / name, beside / name]
    if found := next((place for place in places if place.exists()), None):
        return found
    looked = " or ".join(str(place) for place in (places[0], *places[-2:]) if len(places) > 1)
    raise UsageError(
        f"The sources of {name} are not at {looked or places[0]}. Put them there, or name their"
        f' place in {TABLE}: {{"{name}": {{"source": "PATH"}}}}.'
    )


def _root(repository: Path, root: str, name: str) -> Path:
    folder = repository / root
    if not folder.is_dir():
        raise UsageError(
            f"{name} has no folder {root}; name the one that is searched with --root {name}=PATH."
        )
    return folder
