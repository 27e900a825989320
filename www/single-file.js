// Writes the page with its world as one HTML file, which also opens from a disk: all files that the page
// loads are data URLs in it. It contains no inline script, and its policy allows no address but data URLs.

const POLICY =
  "default-src 'none'; script-src data: 'wasm-unsafe-eval'; style-src data:; connect-src data:; img-src data:";

/**
 * A file of the page as a data URL.
 * @param {string | URL | Blob} file
 * @param {string} mediaType
 * @returns {Promise<string>}
 */
const dataUrl = async (file, mediaType) => {
  const blob = file instanceof Blob ? file : await (await fetch(file)).blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(`${reader.result}`.replace(/^data:[^;,]*/, `data:${mediaType}`));
    reader.readAsDataURL(blob);
  });
};

/**
 * A module as a data URL. The modules that it imports are data URLs in it, because it has no address to
 * which theirs could be relative.
 * @param {URL} address
 * @returns {Promise<string>}
 */
const moduleUrl = async (address) => {
  let text = await (await fetch(address)).text();
  for (const [, path = ""] of text.matchAll(/^import .* from "(\.\/[\w-]+\.js)";$/gm)) {
    text = text.replace(`"${path}"`, `"${await moduleUrl(new URL(path, address))}"`);
  }
  return dataUrl(new Blob([text]), "text/javascript");
};

/**
 * The page as the text of an HTML file that opens this log. Throws if the page cannot be written.
 * @param {string} log
 */
export const singleFile = async (log) => {
  const boot = document.getElementById("boot");
  const sheet = document.querySelector("link[rel=stylesheet]");
  if (!(boot instanceof HTMLScriptElement) || !(sheet instanceof HTMLLinkElement)) {
    throw new Error("this page has no loader or no style sheet");
  }
  const { worldStore = "", singleFile: self = "", js = "", wasm = "" } = boot.dataset;
  /** @param {string} name */
  const script = (name) => moduleUrl(new URL(name, boot.src));
  const parts = {
    src: await script(boot.src),
    "data-world-store": await script(worldStore),
    "data-single-file": await script(self),
    "data-js": await script(js),
    "data-wasm": await dataUrl(new URL(wasm, boot.src), "application/wasm"),
    "data-log": encodeURIComponent(log),
  };
  const style = await dataUrl(sheet.href, "text/css");
  const attributes = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return `<!doctype html><html lang=en><meta charset=utf-8>
<meta name=viewport content="width=device-width,initial-scale=1">
<meta http-equiv=Content-Security-Policy content="${POLICY}">
<meta name=color-scheme content="light dark">
<title>Lictor</title>
<link rel=stylesheet href="${style}">
<body class=app>
<script type=module id=boot ${attributes.join(" ")}></script>
`;
};
