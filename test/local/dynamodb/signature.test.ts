import { describe, expect, it } from '@jest/globals';
import { isSignedWith, readSignature } from '../../../local/dynamodb/signature.ts';

/* The signatures have been made with the signer of AWS's SDK. */

const headers = {
  host: '127.0.0.1:8000',
  'x-amz-date': '20260101T000000Z',
  'x-amz-target': 'DynamoDB_20120810.Scan',
  'x-own': '  a   b ',
};
const allNames = 'host;x-amz-date;x-amz-target;x-own';
const value = '9432ad27d8f4a4e40c1cbc734a052775340938cde115c23ddfcd79240f293322';

const authorization = (names = allNames, signature = value) =>
  `AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=${names}, Signature=${signature}`;

function isSigned(
  names: string,
  signature: string,
  { secret = 'secret', body = '{}', ...changed }: Record<string, string> = {},
) {
  const read = readSignature(authorization(names, signature))!;
  return isSignedWith(secret, read, { ...headers, ...changed }, Buffer.from(body));
}

describe('the signature of a call', () => {
  it.each([
    ['with blanks', authorization()],
    ['without', authorization().replaceAll(', ', ',')],
  ])('is read %s after its commas', (_, text) => {
    expect(readSignature(text)).toEqual({
      accessKeyId: 'AKID',
      scope: ['20260101', 'us-east-1', 'dynamodb', 'aws4_request'],
      signedHeaders: ['host', 'x-amz-date', 'x-amz-target', 'x-own'],
      value,
    });
  });

  it.each<[string, string | undefined]>([
    ['nothing', undefined],
    ['another scheme', 'Basic YTpi'],
    ['something before it', `x${authorization()}`],
    ['something after it', `${authorization()}x`],
    ['no access key', authorization().replace('AKID', '')],
    ['a blank in the access key', authorization().replace('AKID', 'AK ID')],
    ['a short date', authorization().replace('20260101', '2026011')],
    ['no Region', authorization().replace('us-east-1', '')],
    ['a part less', authorization().replace('us-east-1/', '')],
    ['no service', authorization().replace('dynamodb', '')],
    ['no names of headers', authorization('')],
    ['a blank in the names of headers', authorization('host; x-amz-date')],
    ['a longer signature', authorization(allNames, `${value}0`)],
    ['a shorter signature', authorization(allNames, value.slice(1))],
    ['a signature in base64', authorization(allNames, `${value.slice(1)}=`)],
  ])('is not read from %s', (_, text) => {
    expect(readSignature(text)).toBeUndefined();
  });

  it('is that of a secret, of the headers and the body', () => {
    expect(isSigned(allNames, value)).toBe(true);
  });

  it.each([
    ['another secret', { secret: 'other' }],
    ['another body', { body: '{} ' }],
    ['another value of a header', { 'x-own': 'a c' }],
    ['another date', { 'x-amz-date': '20260102T000000Z' }],
  ])('is not that of %s', (_, changed) => {
    expect(isSigned(allNames, value, changed)).toBe(false);
  });

  it.each([
    ['host', '748761ef66f576b1afed9c7a02f270026c9eae78147be55d23450543622f4c7a'],
    ['x-amz-target', '63e9bf79bf9a35ec12d653be6387a562c48397aef5a7e6b3472a1e6d1c16da2d'],
    ['x-amz-date', '73b07e32b75e64aee6a8042cde0ff2316e667ea6f9f286cf518ba660fdf6203f'],
  ])('is not enough without %s', (name, signature) => {
    const names = allNames.split(';').filter((each) => each !== name);

    expect(isSigned(names.join(';'), signature)).toBe(false);
  });
});
