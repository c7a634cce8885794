"""Names as the most generous file system takes them: what may be the same file is the same text.

For refusing and asking only; whatever allows looks at names as they are.
"""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """`text` without letter case, unicode form, and characters that show nothing.

    Source: APFS and NTFS ignore case; HFS+ takes composed and decomposed letters for one, and
    ignores some format characters (`.g\u200cit`, CVE-2014-9390).
    """
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", plain.casefold())
