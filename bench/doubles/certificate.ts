import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What an HTTPS server needs (PEM); `cert` is also what its clients must trust. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

const hourMs = 3_600_000;
const tag = { integer: 2, bits: 3, octets: 4, oid: 6, utf8: 12, time: 23, sequence: 48, set: 49 };
const oid = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  basicConstraints: '551d13',
  subjectAltName: '551d11',
};

/**
 * Makes a self-signed certificate for 127.0.0.1 and localhost, valid for a day, whose key exists
 * only in this process. Node can read X.509 (RFC 5280) but not write it, so the DER is put
 * together here rather than asking a bare machine for openssl.
 */
export function createLocalhostCertificate(nowMs = Date.now()): ServerCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const body = certificateBody(publicKey, nowMs);
  const signature = sign('sha256', body, createPrivateKey(privateKey));
  const der = sequence(body, algorithm(), element(tag.bits, Buffer.of(0), signature));
  return { key: privateKey, cert: toPem(der) };
}

function certificateBody(publicKey: Buffer, nowMs: number): Buffer {
  const version3 = element(0xa0, integer(Buffer.of(2)));
  const serial = integer(Buffer.concat([Buffer.of(1), randomBytes(15)]));
  const validity = sequence(time(nowMs - hourMs), time(nowMs + 24 * hourMs));
  const name = distinguishedName('Store Orders benchmark');
  return sequence(version3, serial, algorithm(), name, validity, name, publicKey, extensions());
}

function extensions(): Buffer {
  const isAuthority = sequence(element(1, Buffer.of(0xff)));
  const names = sequence(
    element(0x82, Buffer.from('localhost')),
    element(0x87, Buffer.of(127, 0, 0, 1)),
  );
  return element(
    0xa3,
    sequence(
      sequence(objectId(oid.basicConstraints), element(tag.octets, isAuthority)),
      sequence(objectId(oid.subjectAltName), element(tag.octets, names)),
    ),
  );
}

function distinguishedName(commonName: string): Buffer {
  const value = element(tag.utf8, Buffer.from(commonName));
  return sequence(element(tag.set, sequence(objectId(oid.commonName), value)));
}

function algorithm(): Buffer {
  return sequence(objectId(oid.ecdsaWithSha256));
}

/** UTCTime, `YYMMDDHHMMSSZ`. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '');
  return element(tag.time, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function objectId(hex: string): Buffer {
  return element(tag.oid, Buffer.from(hex, 'hex'));
}

function integer(bytes: Buffer): Buffer {
  return element(tag.integer, bytes);
}

function sequence(...parts: Buffer[]): Buffer {
  return element(tag.sequence, ...parts);
}

function element(tagByte: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tagByte), lengthOf(content), content]);
}

function lengthOf(content: Buffer): Buffer {
  if (content.length < 0x80) return Buffer.of(content.length);
  if (content.length < 0x100) return Buffer.of(0x81, content.length);
  return Buffer.of(0x82, content.length >> 8, content.length & 0xff);
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
