import { words } from '../template/known-properties.ts';

// Headers that an integration cannot set. API Gateway returns their values under other names.
const remapped = words(`
  authorization connection content-length content-md5 date expect host max-forwards
  proxy-authenticate server te trailer transfer-encoding upgrade user-agent via www-authenticate`);

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
  return withContentType(renamed, 'application/json');
}

/** The headers, with a content type where they have none. */
export function withContentType(
  headers: [string, string][],
  contentType: string,
): [string, string][] {
  const isSet = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return isSet ? headers : [['Content-Type', contentType], ...headers];
}
