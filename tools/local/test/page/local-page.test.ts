import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { forEachPlan } from '../../../../lib/settings/plans.ts';
import { serve } from '../../../../test/helpers/loopback-server.ts';
import type { DemoKeys } from '../../demo-keys.ts';
import { localPage } from '../../page/local-page.ts';

const allKeys = forEachPlan((name) => `so_live_${name}`);
const pageWith = (demoKeys: DemoKeys | undefined) =>
  localPage({
    basePath: '/staging/v1',
    demoKeys,
    exampleOrderId: async () => '9007199254740993',
  });
let handle = pageWith(allKeys);

// Requests that the page does not answer go to the gateway, which this test replaces by a 404.
const server = await serve(async (request, response) => {
  if (!(await handle(request, response))) response.writeHead(404).end();
});

afterAll(() => server[Symbol.asyncDispose]());

const fetchPage = (path: string, init?: RequestInit) => fetch(server.url + path, init);

describe('the page of a local run', () => {
  it('loads nothing from elsewhere, and no page of another origin can embed or read it', async () => {
    const { headers } = await fetchPage('/');

    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('serves every file that it names, and lets no cache store them, because they contain the demo keys', async () => {
    const html = await (await fetchPage('/')).text();
    const names = [...html.matchAll(/(?:src|href)="(?!https:)([^"#]+)"/g)].map(([, name]) => name!);
    expect(names).toEqual(expect.arrayContaining(['page.js', 'page.css', 'openapi.yaml']));

    for (const name of ['', ...new Set(names)]) {
      const response = await fetchPage(`/${name}`);

      expect([name, response.status]).toEqual([name, 200]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect((await response.text()).length).toBeGreaterThan(0);
    }
  });

  it('serves files of the repository as plain text, which a browser shows instead of saving', async () => {
    const { headers } = await fetchPage('/openapi.yaml');

    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it("contains the demo keys, an order's id, and the address of this run instead of the documented one", async () => {
    const html = await (await fetchPage('/')).text();
    const contract = await (await fetchPage('/openapi.yaml')).text();

    expect(html).toContain(`data-base-url="${server.url}/staging/v1"`);
    for (const key of Object.values(allKeys)) expect(html).toContain(`data-key="${key}"`);
    expect(html).toContain('id="orderId" value="9007199254740993"');
    for (const text of [html, contract]) {
      expect(text).toContain(`${server.url}/staging/v1`);
      expect(text).not.toContain('127.0.0.1:3000');
    }
    expect(html).toContain('STORE_ORDERS_KEY=so_live_…');
  });

  it('has an empty key field in a run without demo keys', async () => {
    handle = pageWith(undefined);
    const html = await (await fetchPage('/')).text();
    handle = pageWith(allKeys);

    expect(html).not.toContain('Demo keys');
    expect(html).toContain('id="apiKey" value=""');
  });

  it('is not served under a foreign name that points to this machine', async () => {
    // `fetch` does not let a test set the `Host` header.
    const request = sendRequest(server.url, { headers: { host: '127.0.0.1.example.org' } }).end();
    const [response] = await once(request, 'response');
    response.resume();

    expect(response.statusCode).toBe(404);
  });

  it.each([
    ['GET', '/package.json', 404],
    ['GET', '/docs/clients.md', 404],
    ['POST', '/', 404],
    ['HEAD', '/', 200],
  ])('leaves other files and methods to the gateway: %s %s', async (method, path, status) => {
    expect((await fetchPage(path, { method })).status).toBe(status);
  });
});
