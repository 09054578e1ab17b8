import { connect, type OutgoingHttpHeaders } from 'node:http2';

export interface Http2Answer {
  readonly status: number;
  /** The error code of the stream's end; 0 is NO_ERROR (RFC 9113, section 7). */
  readonly errorCode: number;
  readonly isGzip: boolean;
  readonly body: Buffer;
}

const idleTimeoutMs = 120_000;

/**
 * Sends a GET request over HTTP/2. If the stream is reset, the answer contains what came before.
 *
 * @throws Error when the connection fails, or nothing is received for two minutes
 */
export async function getOverHttp2(url: URL, headers: OutgoingHttpHeaders): Promise<Http2Answer> {
  const session = connect(url);
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({ ':path': url.pathname, ...headers });
      const chunks: Buffer[] = [];
      let status = 0;
      let isGzip = false;
      stream.setTimeout(idleTimeoutMs, () => reject(new Error('nothing came for 120 seconds')));
      stream.on('response', (answered) => {
        status = Number(answered[':status']);
        isGzip = answered['content-encoding'] === 'gzip';
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      // A reset is handled by `close`, which has the error code.
      stream.on('error', () => {});
      stream.on('close', () =>
        resolve({ status, errorCode: stream.rstCode ?? 0, isGzip, body: Buffer.concat(chunks) }),
      );
    });
  } finally {
    session.destroy();
  }
}
