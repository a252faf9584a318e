// Preloaded into Node: a listener that names no host gets the loopback address.
//
// The patch sits below `listen()`, at the synchronous step: programs that ask for their address
// right after `listen()` find it there.

const net = require("node:net");

const listen = net.Server.prototype._listen2;
net.Server.prototype._listen2 = function (address, port, type, ...rest) {
  const everywhere = address === null || address === undefined || address === "::" || address === "0.0.0.0";
  if (everywhere && typeof port === "number" && port >= 0) {
    return listen.call(this, "127.0.0.1", port, 4, ...rest);
  }
  return listen.call(this, address, port, type, ...rest);
};
