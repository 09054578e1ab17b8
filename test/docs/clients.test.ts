import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { plans } from '../../lib/settings/plans.ts';
import { differences } from '../helpers/differences.ts';
import { serve } from '../helpers/loopback-server.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { rowsAfter } from './markdown.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const contract = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));

describe('docs/clients.md', () => {
  it('says of every error of the contract what to do, and of no other', () => {
    const described = rowsAfter('## Errors', page).map(([status, code]) => `${status} ${code}`);

    expect(
      differences(
        ['openapi.yaml, components.responses', documentedErrors()],
        ['docs/clients.md, Errors', described],
      ),
    ).toEqual([]);
  });

  it('states the numbers of lib/settings/plans.ts', () => {
    const number = new Intl.NumberFormat('en');
    const rows = Object.entries(plans).map(([name, plan]) => [
      name.charAt(0).toUpperCase() + name.slice(1),
      plan.limitsPerOwner ? 'custom' : number.format(plan.perMinute),
      plan.limitsPerOwner ? 'custom' : number.format(plan.perDay),
      number.format(plan.toleratedRejectionsPerMinute),
      `${plan.banSeconds} s`,
    ]);

    expect(
      differences(
        ['lib/settings/plans.ts', rows.map(String)],
        ['docs/clients.md, Plans', rowsAfter('## Plans', page).map(String)],
      ),
    ).toEqual([]);
  });

  it('explains every header of the contract, and no other', () => {
    const explained = rowsAfter('## Headers', page).flatMap(([names]) => names!.split(', '));

    expect(
      differences(
        ['openapi.yaml, components.headers', Object.keys(contract.components.headers)],
        ['docs/clients.md, Headers', explained],
      ),
    ).toEqual([]);
  });

  it('describes the realm that the service names', () => {
    const { schema } = contract.components.headers['WWW-Authenticate'];

    expect(page).toContain(`WWW-Authenticate: ${schema.const}`);
  });

  it('has a back-off example that waits as it is told, and goes on', async () => {
    await using service = await limitedOnce();

    const { stdout } = await runExample(codeAfter('## Back-off', 'ts'), {
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

  it('has a parser that keeps every digit', async () => {
    const code = codeAfter('## 64-bit numbers', 'js');

    const { parseExactly } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

    expect(parseExactly('[{"id":9223372036854775807,"petId":-1,"quantity":2}]')).toEqual([
      { id: 9223372036854775807n, petId: -1n, quantity: 2 },
    ]);
  });
});

function codeAfter(heading: string, language: string): string {
  const section = page.slice(page.indexOf(`\n${heading}\n`));
  const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(section)!;
  return code!;
}

function documentedErrors(): string[] {
  const responses: object[] = Object.values(contract.components.responses);
  const errors = responses.flatMap((response) => {
    // biome-ignore lint/suspicious/noExplicitAny: the contract's own shape
    const [, { properties }] = (response as any).content['application/json'].schema.allOf;
    return properties.code.enum.map((code: string) => `${properties.status.const} ${code}`);
  });
  return [...new Set<string>(errors)];
}

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
  const examples = pathToFileURL(join(root, 'examples')).href;
  const file = directory.write('example.ts', code.replaceAll("'../examples/", `'${examples}/`));
  try {
    return await promisify(execFile)(process.execPath, [file], { env: environment });
  } finally {
    directory.remove();
  }
}
