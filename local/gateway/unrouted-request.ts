import { createHash } from 'node:crypto';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';

const parameters = ['Credential', 'Signature', 'SignedHeaders'];

/**
 * The fault for a request to a path or method that does not exist. API Gateway expects such a request
 * to be signed (Signature Version 4): without an `Authorization` header it answers that the token is
 * missing, and with another kind of header, such as a bearer token, which parts of a signature it lacks.
 *
 * The message contains a hash of the header, never the header itself.
 */
export function unroutedFault({ headers }: IncomingRequest): GatewayFault {
  const authorization = headers.get('authorization')?.values.at(-1);
  const message = authorization && incompleteSignature(authorization, headers);
  if (!message) return new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
  // The response type of this error is not documented. The default type is used for such errors.
  const errorType = 'IncompleteSignatureException';
  return new GatewayFault('DEFAULT_4XX', { status: 403, errorType, message });
}

/** The message about the parts of a signature that a header lacks; undefined when it has all. */
function incompleteSignature(
  authorization: string,
  headers: IncomingRequest['headers'],
): string | undefined {
  const hash = createHash('sha256').update(authorization).digest('base64');
  const [, ...rest] = authorization.split(' ');
  const pairs = rest.join(' ').split(',').filter(Boolean);
  if (pairs.some((pair) => !pair.includes('='))) {
    return `Invalid key=value pair (missing equal-sign) in Authorization header (hashed with SHA-256 and encoded with Base64): '${hash}'.`;
  }
  const names = pairs.map((pair) => pair.split('=')[0]!.trim());
  const missing = parameters
    .filter((name) => !names.includes(name))
    .map((name) => `Authorization header requires '${name}' parameter.`);
  if (!headers.has('x-amz-date') && !headers.has('date')) {
    missing.push(
      "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
    );
  }
  if (missing.length === 0) return undefined;
  return `${missing.join(' ')} (Hashed with SHA-256 and encoded with Base64) Authorization=${hash}`;
}
