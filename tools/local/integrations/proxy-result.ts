import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { GatewayAnswer } from '../exchange/gateway-answer.ts';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import { words } from '../template/template.ts';

/** The status and headers in the result of a proxy integration's function. */
interface ProxyResultHead {
  readonly statusCode: number;
  readonly headers: [string, string][];
}

// API Gateway refuses a result with any field besides these.
const resultFields = new Set([
  'statusCode',
  'headers',
  'multiValueHeaders',
  'body',
  'isBase64Encoded',
]);

// Headers that an integration cannot set. API Gateway returns their values under other names.
const remapped = words(`
  authorization connection content-length content-md5 date expect host max-forwards
  proxy-authenticate server te trailer transfer-encoding upgrade user-agent via www-authenticate`);

/**
 * Converts the result of a proxy integration's function into the answer to the client. A body in
 * base64 is not decoded, because the API has no binary media types.
 *
 * @throws GatewayFault `INTEGRATION_FAILURE` with status 502 when the result is malformed
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function parseProxyResult(payload: string): GatewayAnswer {
  try {
    const result = parseFields(payload);
    const { statusCode, headers } = parseHead(result);
    const { body } = result;
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError(`body is not a string but ${typeof body}`);
    }
    return { statusCode, headers: clientHeaders(headers), body: Buffer.from(body ?? '') };
  } catch (cause) {
    throw malformed(cause);
  }
}

/**
 * The headers of an integration's response as the client gets them: API Gateway renames some to
 * `x-amzn-Remapped-…`, and adds the content type of JSON when there is none.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
export function clientHeaders(headers: readonly [string, string][]): [string, string][] {
  const renamed = headers.map(([name, value]): [string, string] => [
    remapped.includes(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
    value,
  ]);
  const isTyped = renamed.some(([name]) => name.toLowerCase() === 'content-type');
  return isTyped ? renamed : [['Content-Type', 'application/json'], ...renamed];
}

/**
 * Reads the status and headers of a result, or of a stream's prelude.
 *
 * @throws TypeError when they are not what API Gateway accepts
 */
export function parseHead(result: Record<string, unknown>): ProxyResultHead {
  const { statusCode = 200, headers, multiValueHeaders } = result;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError(`statusCode: ${statusCode}`);
  }
  return { statusCode: status, headers: mergeHeaders(headers, multiValueHeaders) };
}

/** A header in both takes its spelling from `multiValueHeaders`, whose values come first. */
function mergeHeaders(headers: unknown, multiValueHeaders: unknown): [string, string][] {
  const merged = new Map<string, [string, string][]>();
  for (const [name, value] of entriesOf(headers)) {
    merged.set(name.toLowerCase(), headerLines(name, [value]));
  }
  for (const [name, values] of entriesOf(multiValueHeaders)) {
    if (!Array.isArray(values)) throw new TypeError(`multiValueHeaders.${name} is not a list`);
    const single = merged.get(name.toLowerCase())?.map(([, value]) => value) ?? [];
    merged.set(name.toLowerCase(), headerLines(name, [...values, ...single]));
  }
  return [...merged.values()].flat();
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
  const unknown = Object.keys(result).find((field) => !resultFields.has(field));
  if (unknown) throw new TypeError(`the result has a field ${unknown}`);
  return result as Record<string, unknown>;
}

function entriesOf(value: unknown): [string, unknown][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value))
    throw new TypeError('headers: not an object');
  return Object.entries(value);
}

function headerLines(name: string, values: readonly unknown[]): [string, string][] {
  validateHeaderName(name);
  return values.map((value): [string, string] => {
    if (typeof value !== 'string' && typeof value !== 'boolean') {
      throw new TypeError(`the header ${name} is not a string but ${typeof value}`);
    }
    validateHeaderValue(name, String(value));
    return [name, String(value)];
  });
}
