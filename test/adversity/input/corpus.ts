import type { Conversation } from './conversation.ts';

const polite = {
  isSlowSender: false,
  isSlowReader: false,
  isHalfOpen: false,
  isDisconnecting: false,
};

// What the local service takes for an AWS client of this machine.
const asOperator = 'Host: 127.0.0.1\r\nAuthorization: AWS4-HMAC-SHA256 x\r\n';

/** Conversations that once revealed a bug, as regression tests. */
export const corpus: readonly { readonly name: string; readonly conversation: Conversation }[] = [
  {
    name: 'a content type that nobody knows, on an unknown path',
    conversation: once('GET / HTTP/1.1\r\nContent-Type: ;;;\r\n\r\n'),
  },
  {
    name: 'a request for another protocol, and what follows it',
    conversation: last(
      'GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
    ),
  },
  {
    name: 'a tunnel that is reset',
    conversation: { ...last('CONNECT a:1 HTTP/1.1\r\n\r\n'), isDisconnecting: true },
  },
  {
    name: 'bytes after a request, which are no request',
    conversation: last(
      'DELETE /staging/v1/store/orders/1 HTTP/1.1\r\n\r\n',
      '\u0000garbage\r\n\r\n',
    ),
  },
  {
    name: "an operator's call to a target that is no URL",
    conversation: once(`GET //[ HTTP/1.1\r\n${asOperator}\r\n`),
  },
  {
    name: "an operator's call that is too large",
    conversation: once(
      `POST /apikeys HTTP/1.1\r\n${asOperator}Content-Length: 1100000\r\n\r\n${'x'.repeat(1_100_000)}`,
    ),
  },
];

function once(text: string): Conversation {
  return { ...polite, requests: [request(text, true)] };
}

/** Creates a conversation. @param texts the requests, of which the last one is malformed */
function last(...texts: string[]): Conversation {
  const requests = texts.map((text, index) => request(text, index < texts.length - 1));
  return { ...polite, requests };
}

function request(text: string, isReadable: boolean) {
  return { bytes: Buffer.from(text, 'latin1'), isHead: false, isReadable };
}
