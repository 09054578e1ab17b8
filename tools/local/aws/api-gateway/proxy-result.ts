import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import { GatewayFault } from './gateway-fault.ts';
import type { GatewayAnswer } from './request-context.ts';

// API Gateway also accepts `multiValueHeaders` and, in a stream's prelude, `cookies`. No function of
// this template returns them.
const resultFields = ['statusCode', 'headers', 'body', 'isBase64Encoded'];

// API Gateway searches for the end of the prelude within the first 16 KB.
const preludeMaxBytes = 16_384;
const delimiter = Buffer.alloc(8);

/**
 * Converts a function's result, or a stream's prelude, into the answer. A body in base64 is not decoded, because
 * the API has no binary media types.
 *
 * @throws GatewayFault `INTEGRATION_FAILURE` with status 502 if the result is malformed
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function parseProxyResult(payload: string): GatewayAnswer {
  try {
    const { statusCode = 200, headers, body } = parseFields(payload);
    const status = Number(statusCode);
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new TypeError(`statusCode: ${statusCode}`);
    }
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError(`body is not a string but ${typeof body}`);
    }
    return { statusCode: status, headers: clientHeaders(headers), body: Buffer.from(body ?? '') };
  } catch (cause) {
    throw malformed(cause);
  }
}

/**
 * Reads the prelude of a streamed result. The rest becomes the answer's body.
 *
 * @throws GatewayFault `INTEGRATION_FAILURE` with status 502 if the prelude is missing or malformed
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export async function parseStreamedResult(
  source: Readable,
): Promise<GatewayAnswer & { readonly body: Readable }> {
  // The stream may break before anything reads it, and an unhandled error would end the process.
  source.on('error', () => {});
  try {
    return { ...parseProxyResult(await readPrelude(source)), body: source };
  } catch (error) {
    source.destroy();
    throw error;
  }
}

/** Reads up to the delimiter, and puts back the bytes after the delimiter. */
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

/** The fault for a malformed result: 502. */
export function malformed(cause: unknown): GatewayFault {
  return new GatewayFault('INTEGRATION_FAILURE', { status: 502, cause });
}

function parseFields(payload: string): Record<string, unknown> {
  const result: unknown = JSON.parse(payload);
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new TypeError('the result is not an object');
  }
  const unknown = Object.keys(result).find((field) => !resultFields.includes(field));
  if (unknown) throw new TypeError(`the field ${unknown} of a result is not supported locally`);
  return result as Record<string, unknown>;
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html */
const renamedHeaders = /^(connection|content-length|date|server|www-authenticate)$/i;

/** The headers for the client. Without a content type, API Gateway adds the content type of JSON. */
function clientHeaders(headers: unknown): [string, string][] {
  const own = headers ?? {};
  if (typeof own !== 'object' || Array.isArray(own)) throw new TypeError('headers: not an object');
  const sent = Object.entries(own).map(([name, value]): [string, string] => [
    renamedHeaders.test(name) ? `x-amzn-Remapped-${name}` : name,
    headerText(name, value),
  ]);
  const isTyped = sent.some(([name]) => name.toLowerCase() === 'content-type');
  return isTyped ? sent : [['Content-Type', 'application/json'], ...sent];
}

function headerText(name: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'boolean') {
    throw new TypeError(`the header ${name} is not a string but ${typeof value}`);
  }
  validateHeaderName(name);
  validateHeaderValue(name, String(value));
  return String(value);
}
