// Reloads the page after each build. Only the page of `./dev serve --watch` has this script.

/** @param {string} otherwise What counts as built while the file is replaced or the server has ended. */
const lastBuild = async (otherwise) => {
  const response = await fetch(new URL("built", document.baseURI)).catch(() => undefined);
  return response?.ok ? response.text() : otherwise;
};

let loaded = await lastBuild("");
setInterval(async () => {
  const built = await lastBuild(loaded);
  if (built === loaded) return;
  loaded = built;
  if (built.startsWith("failed")) console.error("The build failed: the terminal of ./dev says why.");
  else location.reload();
}, 1000);

export {};
