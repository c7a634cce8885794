// Plays the extension: keeps what the panel says, and its state over reloads of the page. In a page
// that begins the panel again and again, each is alone: what an earlier one has going is ended.

const place = `state ${location.search}`;
const going = []; // functions that end something
window.said = [];
window.refused = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.refused.push(`${event.violatedDirective} ${event.blockedURI}`);
});
window.acquireVsCodeApi = () => {
  const { said } = window; // what an earlier panel says late is not said here
  return {
    postMessage: (message) => said.push(structuredClone(message)),
    getState: () => JSON.parse(sessionStorage.getItem(place) ?? "null") ?? undefined,
    setState: (state) => sessionStorage.setItem(place, JSON.stringify(state)),
  };
};

/** The panel as it is after the page was loaded; `window.begin` is all of its script. */
window.again = () => {
  for (const end of going.splice(0)) {
    end();
  }
  sessionStorage.clear();
  window.said = [];
  window.refused = [];
  const root = document.createElement("div");
  root.id = "root";
  document.body.replaceChildren(root);
  window.begin();
};
window.__vscodeElements_disableRegistryWarning__ = true; // those that are there are used again

for (const target of [window, document]) {
  const { addEventListener } = target;
  target.addEventListener = (...listener) => {
    addEventListener.apply(target, listener);
    going.push(() => target.removeEventListener(...listener));
  };
}
const { setInterval } = window;
window.setInterval = (...given) => {
  const timer = setInterval(...given);
  going.push(() => clearInterval(timer));
  return timer;
};
window.MutationObserver = class extends MutationObserver {
  constructor(told) {
    super(told);
    going.push(() => this.disconnect());
  }
};
