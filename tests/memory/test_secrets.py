"""What counts as a secret, and what only speaks of one. The secrets are made up."""

from __future__ import annotations

import pytest

from glossator.memory.entry import secret_in

_BODY = "Ab3dEf7hIj1kLm9nOp5q"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("-----BEGIN OPENSSH " + "PRIVATE KEY-----\nabc", "a private key"),
        (f"use sk-ant-{_BODY}{_BODY}", "an API key (sk-a…)"),
        (f"sk_live_{_BODY}", "an API key"),
        (f"ghp_{_BODY}{_BODY}", "a token of GitHub"),
        (f"github_pat_{_BODY}{_BODY}", "a token of GitHub"),
        (f"glpat-{_BODY}", "a token of GitLab"),
        (f"xoxb-123456789012-{_BODY}", "a token of Slack"),
        ("AKIA" + "IOSFODNN7EXAMPLE", "a key of AWS"),
        ("AIza" + _BODY * 2, "a key of Google"),
        (f"npm_{_BODY}{_BODY}", "a token of a package registry"),
        (f"eyJ{_BODY}.eyJ{_BODY}.{_BODY}", "a signed token"),
        ("postgres://harbor:s3cr3tpw@db/harbor", "an address with a password"),
        ("The password is hunter2.", "a password (hu…)"),
        ("password: swordfish", "a password"),
        ("Passphrase = 'correct-horse'", "a passphrase"),
        ("api_key=9f8e7d6c5b4a", "a api_key"),
        ('"token": "9f8e7d6c5b4a3210"', "a token"),
        ("DB_PASSWORD=hunter2", "a password"),
        ("MYSQL_ROOT_PASSWORD: s3cr3t!x", "a password"),
        ("export API_TOKEN=a8f5f167f44f4964e6c998dee827110c", "a token"),
        ("client_secret=abc123def456ghi", "a secret"),
        ("dbPassword: hunter2", "a password"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "a access_key"),
        ("secret: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "a secret"),
        ("Authorization: Bearer a8f5f167f44f4964e6c998dee827110c", "an authorization"),
        ("curl -u admin:hunter2 http://host", "a password of a command"),
        ("redis://:hunter2pass@host", "an address with a password"),
        ("password hunter2", "a password"),
    ],
)
def test_secrets_are_found(text: str, what: str) -> None:
    found = secret_in(text)
    assert what in found
    assert _BODY not in found


@pytest.mark.parametrize(
    "text",
    [
        "The API key is in the vault Harbor Ops of 1Password.",
        "The token is expired after 12 hours; session tokens must be hashed.",
        "Set ANTHROPIC_API_KEY in the environment.",
        "api_key = os.environ['HARBOR_KEY']",
        "password: ${DB_PASSWORD}",
        "password: <yours>",
        "token: HARBOR_TOKEN",
        "The secret is documentation.",
        "Password: see docs/secrets.md",
        "postgres://harbor:${PASSWORD}@db/harbor",
        "https://grafana.internal/d/api-latency",
        "Broken since 3b18e512dba79e4c8300dd08aeb37f8e728b8dad.",
        "The tokenizer splits task-list and risk-averse-decision words.",
        "Pass `--token-file` to serve.",
        "secret: ~/.config/harbor/key",
        "DB_PASSWORD=$HARBOR_DB",
        "password: vault/harbor/db",
        "token: deploy/keys/token2.txt",
        "The password policy is in docs/passwords2.md.",
        "Use bearer authentication with short-lived tokens.",
        "curl -u $USER:$PASSWORD http://host",
        "The access key rotation runs weekly.",
    ],
)
def test_what_only_speaks_of_secrets_is_none(text: str) -> None:
    assert secret_in(text) == ""
