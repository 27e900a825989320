// The page with its world as one file, which also opens from a disk: what a page loads stands in it as
// data. No script stands in its text, so its policy is nearly as strict as that of the page.

const POLICY =
  "default-src 'none'; script-src data: 'wasm-unsafe-eval'; style-src data:; connect-src data:; img-src data:";

const data = async (address, kind) => {
  const blob = await (await fetch(address)).blob();
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.replace(/^data:[^;,]*/, `data:${kind}`));
    reader.readAsDataURL(blob);
  });
};

export const wholePage = async (log) => {
  const boot = document.getElementById("boot");
  const { keeper, whole, js, wasm } = boot.dataset;
  const script = (name) => data(new URL(name, boot.src), "text/javascript");
  const parts = {
    src: await script(boot.src),
    "data-keeper": await script(keeper),
    "data-whole": await script(whole),
    "data-js": await script(js),
    "data-wasm": await data(new URL(wasm, boot.src), "application/wasm"),
    "data-log": encodeURIComponent(log),
  };
  const style = await data(document.querySelector("link[rel=stylesheet]").href, "text/css");
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
