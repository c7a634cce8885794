"""Finds what looks like a secret, which no memory may hold: it is a plain file, sent to models."""

from __future__ import annotations

import re

_KNOWN: tuple[tuple[str, str], ...] = (
    ("a private key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----"),
    ("an API key", r"\b(?:sk|pk|rk)[-_](?:[a-z0-9]{2,10}[-_])*[A-Za-z0-9_-]{16,}"),
    ("a token of GitHub", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})"),
    ("a token of GitLab", r"\bgl(?:pat|ptt|dt|rt)-[\w-]{16,}"),
    ("a token of Slack", r"\bxox[abeoprs]-[\w-]{10,}"),
    ("a key of AWS", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("a key of Google", r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}"),
    ("a token of a package registry", r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,})"),
    ("a token of Hugging Face", r"\bhf_[A-Za-z0-9]{25,}"),
    ("a signed token", r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"),
    ("an address with a password", r"://[^/\s:@]*:(?![$<{*%])[^/\s:@]{3,}@"),
    (
        "a password of a command",
        r"\bcurl\b.*\s(?:-u|--user)[ =]?[\"']?[^\s:\"']+:(?![$<{*%])\S{3,}",
    ),
    ("an authorization", r"(?i)\b(?:bearer|basic)\s+(?=\S*\d)[\w+/.~=-]{16,}"),
)
_PATTERNS = tuple((what, re.compile(pattern)) for what, pattern in _KNOWN)
_SAID = re.compile(  # a word for a secret, alone or as the end of a name, and what follows it
    r"(?:\b|(?<=_)|(?<=[a-z])(?=[A-Z]))"
    r"(?i:(?P<what>pass(?:word|wd|phrase|code)|pwd|secret|token|credential"
    r"|(?:api|access|secret|auth|encryption)[ _-]?key)s?\b[\"'`]?"
    r"(?P<joint>\s*[:=]\s*|\s+is\s+|[ \t]+)[\"'`]?(?P<value>[^\s\"'`,;]{4,}))"
)
_PASSWORDS = re.compile(r"(?i)pass|pwd")
_PLACEHOLDER = re.compile(  # where a secret is, or would be
    r"[$<{*%(\[].*|\.\.\.|x{3,}|(?i:none|null|true|false|empty|required|optional|changeme)\W*"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\W*|[\w.-]*(?:environ|getenv|vault|keychain)\b.*|[a-z]+://\S*"
    r"|[~.]{0,2}/?(?:[\w.@-]+/)*[\w@-]*\.[a-z]{1,5}|~?\.{0,2}/\S*|[a-z.-]+(?:/[a-z.-]+)+"
)


def secret_in(text: str) -> str:
    """What of `text` looks like a secret, in words that do not repeat it; "" if nothing does."""
    for what, pattern in _PATTERNS:
        if found := pattern.search(text):
            return f"{what} ({found[0].lstrip(':/')[:4]}…)"
    for said in _SAID.finditer(text):
        if _is_value(said):
            return f"a {said['what'].lower()} ({said['value'][:2]}…)"
    return ""


def _is_value(said: re.Match[str]) -> bool:
    """Whether the words give the secret itself: `password: hunter2`, not `the token is expired`."""
    value = said["value"].rstrip(".)")
    if _PLACEHOLDER.fullmatch(value):
        return False
    digits = bool(re.search(r"\d", value))
    mixed = bool(re.search(r"[A-Za-z]", value)) and bool(re.search(r"[\d\W_]", value))
    if _PASSWORDS.match(said["what"]):
        if not said["joint"].strip():  # `password hunter2`, not `password check`
            return mixed and digits
        return mixed or "is" not in said["joint"]
    return mixed and digits and len(value) >= 8
