"""What belongs to an adoption: the files that words name, wherever they stand in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.permissions import files_named


@pytest.mark.parametrize(
    "words",
    [
        '"{root}"/hooks/c.sh',
        '"{root}"/hooks/c.sh; true',
        '"{root}"/hooks/c.sh||exit 2',
        'cat "{root}"/hooks/c.sh|sh',
        "bash -c '\"{root}\"/hooks/c.sh'",
        'bash -c "\\"{root}\\"/hooks/c.sh; true"',
        'hooks/"c".sh;true',
        "(./hooks/c.sh)",
        '"./hooks/my file.sh";true',
        '"{root}/hooks/my file.sh"|sh',
        "sh -c '\"./hooks/my file.sh\";true'",
        r"./hooks/my\ file.sh;true",
        "hooks/c.sh; echo it's",
        "hooks/c.sh # it runs",
        "--run=hooks/c.sh",
        "sh hooks/c,d.sh x",
    ],
)
def test_a_file_is_found_wherever_it_is_named(tmp_path: Path, words: str) -> None:
    root = tmp_path / "a b"
    (root / "hooks").mkdir(parents=True)
    for name in ("my file.sh", "c,d.sh", "c.sh"):
        (root / "hooks" / name).touch()
    name = "my file.sh" if "my" in words else "c,d.sh" if "," in words else "c.sh"
    meant = str(root / "hooks" / name)
    assert files_named((words.format(root=root),), str(root), (str(root),)) == (meant,)
