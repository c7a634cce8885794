// Lines of a document that stay the same lines while text is typed. Nothing here knows of VS Code.

/** The lines `first` to `last` of a document, from 0 and inclusive. */
export class Place<Document = import("vscode").Uri> {
  constructor(
    readonly uri: Document,
    public first: number,
    public last: number,
  ) {}

  /** A change of the lines `start` to `end`, which now have `breaks` line ends. */
  changed(start: number, end: number, breaks: number): void {
    const more = breaks - (end - start);
    if (end < this.first || (end === this.first && start < end)) {
      this.first = Math.max(this.first + more, 0);
      this.last += more;
    } else if (start <= this.last) {
      this.first = Math.min(this.first, start);
      this.last = Math.max(this.last + more, this.first);
    }
  }
}
