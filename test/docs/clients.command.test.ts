import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { serve } from '../helpers/loopback-server.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { codeAfter } from './markdown.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');

describe('docs/clients.md', () => {
  it('has a back-off example that waits as it is told, and goes on', async () => {
    await using service = await limitedOnce();

    const { stdout } = await runExample(codeAfter('## Back-off', 'ts', page), {
      STORE_ORDERS_URL: service.url,
      STORE_ORDERS_KEY: 'a-key',
    });

    expect(stdout).toBe('1 orders\n1001 stays as it is: order_already_shipped\n');
    expect(service.asked).toEqual([
      'GET /store/orders',
      'GET /store/orders',
      'DELETE /store/orders/1001',
    ]);
  });
});

/** A service whose first answer is that the minute is used up, and that one may ask again at once. */
async function limitedOnce() {
  const asked: string[] = [];
  const server = await serve(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    const isFirst = asked.length === 1;
    if (isFirst) return response.writeHead(429, { 'Retry-After': '0' }).end();
    if (method === 'GET') return response.end('[{"id":1001}]');
    const body = { code: 'order_already_shipped', message: 'It has shipped.', status: 409 };
    return response
      .writeHead(409, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(body));
  });
  return { ...server, asked };
}

async function runExample(code: string, environment: Readonly<Record<string, string>>) {
  const directory = temporaryDirectory();
  const examples = pathToFileURL(join(root, 'tools/examples')).href;
  const file = directory.write(
    'example.ts',
    code.replaceAll("'../tools/examples/", `'${examples}/`),
  );
  try {
    return await promisify(execFile)(process.execPath, [file], { env: environment });
  } finally {
    directory.remove();
  }
}
