// Plays the extension: keeps what the panel says, and its state over reloads of the page.

window.said = [];
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.refused.push(`${event.violatedDirective} ${event.blockedURI}`);
});
window.acquireVsCodeApi = () => ({
  postMessage: (message) => window.said.push(structuredClone(message)),
  getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
  setState: (state) => sessionStorage.setItem("state", JSON.stringify(state)),
});
