import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { unroutedFault } from '../../../local/gateway/unrouted-request.ts';
import { createRequest } from '../small-template.ts';

const faultOf = (headers: [string, string][]) => unroutedFault(createRequest({ headers }));
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
const date = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.";
const requires = (name: string) => `Authorization header requires '${name}' parameter.`;

describe('a request without a route', () => {
  it.each<[string, [string, string][]]>([
    ['without Authorization', []],
    ['with an empty one', [['Authorization', '']]],
    [
      'with a whole signature, which is not checked here',
      [
        ['Authorization', 'AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c'],
        ['X-Amz-Date', '20260409T123456Z'],
      ],
    ],
  ])('%s misses an authentication token', (_, headers) => {
    expect(faultOf(headers)).toMatchObject({
      type: 'MISSING_AUTHENTICATION_TOKEN',
      shownMessage: 'Missing Authentication Token',
    });
  });

  it.each(['Bearer so_test_secret', 'Basic c2VjcmV0', 'AWS4-HMAC-SHA256 Credential=a, secret'])(
    'is told that a part has no equal sign: %s',
    (authorization) => {
      const fault = faultOf([['Authorization', authorization]]);

      expect(fault).toMatchObject({
        type: 'DEFAULT_4XX',
        status: 403,
        errorType: 'IncompleteSignatureException',
      });
      expect(fault.shownMessage).toBe(
        'Invalid key=value pair (missing equal-sign) in Authorization header ' +
          `(hashed with SHA-256 and encoded with Base64): '${hashOf(authorization)}'.`,
      );
    },
  );

  it.each<[string, [string, string][], string[]]>([
    [
      'secret',
      [],
      [requires('Credential'), requires('Signature'), requires('SignedHeaders'), date],
    ],
    [
      'Basic c2Vj=',
      [],
      [requires('Credential'), requires('Signature'), requires('SignedHeaders'), date],
    ],
    ['AWS4 Credential=a, Signature=b', [], [requires('SignedHeaders'), date]],
    ['AWS4 Credential=a,Signature=b', [['Date', 'now']], [requires('SignedHeaders')]],
    [
      'AWS4 Signature=b,Signed Headers=c',
      [['Date', 'now']],
      ['Credential', 'SignedHeaders'].map(requires),
    ],
  ])('is told which parts are missing: %s', (authorization, others, sentences) => {
    const { shownMessage } = faultOf([['Authorization', authorization], ...others]);

    expect(shownMessage).toBe(
      `${sentences.join(' ')} (Hashed with SHA-256 and encoded with Base64) ` +
        `Authorization=${hashOf(authorization)}`,
    );
  });

  it('does not see its token again', () => {
    const { shownMessage } = faultOf([['Authorization', 'Bearer so_test_secret']]);

    expect(shownMessage).not.toContain('secret');
  });
});
