// Reloads the page after each build. Only `./dev serve --watch` adds this script to the page.
const socket = new WebSocket(new URL(".well-known/trunk/ws", document.baseURI).href.replace(/^http/, "ws"));

/** @param {MessageEvent<string>} event */
socket.onmessage = ({ data }) => {
  const { type, data: detail } = JSON.parse(data);
  if (type === "reload") location.reload();
  if (type === "buildFailure") console.error("The build failed:", detail.reason);
};
