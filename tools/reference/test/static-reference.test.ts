import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { adviceByCode } from '../client-guide.ts';
import { codeSamples } from '../code-samples.ts';
import { parseContract } from '../contract.ts';
import { listErrors, listOperations } from '../contract-index.ts';
import { paragraphs } from '../prose.ts';
import { referenceCommand, staticReference } from '../reference-command.ts';

const yaml = readFileSync(join(import.meta.dirname, '../../../openapi.yaml'), 'utf8');
const contract = parseContract(yaml);
const baseUrl = 'https://orders.example.com/v1';
const stageOrigin = 'https://orders.example.com';

let files: Readonly<Record<string, string>>;
let html: string;

beforeAll(async () => {
  files = await staticReference(baseUrl);
  html = String(files['index.html']);
});

/** What a browser would load, or a reader follow. */
function references(text: string): string[] {
  const found = text.matchAll(/(?:src|href)="([^"#][^"]*)"|url\(["']?([^"')]+)/g);
  return [...found].map(([, attribute, inStyle]) => (attribute ?? inStyle)!.replace(/#.*/, ''));
}

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const pages = ['index.html', 'page.css'];

describe('static reference', () => {
  it.each(pages)('has every file that %s refers to', (name) => {
    const addresses = references(String(files[name])).filter((one) => !one.startsWith('data:'));

    if (name === 'index.html') expect(addresses).toContain('page.js');
    for (const address of addresses) expect(Object.keys(files)).toContain(address);
  });

  it('names no host but that of the stage', () => {
    const own = ['index.html', 'page.css', 'page.js', 'openapi.yaml'];
    const servers = [...yaml.matchAll(/^ +- url: (\S+)$/gm)].map(([, url]) => url!);

    const hosts = own.flatMap((name) =>
      [...String(files[name]).matchAll(/https?:\/\/[^\s"'`)<;]+/g)].map(([url]) => url),
    );

    const known = [stageOrigin, ...servers];
    expect(hosts.filter((url) => !known.some((one) => url.startsWith(one)))).toEqual([]);
  });

  it('lets the browser load nothing from elsewhere and ask nobody but the stage', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(html)!;

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`connect-src ${stageOrigin};`);
    expect(policy.replace(stageOrigin, '')).not.toMatch(/unsafe|\*|https?:/);
  });

  it('names the stage as the first server of the contract, and no local one', () => {
    const [, ...servers] = String(files['openapi.yaml']).split(/^ +- url: /m);

    expect(servers.map((server) => server.split('\n')[0])).toEqual([
      baseUrl,
      expect.stringMatching(/^https:.*\/prod\/v1$/),
      expect.stringMatching(/^https:.*\/staging\/v1$/),
    ]);
  });

  it('marks every operation with its stability', () => {
    for (const { operationId, marker } of listOperations(contract)) {
      expect(['experimental', 'beta', 'stable', 'deprecated']).toContain(marker);
      const [section] = html.slice(html.indexOf(`id="${operationId}"`)).split('</article>');
      expect(section).toContain(`data-kind="${marker}"`);
    }
  });

  it('lists every error code of the contract, and no other', () => {
    const documented = Object.values<object>(contract.components.responses).flatMap((response) =>
      [...JSON.stringify(response).matchAll(/"enum":\[([^\]]+)\]/g)].flatMap(([, codes]) =>
        JSON.parse(`[${codes}]`),
      ),
    );

    const errors = listErrors(contract);
    const listed = errors.map(({ code }) => code);

    expect(new Set(listed)).toEqual(new Set(documented));
    const shipped = errors.find(({ code }) => code === 'order_already_shipped');
    expect(shipped!.operationIds).toEqual(['cancelOrder']);
    const notFound = errors.find(({ code }) => code === 'not_found');
    expect(notFound!.operationIds).toEqual([]);
    for (const code of listed) expect(html).toContain(`<tr id="error-${code}">`);
  });

  it('says what to do about every error code, in the words of the guide that it links to', () => {
    const advice = adviceByCode();

    for (const { code } of listErrors(contract)) {
      const [row = ''] = html.slice(html.indexOf(`<tr id="error-${code}">`)).split('</tr>');
      expect([code, advice.get(code)]).toEqual([code, expect.any(String)]);
      expect(row).toContain(`data-label="What to do">${paragraphs(advice.get(code)!)}</td>`);
    }
    expect(advice.get('rate_limit_exceeded')).toBe('wait for `Retry-After`');
    expect(html).toContain('<a href="clients.md">');
    expect(files['clients.md']).toContain('# Writing a client');
  });

  it('has samples in three languages for each operation that is served', () => {
    const served = listOperations(contract).filter(({ marker }) => marker !== 'deprecated');

    for (const operation of served) {
      const samples = codeSamples(operation, baseUrl);
      const path = operation.path.replace('{orderId}', '1001');
      expect(Object.keys(samples)).toEqual(['curl', 'JavaScript', 'Python']);
      for (const code of Object.values(samples)) {
        expect(code).toContain(`'${baseUrl}${path}'`);
        expect(code).toContain('STORE_ORDERS_KEY');
        expect(unescaped(html)).toContain(`<pre><code>${code}</code></pre>`);
      }
    }
    const list = codeSamples(served[0]!, baseUrl);
    expect(list.curl).toContain(' --compressed ');
    expect(list.JavaScript).toContain("name === 'id' || name === 'petId' ? BigInt(source)");
  });

  it('shows every parameter, response, header, schema and example of the contract', () => {
    const { headers, schemas } = contract.components;
    const examples = [...yaml.matchAll(/^ +summary: (.+)$/gm)].map(([, summary]) => summary!);

    for (const name of Object.keys(headers))
      expect(html).toContain(`id="header-${name.toLowerCase()}"`);
    for (const name of Object.keys(schemas)) expect(html).toContain(`id="schema-${name}"`);
    for (const summary of examples) expect(html).toContain(summary);
    for (const { operationId, parameters = [], responses } of listOperations(contract)) {
      const [section = ''] = html.slice(html.indexOf(`id="${operationId}"`)).split('</article>');
      for (const { name } of parameters) expect(section).toContain(`<code>${name}</code>`);
      for (const status of Object.keys(responses)) expect(section).toContain(`>${status}</span>`);
    }
    // Such as an example that a header does not have.
    expect(html).not.toContain('undefined');
  });

  it('leads to something with every link', () => {
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);

    expect(targets).toContain('schema-Order');
    for (const id of targets) expect(html).toContain(`id="${id}"`);
  });
});

describe('npm run reference', () => {
  it.each([
    [['--out', 'x'], 'exactly one of --stage'],
    [['--out', 'x', '--stage', 'prod', '--url', baseUrl], 'exactly one of --stage'],
    [['--out', 'x', '--stage', 'nowhere'], '--stage: "nowhere" is not accepted'],
    [['--out', 'x', '--url', 'orders.example.com'], '--url: "orders.example.com" is not accepted'],
    [['--out', 'x', '--url', 'https://orders.example.com'], '…/v1'],
    [['--out', '/dev/null/x', '--url', baseUrl], '--out: /dev/null/x cannot be written'],
  ])('says in one line what is wrong with %j', async (words, message) => {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);

    const exitCode = await referenceCommand(words);

    const said = write.mock.calls.join('');
    write.mockRestore();
    expect(exitCode).toBe(1);
    expect(said).toContain(message);
    expect(said).toMatch(/^[^\n]+\n$/);
  });
});
