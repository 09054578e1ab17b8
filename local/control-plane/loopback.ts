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
 * A page in this machine's browser comes from this machine as well, but cannot send a signature
 * without asking first, which nothing here allows.
 */
export function isTrusted(request: IncomingMessage): boolean {
  const { authorization = '' } = request.headers;
  return isFromThisMachine(request) && authorization.startsWith('AWS4-HMAC-SHA256 ');
}
