// Loads the page again after each build. Only `./dev serve --watch` puts it into the page.
const socket = new WebSocket(new URL(".well-known/trunk/ws", document.baseURI).href.replace(/^http/, "ws"));

socket.onmessage = ({ data }) => {
  const { type, data: detail } = JSON.parse(data);
  if (type === "reload") location.reload();
  if (type === "buildFailure") console.error("The build failed:", detail.reason);
};
