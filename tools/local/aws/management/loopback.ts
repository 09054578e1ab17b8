import type { IncomingMessage } from 'node:http';

const loopbackAddress = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** A loopback name, perhaps with a port, as in a `Host` header. */
const loopbackHost = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/**
 * Whether a request comes from this machine and was sent to a loopback name. The check of the name protects against
 * DNS rebinding, in which a web site's name resolves to this machine.
 */
export function isFromThisMachine({ socket, headers }: IncomingMessage): boolean {
  return loopbackAddress.test(socket.remoteAddress ?? '') && loopbackHost.test(headers.host ?? '');
}

/**
 * Whether a request is from an AWS client on this machine. A web page of another origin cannot send an
 * `Authorization` header without a preflight request, which is not allowed here. The run's own page can send this
 * header, but browsers mark its requests.
 */
export function isTrusted(request: IncomingMessage): boolean {
  const { headers } = request;
  const isFromBrowser = 'origin' in headers || 'sec-fetch-site' in headers;
  const isSigned = (headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ');
  return isFromThisMachine(request) && isSigned && !isFromBrowser;
}
