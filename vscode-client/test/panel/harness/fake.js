// Plays the extension: keeps what the panel says, and its state over reloads of the page.

const place = `state ${location.search}`;
window.said = [];
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.refused.push(`${event.violatedDirective} ${event.blockedURI}`);
});
window.acquireVsCodeApi = () => ({
  postMessage: (message) => window.said.push(structuredClone(message)),
  getState: () => JSON.parse(sessionStorage.getItem(place) ?? "null") ?? undefined,
  setState: (state) => sessionStorage.setItem(place, JSON.stringify(state)),
});
