import { randomBytes } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Readable } from 'node:stream';
import type { InvocationResult, Invoke } from '../lambda/function-code.ts';
import { GatewayFault } from './gateway-responses.ts';
import { createProxyEvent } from './proxy-event.ts';
import type { GatewayAnswer, Integration } from './request-context.ts';

const delimiter = Buffer.alloc(8);
// These fields are supported here. API Gateway also accepts `multiValueHeaders` and, in a stream's prelude, `cookies`.
const resultFields = ['statusCode', 'headers', 'body', 'isBase64Encoded'];
/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html */
const renamedHeaders = /^(connection|content-length|date|server|www-authenticate)$/i;

/**
 * A Lambda proxy integration. It throws `INTEGRATION_FAILURE` if the function fails or its result is malformed.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export function proxyIntegration(invoke: Invoke, isStreamed: boolean): Integration {
  return async (request, context, pathParameters) => {
    const trace = request.headers.get('x-amzn-trace-id')?.values.at(-1) ?? newTrace(request.timeMs);
    const result = await invoke(createProxyEvent(request, context, pathParameters, trace));
    if ('error' in result) throw new GatewayFault('INTEGRATION_FAILURE', result.error);
    try {
      const answer = await answerOf(result, isStreamed);
      return { ...answer, headers: [['X-Amzn-Trace-Id', trace], ...answer.headers] };
    } catch (cause) {
      // Reads the stream to its end, so that the function does not wait.
      if ('stream' in result) result.stream.resume();
      throw new GatewayFault('INTEGRATION_FAILURE', cause);
    }
  };
}

/** @throws TypeError or SyntaxError if the result is malformed */
async function answerOf(
  result: Exclude<InvocationResult, { error: unknown }>,
  isStreamed: boolean,
): Promise<GatewayAnswer> {
  if ('payload' in result && !isStreamed) return parseResult(result.payload);
  if ('stream' in result && isStreamed) {
    return { ...parseResult(await readPrelude(result.stream)), body: result.stream };
  }
  throw new TypeError('the function streams and its integration does not, or the reverse');
}

/** Reads up to the delimiter, and puts back the bytes after the delimiter. */
async function readPrelude(source: Readable): Promise<string> {
  let head = Buffer.alloc(0);
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(delimiter);
    if (end === -1) continue;
    source.unshift(head.subarray(end + delimiter.length));
    return head.toString('utf8', 0, end);
  }
  throw new TypeError('the stream ended without a delimiter');
}

/** A body in base64 is not decoded, because the API has no binary media types. */
function parseResult(text: string): GatewayAnswer {
  const result = JSON.parse(text);
  if (typeof result !== 'object') throw new TypeError('the result is not an object');
  const unknown = Object.keys(result).find((field) => !resultFields.includes(field));
  if (unknown) throw new TypeError(`the field ${unknown} of a result is not supported locally`);
  const { statusCode = 200, headers, body } = result;
  const status = Number(statusCode);
  if (!(status >= 200 && status <= 599)) throw new TypeError(`statusCode: ${statusCode}`);
  return {
    statusCode: status,
    headers: clientHeaders(headers ?? {}),
    body: Buffer.from(body ?? ''),
  };
}

/** The headers for the client. Without a content type, API Gateway adds the content type of JSON. */
function clientHeaders(headers: Record<string, string | boolean>): [string, string][] {
  const sent = Object.entries(headers).map(([name, value]): [string, string] => {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    return [renamedHeaders.test(name) ? `x-amzn-Remapped-${name}` : name, String(value)];
  });
  const isTyped = sent.some(([name]) => name.toLowerCase() === 'content-type');
  return isTyped ? sent : [['Content-Type', 'application/json'], ...sent];
}

/** @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader */
function newTrace(timeMs: number): string {
  const seconds = Math.floor(timeMs / 1_000).toString(16);
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')}`;
}
