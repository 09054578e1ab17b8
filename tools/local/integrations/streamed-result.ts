import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { clientHeaders, type GatewayAnswer } from '../exchange/gateway-answer.ts';
import { malformed, parseHead } from './proxy-result.ts';

/** An answer whose body follows it. */
export interface StreamedAnswer extends GatewayAnswer {
  readonly body: Readable;
}

// API Gateway searches for the end of the prelude within the first 16 KB.
const preludeMaxBytes = 16_384;
const delimiter = Buffer.alloc(8);

/**
 * Reads the prelude of a streamed result, which is JSON and eight NUL bytes. The rest of the stream
 * becomes the answer's body.
 *
 * @throws GatewayFault `INTEGRATION_FAILURE` with status 502 when the prelude is missing or malformed
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export async function parseStreamedResult(source: Readable): Promise<StreamedAnswer> {
  const body = new PreludeReader();
  // An error destroys the body, which tells its reader.
  pipeline(source, body, () => {});
  try {
    const prelude = JSON.parse(await body.prelude);
    const { statusCode, headers } = parseHead(prelude);
    const cookies = (prelude.cookies ?? []).map((cookie: string) => ['Set-Cookie', cookie]);
    return { statusCode, headers: clientHeaders([...headers, ...cookies]), body };
  } catch (cause) {
    body.destroy();
    throw malformed(cause);
  }
}

/** Separates the prelude from the body: only the bytes after the delimiter are passed on. */
class PreludeReader extends Transform {
  readonly #prelude = Promise.withResolvers<string>();
  #head: Buffer | undefined = Buffer.alloc(0);

  constructor() {
    super();
    // It may break before it has a reader.
    this.on('error', () => {});
  }

  get prelude(): Promise<string> {
    return this.#prelude.promise;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    if (this.#head) this.#readHead(Buffer.concat([this.#head, chunk]), callback);
    else callback(null, chunk);
  }

  override _flush(callback: TransformCallback): void {
    callback(this.#head ? new Error('the stream ended without a delimiter') : null);
  }

  #readHead(head: Buffer, callback: TransformCallback): void {
    const end = head.indexOf(delimiter);
    const isTooLong = (end === -1 ? head.length : end) > preludeMaxBytes;
    if (isTooLong) callback(new Error(`no delimiter within ${preludeMaxBytes} bytes`));
    else if (end === -1) {
      this.#head = head;
      callback();
    } else {
      this.#head = undefined;
      this.#prelude.resolve(head.toString('utf8', 0, end));
      callback(null, head.subarray(end + delimiter.length));
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#prelude.reject(error);
    callback(error);
  }
}
