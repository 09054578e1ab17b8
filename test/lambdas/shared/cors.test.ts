import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { corsHeaders } from '../../../lambdas/shared/cors.ts';
import { differences } from '../../helpers/differences.ts';

const contract = parse(readFileSync('openapi.yaml', 'utf8'));
const origin = 'https://shop.example.com';
/** These are for the browser itself. */
const browsersOwn = ['Content-Encoding', 'Vary', 'WWW-Authenticate'];

describe('corsHeaders', () => {
  it('lets scripts of the origin read every header of the contract, and both ids of a request', () => {
    const documented = Object.keys(contract.components.headers);
    const useful = documented.filter((name) => !browsersOwn.includes(name));

    const headers = corsHeaders(origin);

    expect(headers['Access-Control-Allow-Origin']).toBe(origin);
    expect(
      differences(
        ['openapi.yaml, components.headers', [...useful, 'x-amz-apigw-id']],
        ['lambdas/shared/cors.ts', headers['Access-Control-Expose-Headers']!.split(', ')],
      ),
    ).toEqual([]);
  });

  it('lets no script read anything where the stage names no origin', () => {
    expect(corsHeaders(undefined)).toEqual({});
  });
});
