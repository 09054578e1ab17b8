import type { Readable } from 'node:stream';
import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { malformed, parseProxyResult } from './proxy-result.ts';

/** An answer whose body follows it. */
interface StreamedAnswer extends GatewayAnswer {
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
  // It may break before it has a reader.
  source.on('error', () => {});
  try {
    return { ...parseProxyResult(await readPrelude(source)), body: source };
  } catch (error) {
    source.destroy();
    throw error;
  }
}

/** Reads up to the delimiter. What came after it is the next to be read. */
async function readPrelude(source: Readable): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(delimiter);
    if ((end === -1 ? head.length : end) > preludeMaxBytes) {
      throw malformed(`no delimiter within ${preludeMaxBytes} bytes`);
    }
    if (end === -1) continue;
    source.unshift(head.subarray(end + delimiter.length));
    return head.toString('utf8', 0, end);
  }
  throw malformed('the stream ended without a delimiter');
}
