// Diagrams to be drawn.

/** One of each kind that answers are likely to have. */
export const DIAGRAMS: Readonly<Record<string, string>> = {
  flowchart: `flowchart LR
  accTitle: How a question is answered
  accDescr: The editor asks the server, which asks the model and reads files.
  editor[Editor] -->|asks| server(Server)
  server --> choice{Known?}
  choice -->|no| tools[["Tools: <b>Read</b>, Grep"]]
  choice -->|yes| answer([Answer])
  subgraph work [The loop]
    tools --> model[(Model)]
    model -.-> tools
  end
  tools ==> answer`,
  sequence: `sequenceDiagram
  autonumber
  participant E as Editor
  actor U as User
  U->>E: ask
  E->>+Server: glossator.ask
  Note over E,Server: events on the way
  alt allowed
    Server-->>E: text.delta
  else denied
    Server--xE: run.failed
  end
  loop until done
    Server->>Server: think
  end
  Server-->>-E: answer`,
  class: `classDiagram
  class Document {
    +str path
    +int version
    +text() str
  }
  class Overlay
  Document <|-- Overlay
  Overlay "1" --> "*" Change : holds`,
  state: `stateDiagram-v2
  [*] --> IDLE
  IDLE --> PLANNING : ask
  PLANNING --> EXECUTING
  state EXECUTING {
    [*] --> calling
    calling --> reading
  }
  EXECUTING --> DONE
  DONE --> [*]
  note right of PLANNING : only for large ones`,
  entities: `erDiagram
  SESSION ||--o{ RUN : has
  RUN ||--|{ EVENT : tells
  RUN {
    string id PK
    int turns
  }`,
  pie: `pie showData title Where the tokens go
  "System" : 12
  "Tools" : 30
  "Conversation" : 58`,
  gantt: `gantt
  title A plan
  dateFormat YYYY-MM-DD
  section Server
  Read :done, a, 2026-01-01, 3d
  Write :active, b, after a, 4d
  section Client
  Panel :crit, c, after b, 2d
  Test :d, after c, 2d`,
  mindmap: `mindmap
  root((Glossator))
    Server
      Agent
      Tools
    Client
      Panel`,
  history: `gitGraph
  commit
  branch client
  commit
  checkout main
  commit
  merge client`,
  journey: `journey
  title A first run
  section Start
    Open: 5: User
    Ask: 3: User, Server
  section End
    Read: 4: User`,
  timeline: `timeline
  title What came when
  2025 : Server
  2026 : Client : Agents`,
};

/** What does more than draw, if it is let. */
export const HOSTILE: Readonly<Record<string, string>> = {
  "a click that runs": `flowchart LR
  a[x] --> b
  click a href "javascript:window.hit=1"
  click b call hit()`,
  "a click that leads away": `flowchart LR
  a[x]
  click a "https://evil.example/" _blank`,
  "a picture in a label":
    'flowchart LR\n  a["<img src=https://evil.example/i.png onerror=window.hit=1>"]',
  "a page in a label":
    'flowchart LR\n  a["<script>window.hit=1</script><iframe src=https://evil.example/></iframe>"]',
  "a node that is a picture": 'flowchart LR\n  a@{ img: "https://evil.example/i.png", label: "x" }',
  "an icon of nowhere": 'flowchart LR\n  a@{ icon: "logos:evil", label: "x" }',
  "colours with addresses": `flowchart LR
  a --> b
  classDef x fill:url(https://evil.example/c),background:url(https://evil.example/b)
  class a x
  style b fill:red;}*{background:url(https://evil.example/s)}`,
  "a style of its own": `%%{init: {"themeCSS": "* { background: url(https://evil.example/t) } @import 'https://evil.example/u';"}}%%
flowchart LR
  a --> b`,
  "settings of its own": `%%{init: {"securityLevel": "loose", "htmlLabels": true, "fontFamily": "x;}*{background:url(https://evil.example/f)}"}}%%
flowchart LR
  a["<img src=x onerror=window.hit=1>"]
  click a href "javascript:window.hit=1"`,
  "settings before it": `---
config:
  securityLevel: loose
  theme: dark
  layout: elk
---
flowchart LR
  a["<svg onload=window.hit=1>"]`,
  "links of an actor": `sequenceDiagram
  participant A as <img src=x onerror=window.hit=1>
  link A: x @ javascript:window.hit=1
  links A: {"x": "https://evil.example/"}
  A->>A: <script>window.hit=1</script>`,
  "links of a class": `classDiagram
  class A["<img src=x onerror=window.hit=1>"]
  link A "javascript:window.hit=1" "x"
  callback A "hit"`,
  "links of a task": `gantt
  section <img src=x onerror=window.hit=1>
  x :a, 2026-01-01, 1d
  click a href "javascript:window.hit=1"`,
  "an icon in a mind map": `mindmap
  root["<img src=https://evil.example/m onerror=window.hit=1>"]
    ::icon(fa fa-book)`,
  "another layout": "flowchart-elk LR\n  a --> b",
  "a formula": 'flowchart LR\n  a["$$\\\\href{javascript:window.hit=1}{x}$$"]',
  "no diagram": "no diagram at all <img src=x onerror=window.hit=1>",
  "a long one": `flowchart LR\n${"  a --> b\n".repeat(6000)}`,
};
