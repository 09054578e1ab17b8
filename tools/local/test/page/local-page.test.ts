import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { forEachPlan } from '../../../../lib/settings/plans.ts';
import { serve } from '../../../../test/helpers/loopback-server.ts';
import { localPage } from '../../page/local-page.ts';

const handle = localPage({
  basePath: '/staging/v1',
  demoKeys: forEachPlan((name) => `so_live_${name}`),
  exampleOrderId: async () => '9007199254740993',
});

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

  it.each(['openapi.yaml', 'docs/clients.md'])(
    'serves %s as plain text, which a browser shows instead of saving',
    async (file) => {
      const { headers } = await fetchPage(`/${file}`);

      expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    },
  );

  it("contains the demo keys with their limits, an order's id, and the address of this run", async () => {
    const html = await (await fetchPage('/')).text();

    expect(html).toContain(`>${server.url}/staging/v1<`);
    expect(html).toContain('<option value="so_live_pro">pro: 300 per minute, 10,000 per day');
    expect(html).toContain('id="orderId" value="9007199254740993"');
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
    ['GET', '/docs/scaling.md', 404],
    ['GET', '/page.html', 404],
    ['POST', '/', 404],
    ['HEAD', '/', 200],
  ])('leaves other files and methods to the gateway: %s %s', async (method, path, status) => {
    expect((await fetchPage(path, { method })).status).toBe(status);
  });
});
