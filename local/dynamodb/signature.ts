import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The parts of an `Authorization` header of Signature Version 4. */
interface Signature {
  readonly accessKeyId: string;
  /** The date, the Region, the service and `aws4_request`. */
  readonly scope: readonly [string, string, string, string];
  readonly signedHeaders: readonly string[];
  /** The signature in hexadecimal. */
  readonly value: string;
}

const header =
  /^AWS4-HMAC-SHA256 Credential=(?<accessKeyId>[^/,\s]+)\/(?<scope>\d{8}\/[\w-]+\/[\w-]+\/aws4_request),\s*SignedHeaders=(?<names>[\w;-]+),\s*Signature=(?<value>[\da-f]{64})$/;
type Part = 'accessKeyId' | 'scope' | 'names' | 'value';

const neededHeaders = ['host', 'x-amz-date', 'x-amz-target'];

/** Parses an `Authorization` header; undefined when it is not one of Signature Version 4. */
export function readSignature(authorization: string | undefined): Signature | undefined {
  const groups = header.exec(String(authorization))?.groups;
  if (!groups) return undefined;
  const { accessKeyId, scope, names, value } = groups as Record<Part, string>;
  const parts = scope.split('/') as [string, string, string, string];
  return { accessKeyId, scope: parts, signedHeaders: names.split(';'), value };
}

/**
 * Whether a `POST /` was signed with a secret. The time of the signature is not checked, because the
 * secret is valid for this run only.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function isSignedWith(
  secretAccessKey: string,
  { scope, signedHeaders, value }: Signature,
  headers: IncomingHttpHeaders,
  body: Buffer,
): boolean {
  if (!neededHeaders.every((name) => signedHeaders.includes(name))) return false;
  const lines = signedHeaders.map((name) => `${name}:${canonicalValue(String(headers[name]))}\n`);
  const request = ['POST', '/', '', lines.join(''), signedHeaders.join(';'), sha256(body)];
  const time = String(headers['x-amz-date']);
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(request.join('\n'))].join('\n');
  const key = scope.reduce<Buffer | string>(hmac, `AWS4${secretAccessKey}`);
  return timingSafeEqual(hmac(key, text), Buffer.from(value, 'hex'));
}

function canonicalValue(value: string): string {
  return value.trim().replaceAll(/ +/g, ' ');
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
