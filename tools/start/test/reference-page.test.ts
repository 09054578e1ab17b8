import { request as sendRequest } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { forEachPlan } from '../../../lib/settings/plans.ts';
import { serve } from '../../../test/helpers/loopback-server.ts';
import type { DemoKeys } from '../demo-keys.ts';
import { referencePage } from '../reference-page.ts';

const allKeys = forEachPlan((name) => `key-${name}`);
let demoKeys: DemoKeys | undefined = allKeys;
const handle = referencePage({
  basePath: '/staging/v1',
  demoKeys: () => demoKeys,
  exampleOrderId: async () => '9007199254740993',
});

// Requests that the page does not answer go to the gateway, which this test replaces by a 404.
const server = await serve(async (request, response) => {
  if (!(await handle(request, response))) response.writeHead(404).end();
});

afterAll(() => server[Symbol.asyncDispose]());

const fetchPage = (path: string, init?: RequestInit) => fetch(server.url + path, init);

function statusForHost(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(server.url, { headers: { host } });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end();
  });
}

describe('reference page', () => {
  it('loads nothing from elsewhere, and is shown and read by no page of another origin', async () => {
    const { headers } = await fetchPage('/');

    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('serves all that it names, which no cache may store because it is made for the demo keys', async () => {
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

  it('serves no other file of the repository', async () => {
    expect((await fetchPage('/package.json')).status).toBe(404);
    expect((await fetchPage('/docs/clients.md')).status).toBe(404);
  });

  it('leads to a heading with every link within the page', async () => {
    const html = await (await fetchPage('/')).text();
    const ids = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);

    expect(ids).toContain('errors');
    for (const id of ids) expect(html).toContain(` id="${id}"`);
  });

  it('gives the page its keys and the address of the API under the name that it was asked by', async () => {
    const { host } = new URL(server.url);

    const html = await (await fetchPage('/')).text();

    expect(html).toContain(`data-base-url="http://${host}/staging/v1"`);
    for (const key of Object.values(allKeys)) expect(html).toContain(`data-key="${key}"`);
  });

  it('suggests no key in a run without demo keys', async () => {
    demoKeys = undefined;
    const html = await (await fetchPage('/')).text();
    demoKeys = allKeys;

    expect(html).not.toContain('Demo keys');
    expect(html).toContain('id="apiKey" value=""');
  });

  it('shows an order that exists as the example, with every digit of its id', async () => {
    const html = await (await fetchPage('/')).text();

    expect(html).toContain('id="orderId" value="9007199254740993"');
  });

  it.each(['127.0.0.1', 'localhost:3000', '[::1]:3000'])('answers as %s', async (host) => {
    expect(await statusForHost(host)).toBe(200);
  });

  it.each(['example.org', '127.0.0.1.example.org', '10.0.0.1:3000'])(
    'does not exist under a name that someone pointed at this machine: %s',
    async (host) => {
      expect(await statusForHost(host)).toBe(404);
    },
  );

  it('leaves every other method to the gateway', async () => {
    expect((await fetchPage('/', { method: 'POST' })).status).toBe(404);
    expect((await fetchPage('/', { method: 'HEAD' })).status).toBe(200);
  });
});
