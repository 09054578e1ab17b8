import { subscribe } from 'node:diagnostics_channel';

// This module is loaded before a command. It sends its own process a signal while orders are loaded. Another process
// could miss this moment on a fast or a slow machine.

const ordersBefore = 20;
let orders = 0;

subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: { getHeader(name: string): unknown } };
  if (!/\.PutItem$/.test(String(request.getHeader('x-amz-target')))) return;
  if (++orders === ordersBefore) process.kill(process.pid, process.env.SIGNAL);
});
