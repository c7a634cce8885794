"""A language server that does what its argument says; it finds names by the text it was sent.

Only the standard library: the sandbox shows it nothing else. It runs as
`python -I scripted_server.py MODE [ENCODING]`.
"""

import json
import sys
import time
from typing import Any

MODE = sys.argv[1]
ENCODING = sys.argv[2] if len(sys.argv) > 2 else "utf-16"
DOCUMENTS: dict[str, str] = {}
HEARD: list[Any] = []  # what it was told, for `hover` to answer
ALL = "definition references implementation hover callHierarchy"


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def read() -> Any:
    length = 0
    while line := sys.stdin.buffer.readline():
        if not line.strip():
            return json.loads(sys.stdin.buffer.read(length))
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return None


def initialized() -> None:
    if MODE == "indexes":
        send({"id": "t", "method": "window/workDoneProgress/create", "params": {"token": 7}})
        send({"method": "$/progress", "params": {"token": 7, "value": {"kind": "begin"}}})
    if MODE == "cancels":
        send({"method": "$/cancelRequest", "params": {"id": 5}})
        send({"id": [], "result": None})
    if MODE == "configured":
        items = [{"section": "python"}, {"section": "nothing.of.it"}, {}]
        send({"id": 1, "method": "workspace/configuration", "params": {"items": items}})


def capabilities() -> dict[str, Any]:
    provided: dict[str, Any] = {f"{name}Provider": True for name in ALL.split()}
    provided["referencesProvider"] = {"workDoneProgress": True}
    provided["renameProvider"] = {"prepareProvider": True}
    provided["positionEncoding"] = ENCODING
    if MODE == "poor":
        provided = {"hoverProvider": False, "textDocumentSync": 1}
    if MODE in {"pulled", "owes"}:
        provided["diagnosticProvider"] = {"identifier": "x"}
    return {"capabilities": provided, "serverInfo": {"name": "scripted"}}


def name_at(params: Any) -> str:
    """The word that stands where it is asked, counted in its own units."""
    line = DOCUMENTS[params["textDocument"]["uri"]].split("\n")[params["position"]["line"]]
    units = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
    codec, size = units[ENCODING]
    rest = line.encode(codec)[params["position"]["character"] * size :].decode(codec)
    return str(rest.split("(")[0].split()[0])


def span(line: int, character: int = 0, end: int = 1) -> dict[str, Any]:
    return {
        "start": {"line": line, "character": character},
        "end": {"line": line, "character": end},
    }


def odd(method: str, uri: str) -> Any:
    """Results that no specification allows, with a good part in each."""
    good = {"uri": uri, "range": span(3)}
    return {
        "textDocument/definition": [None, 5, {"uri": 3}, {"uri": uri}, good, {"range": span(1)}],
        "textDocument/references": [{"uri": uri, "range": {"start": {"line": "3"}}}, good],
        "textDocument/implementation": "none",
        "textDocument/hover": {"contents": [None, 7, {"kind": "markdown"}, "good", {"value": 3}]},
        "textDocument/prepareCallHierarchy": {"not": "a list"},
        "textDocument/prepareRename": {"defaultBehavior": True},
        "textDocument/rename": {"changes": {uri: [{"newText": "x"}, 5, None]}},
    }[method]


def answer(message: Any) -> None:  # noqa: C901, PLR0911, PLR0912 - a table of misdeeds
    method, params, number = message["method"], message.get("params"), message["id"]
    if MODE == "dies" and method == "textDocument/references":
        sys.stderr.write("a first line\nsomething broke\n")
        sys.stderr.flush()
        sys.exit(2)
    if MODE == "silent" and method == "textDocument/references":
        return
    if MODE == "slow" and method == "textDocument/references":
        time.sleep(1)
    if MODE == "owes" and method == "textDocument/diagnostic":
        time.sleep(0.5)
    if MODE == "chaos" and method == "textDocument/implementation":
        sys.exit(3)
    if MODE == "chaos" and method == "textDocument/references":
        time.sleep(0.03)
    if MODE == "shouts" and method == "textDocument/references":
        send({"id": number, "error": {"code": 1, "message": "\x1b[31m\n" + "A" * 100_000}})
        return
    if MODE == "shouts" and method == "textDocument/hover":
        found = [{"range": span(0), "message": "\u202e" + "B" * 5_000}] * 600
        for each in range(20):
            publish = {"uri": f"file:///f{each}.py", "diagnostics": found}
            send({"method": "textDocument/publishDiagnostics", "params": publish})
        send({"id": number, "result": {"contents": "\u202e" + "C" * 200_000}})
        return
    if MODE == "nothing" and method.startswith("textDocument/"):
        send({"id": number, "result": None})
        return
    if MODE == "fails" and method.startswith("textDocument/"):
        send({"id": number, "error": {"code": -32803, "message": "not here"}})
        return
    if MODE == "modified" and method == "textDocument/hover" and "again" not in HEARD:
        HEARD.append("again")
        send({"id": number, "error": {"code": -32801, "message": "content modified"}})
        return
    if MODE == "floods" and method == "textDocument/hover":
        for each in range(50_000):
            send({"method": "window/logMessage", "params": {"type": 4, "message": f"{each}"}})
    if MODE == "huge" and method == "textDocument/hover":
        sys.stdout.buffer.write(b"Content-Length: 70000000\r\n\r\n")
        for _ in range(70):
            sys.stdout.buffer.write(b" " * 1_000_000)
        sys.stdout.buffer.flush()
        time.sleep(60)
    if MODE == "breaks" and method == "textDocument/hover":
        sys.stdout.buffer.write(b"I am no frame\r\n\r\n")
        sys.stdout.buffer.flush()
        time.sleep(60)
    if MODE == "edits" and method == "textDocument/hover":
        edit: dict[str, Any] = {"changes": {params["textDocument"]["uri"]: []}}
        send({"id": "glossator-1", "method": "workspace/applyEdit", "params": {"edit": edit}})
        send({"id": 9, "method": "made/up", "params": {}})
        HEARD.append(read())
        HEARD.append(read())
    if MODE == "odd" and method.startswith("textDocument/"):
        send({"id": number, "result": odd(method, params["textDocument"]["uri"])})
        return
    send({"id": number, "result": result(method, params)})


