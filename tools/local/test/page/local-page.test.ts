import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { recordByPlan } from '../../../../lib/settings/plans.ts';
import { serve } from '../../../../test/helpers/loopback-server.ts';
import { localPage } from '../../page/local-page.ts';

const handle = localPage(
  '/staging/v1',
  recordByPlan((plan) => `so_test_${plan}`),
);

// Requests that the page does not answer go to the gateway, which this test replaces by a 404.
const server = await serve(async (request, response) => {
  if (!(await handle(request, response))) response.writeHead(404).end();
});

afterAll(() => server[Symbol.asyncDispose]());

describe('the page of a local run', () => {
  it('has the demo keys, and no page of another origin can embed or read it', async () => {
    const response = await fetch(server.url);

    const html = await response.text();
    expect(html).toContain('<option value="so_test_free">free: 60 per minute, 1,000 per day');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    // No cache stores it, because it contains the demo keys.
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['GET', '/simple.css?a', 200, 'text/css'],
    ['POST', '/', 404, undefined],
    ['GET', '/package.json', 404, undefined],
    ['GET', '/toString', 404, undefined],
  ])(
    'answers its files, and leaves the rest to the gateway: %s %s',
    async (method, path, ...expected) => {
      const { status, headers } = await fetch(server.url + path, { method });

      expect([status, headers.get('content-type')?.split(';')[0]]).toEqual(expected);
    },
  );

  it('is not served under a foreign name that points to this machine', async () => {
    // `fetch` is not used, because it does not let a test set the `Host` header.
    const request = sendRequest(server.url, { headers: { host: '127.0.0.1.example.org' } }).end();
    const [response] = await once(request, 'response');
    response.resume();

    expect(response.statusCode).toBe(404);
  });
});
