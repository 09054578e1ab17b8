import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createLocalhostCertificate } from '../../../bench/doubles/certificate.ts';

describe('the certificate of the canned DynamoDB', () => {
  it('is valid for 127.0.0.1 and localhost, today, and signed by itself', async () => {
    const nowMs = Date.UTC(2026, 10, 20, 12);

    const { cert } = await createLocalhostCertificate(nowMs);

    const certificate = new X509Certificate(cert);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(true);
    expect(Date.parse(certificate.validFrom)).toBeLessThan(nowMs);
    expect(Date.parse(certificate.validTo)).toBe(nowMs + 24 * 3_600_000);
  });

  it('is another one each time', async () => {
    const [one, other] = await Promise.all([
      createLocalhostCertificate(),
      createLocalhostCertificate(),
    ]);

    expect(one.key).not.toBe(other.key);
    expect(new X509Certificate(one.cert).serialNumber).not.toBe(
      new X509Certificate(other.cert).serialNumber,
    );
  });
});