def result(method: str, params: Any) -> Any:  # noqa: C901, PLR0911 - a table
    if method == "initialize":
        HEARD.append({"method": method, "params": params})
        return capabilities()
    if method == "shutdown":
        return None
    if method == "textDocument/diagnostic":
        return {"kind": "full", "items": [{"range": span(1), "message": "pulled"}]}
    if method == "textDocument/hover":
        told = {"name": name_at(params), "documents": DOCUMENTS, "heard": HEARD}
        return {"contents": {"kind": "plaintext", "value": json.dumps(told)}}
    if method == "textDocument/definition":
        uri = params["textDocument"]["uri"]
        return [{"targetUri": uri, "targetRange": span(9), "targetSelectionRange": span(2)}] * 2
    if method == "textDocument/prepareRename":
        return None if name_at(params) == "keyword" else span(params["position"]["line"])
    if method == "textDocument/rename":
        uri, new = params["textDocument"]["uri"], params["newName"]
        edits = [{"range": span(0, 4, 8), "newText": new}]
        moved = {"kind": "rename", "oldUri": uri, "newUri": f"{uri}.moved"}
        document = {"textDocument": {"uri": uri, "version": None}, "edits": edits}
        return {"documentChanges": [document, *([moved] if new == "moved" else [])]}
    if method == "textDocument/prepareCallHierarchy":
        item = {"uri": params["textDocument"]["uri"], "name": "n", "kind": 12}
        return [{**item, "range": span(0), "selectionRange": span(0)}]
    if method == "callHierarchy/incomingCalls":
        return [{"from": {**params["item"], "name": "caller"}, "fromRanges": [span(5), span(6)]}]
    if method == "callHierarchy/outgoingCalls":
        called = {**params["item"], "name": "called", "selectionRange": span(8)}
        return [{"to": called, "fromRanges": [span(1), span(1), span(2)]}]
    uri = params["textDocument"]["uri"]
    return [{"uri": uri, "range": span(0)}, {"uri": uri, "range": span(4)}]


def hear(message: Any) -> None:
    method, params = message["method"], message.get("params")
    HEARD.append({"method": method, "params": params})
    if method == "initialized":
        initialized()
    if method == "exit":
        sys.exit(0)
    document = (params or {}).get("textDocument", {})
    if method == "textDocument/didOpen":
        DOCUMENTS[document["uri"]] = document["text"]
    if method == "textDocument/didChange":
        DOCUMENTS[document["uri"]] = params["contentChanges"][-1]["text"]
    if method == "textDocument/didClose":
        del DOCUMENTS[document["uri"]]
        publish = {"uri": document["uri"], "diagnostics": []}
        send({"method": "textDocument/publishDiagnostics", "params": publish})
    if method in {"textDocument/didOpen", "textDocument/didChange"} and MODE != "late":
        text = DOCUMENTS[document["uri"]]
        found = [{"range": span(0), "message": f"{len(text)} characters", "source": "s", "code": 1}]
        versions = {} if MODE == "unversioned" else {"version": document["version"]}
        publish = {"uri": document["uri"], "diagnostics": found, **versions}
        send({"method": "textDocument/publishDiagnostics", "params": publish})


if MODE == "absent":
    sys.exit("no such mode")
while (message := read()) is not None:
    if "method" in message and "id" in message:
        answer(message)
    elif "method" in message:
        hear(message)
    else:
        HEARD.append(message)
