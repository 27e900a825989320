// Shows and closes the notices that the page has prepared in the reader's language. This works even after the
// WebAssembly module has trapped.

/**
 * Shows a notice with a reason. `actions` has a function for each of its buttons.
 * @param {string} name
 * @param {unknown} reason
 * @param {Record<string, (notice: HTMLElement) => unknown>} actions
 */
export const showNotice = (name, reason, actions) => {
  const notice = document.getElementById(`notice-${name}`);
  if (!notice) return;
  const output = notice.querySelector("output");
  if (output) output.textContent = `${reason}`;
  notice.onclick = ({ target }) => {
    const button = target instanceof Element ? target.closest("[data-do]") : null;
    if (button instanceof HTMLElement) actions[button.dataset.do ?? ""]?.(notice);
  };
  notice.showPopover();
  notice.querySelector("button")?.focus();
};

/** Closes a notice. The focus moves to the first button of the page if the notice had it. @param {HTMLElement} notice */
export const closeNotice = (notice) => {
  notice.hidePopover();
  const focus = document.activeElement;
  if (focus === document.body || notice.contains(focus)) document.querySelector("button")?.focus();
};
