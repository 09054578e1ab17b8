import type { IncomingMessage } from 'node:http';

const loopbackAddress = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const loopbackHost = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/**
 * Whether a request comes from this machine, and was sent to a name that means this machine: a name
 * that a web site has made to lead here is not a loopback name.
 */
export function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  return loopbackAddress.test(socket.remoteAddress ?? '') && loopbackHost.test(headers.host ?? '');
}

/**
 * Whether a request may use the control plane and the tables: it comes from this machine, and from
 * an AWS client.
 *
 * A page in this machine's browser comes from this machine as well. One of another origin cannot
 * send a signature without asking first, which nothing here allows; the run's own page could, but a
 * browser says by itself that it is one.
 */
export function isTrusted(request: IncomingMessage): boolean {
  const { headers } = request;
  const isFromBrowser = 'origin' in headers || 'sec-fetch-site' in headers;
  const isSigned = (headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ');
  return isFromThisMachine(request) && isSigned && !isFromBrowser;
}
