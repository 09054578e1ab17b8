const loopbackAddress = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const loopbackHost = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/** Who sent a request, and what to. */
export interface RequestOrigin {
  readonly remoteAddress: string | undefined;
  /** The `Host` header. */
  readonly host: string | undefined;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
}

/**
 * Whether a request may use the control plane and the tables: it comes from this machine, and from
 * an AWS client.
 *
 * A page in this machine's browser comes from this machine as well. It cannot send a signature
 * without asking first, which nothing here allows, and a name that leads here from elsewhere is
 * not a loopback name.
 */
export function isTrusted({ remoteAddress, host, authorization }: RequestOrigin): boolean {
  return (
    loopbackAddress.test(remoteAddress ?? '') &&
    loopbackHost.test(host ?? '') &&
    (authorization ?? '').startsWith('AWS4-HMAC-SHA256 ')
  );
}
