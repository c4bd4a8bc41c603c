// Preload (node -r) that keeps a server which would listen on every interface on
// 127.0.0.1, and says where it listens once it does.
'use strict';
const net = require('node:net');
const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (...args) {
  this.once('listening', () => {
    const at = this.address();
    if (at && typeof at === 'object') process.stderr.write(`listening http://${at.address}:${at.port}\n`);
  });
  if (args[0] !== null && typeof args[0] === 'object' && !('fd' in args[0]) && !('path' in args[0])) {
    return listen.call(this, { ...args[0], host: '127.0.0.1' }, ...args.slice(1));
  }
  const isPort = typeof args[0] === 'number' || /^\d+$/.test(String(args[0]));
  if (!isPort) return listen.apply(this, args);
  const rest = typeof args[1] === 'string' ? args.slice(2) : args.slice(1);
  return listen.call(this, Number(args[0]), '127.0.0.1', ...rest);
};
