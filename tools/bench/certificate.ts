import { generate } from 'selfsigned';

/** The key and the certificate of an HTTPS server, in PEM. Its clients have to trust `cert`. */
export interface ServerCertificate {
  key: string;
  cert: string;
}

const hourMs = 3_600_000;

/**
 * Creates a self-signed certificate for 127.0.0.1 and localhost that is valid for a day. The key is
 * not stored.
 */
export async function createLocalhostCertificate(nowMs = Date.now()): Promise<ServerCertificate> {
  const subject = [{ name: 'commonName', value: 'Store Orders benchmark' }];
  const { private: key, cert } = await generate(subject, {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - hourMs),
    notAfterDate: new Date(nowMs + 24 * hourMs),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key, cert };
}
