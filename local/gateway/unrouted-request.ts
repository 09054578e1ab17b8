import { createHash } from 'node:crypto';
import { GatewayFault } from '../exchange/gateway-fault.ts';
import type { IncomingRequest } from '../exchange/incoming-request.ts';

const parameters = ['Credential', 'Signature', 'SignedHeaders'];

/**
 * Why a request for a path or a method that does not exist is refused. API Gateway treats it as one
 * that has to be signed: without an `Authorization` header it misses the signature, and with one that
 * holds something else, such as a bearer token, it says what that lacks as a signature.
 *
 * The message shows a hash of the header, never the header.
 */
export function unroutedFault({ headers }: IncomingRequest): GatewayFault {
  const authorization = headers.get('authorization')?.values.at(-1);
  const message = authorization && incompleteSignature(authorization, headers);
  if (!message) return new GatewayFault('MISSING_AUTHENTICATION_TOKEN');
  // Its response type is documented nowhere; the default stands for every type that is not listed.
  const errorType = 'IncompleteSignatureException';
  return new GatewayFault('DEFAULT_4XX', { status: 403, errorType, message });
}

/** What a header lacks as a signature (Version 4); undefined when it has all its parts. */
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
