import { connect, type OutgoingHttpHeaders } from 'node:http2';

export interface Http2Answer {
  readonly status: number;
  /** How the stream ended: 0 is NO_ERROR, see RFC 9113, section 7. */
  readonly errorCode: number;
  readonly isGzip: boolean;
  readonly body: Buffer;
}

const patienceMs = 120_000;

/**
 * Reads an answer over HTTP/2, whole or as much of it as came before its stream was reset.
 *
 * @throws Error where there is no connection, or nothing comes for two minutes
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
      stream.setTimeout(patienceMs, () => reject(new Error('nothing came for 120 seconds')));
      stream.on('response', (answered) => {
        status = Number(answered[':status']);
        isGzip = answered['content-encoding'] === 'gzip';
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      // A reset is an answer too; `close` says which.
      stream.on('error', () => {});
      stream.on('close', () =>
        resolve({ status, errorCode: stream.rstCode ?? 0, isGzip, body: Buffer.concat(chunks) }),
      );
    });
  } finally {
    session.destroy();
  }
}
