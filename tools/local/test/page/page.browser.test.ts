import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { temporaryDirectoryOfFile } from '../../../../test/helpers/temporary-directory.ts';
import { type RunningService, startService } from '../running-service.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// The ids are odd and beyond 2^53, so a JavaScript number would round each of them.
const orderIds = Array.from({ length: 120 }, (_, index) =>
  String(2n ** 53n + 1n + 2n * BigInt(index)),
);

const directory = temporaryDirectoryOfFile();
let service: RunningService;
let browser: Browser;
let page: Page;
/** Requests to other origins, errors in the console, exceptions, violations of the policy. */
let offences: string[];

beforeAll(async () => {
  const others = '"petId":1,"quantity":2,"shipDate":"2026-01-05T09:30:00Z","complete":false';
  const lines = orderIds.map((id) => `{"id":${id},${others}}\n`);
  const orders = directory.write('orders', lines.join(''));
  const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
  [service, browser] = await Promise.all([
    startService(['--orders', orders]),
    chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] }),
  ]);
});

afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

beforeEach(() => open(new URL('/', service.baseUrl).href));

afterEach(async () => {
  const stored = await page.context().storageState();
  await page.context().close();
  expect(offences).toEqual([]);
  expect(stored).toEqual({ cookies: [], origins: [] });
});

/** Opens the page in a profile of its own, which remembers nothing of another page. */
async function open(url: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  offences = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) offences.push(`request to ${request.url()}`);
  });
  page.on('console', (message) => {
    // Chromium reports every response from 400 on as an error, but tests provoke such responses.
    const isResponse = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isResponse) offences.push(message.text());
  });
  page.on('pageerror', (error) => offences.push(String(error)));
  await page.goto(url);
}

/**
 * The violations that axe finds in light and in dark mode, with the elements concerned. To save time, only the
 * first rows of a list are checked, and in dark mode only the rule about colours.
 */
async function violations(): Promise<string[]> {
  // Evaluated from outside, so that the page's policy need not allow it.
  await page.evaluate(axe);
  const found: string[] = [];
  for (const [colorScheme, options] of [
    ['light', {}],
    ['dark', { runOnly: ['color-contrast'] }],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    const context = JSON.stringify({ exclude: '#rows tr:nth-child(n + 5)' });
    const results: AxeResults = await page.evaluate(
      `axe.run(${context}, ${JSON.stringify(options)})`,
    );
    for (const { id, nodes } of results.violations) {
      found.push(...nodes.map(({ target }) => `${colorScheme}: ${id}: ${target.join(' ')}`));
    }
  }
  return found;
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const keyField = () => page.getByLabel('API key');
const text = async (selector: string) => (await page.textContent(selector))!;
const cells = (row: number) => page.locator(`#rows tr:nth-child(${row}) td`).allTextContents();
const focused = () =>
  page.evaluate('document.activeElement.id || document.activeElement.ariaLabel');

/** Presses a button, and returns what the page says about the answer. */
async function press(name: string): Promise<string> {
  await button(name).click();
  return (await page.locator('#outcome', { hasNotText: 'Waiting …' }).textContent())!;
}

async function cancelTyped(orderId: string): Promise<string> {
  await page.getByLabel('DELETE /store/orders/').fill(orderId);
  return press('Cancel order');
}

/** Answers requests for a list with this response, in place of the service. */
const answerLists = (body: string, status = 200, headers: Record<string, string> = {}) =>
  page.route('**/store/orders', (route) => route.fulfill({ body, status, headers }));

describe('the page of a local run', () => {
  it('lists orders with a demo key, a hundred at once, with every digit of their ids, and filters all', async () => {
    await page
      .getByLabel('Demo key')
      .selectOption('enterprise: 60,000 per minute, 10,000,000 per day');
    expect(await keyField().inputValue()).toBe(service.keys.enterprise);

    expect(await press('List orders')).toBe('200 OK  120 orders');

    expect(await text('#shown')).toBe('100 of 120 shown');
    await button('100 more').click();
    expect(await text('#shown')).toBe('120 of 120 shown');
    expect(await focused()).toBe('idPrefix');
    const shownIds = await page.locator('#rows td:first-child').allTextContents();
    expect(shownIds.sort()).toEqual(orderIds);
    await page.getByLabel('Id begins with').fill(orderIds[110]!);
    await page.keyboard.press('Enter');
    expect(await text('#shown')).toBe('1 of 1 shown (of 120)');
    expect((await cells(1))[0]).toBe(orderIds[110]);
  });

  it('shows absent fields as empty, and texts that look like ids unchanged', async () => {
    await answerLists('[{"id":-9223372036854775808,"petId" : 1,"shipDate":"\\"id\\":5 {"}]');

    await press('List orders');

    expect(await cells(1)).toEqual(['-9223372036854775808', '1', '', '"id":5 {', '', 'Cancel ']);
  });

  it('shows the outcome of a cancellation in the row of its order', async () => {
    await press('List orders');
    const [id] = await cells(1);

    expect(await press(`Cancel order ${id}`)).toMatch(`204 No Content  Order ${id} is cancelled.`);
    expect(await focused()).toBe(`Cancel order ${id}`);
    expect(await press(`Cancel order ${id}`)).toMatch(/^409 Conflict order_already_cancelled /);

    expect((await cells(1)).at(-1)).toBe('Cancel 409 order_already_cancelled');
  });

  it('sends an id as it is typed, shows all of the answer, and a command that has the same answer', async () => {
    const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');

    expect(await cancelTyped("it's 007 ")).toMatch(
      /^400 Bad Request invalid_order_id The order id/,
    );

    const response = await answered;
    const body = await response.text();
    const url = `${service.baseUrl}/store/orders/it's%20007%20`;
    const id = response.headers()['x-amz-apigw-id'];
    const facts = (await text('#exchange')).replace(/\d+ ms/, '0 ms');
    expect(facts).toBe(`DELETE ${url} · 0 ms · ${body.length} bytes · id ${id}`);
    expect(await text('#raw')).toContain('content-type: application/json');
    expect(await text('#raw')).toContain(`\n\n${body}`);
    const { stdout } = await promisify(execFile)('bash', ['-c', await text('#curl')]);
    expect(stdout).toContain(body);
  });

  it('shows the limits of the key, and no limits that belong to another key', async () => {
    await keyField().fill(service.keys.pro);
    await press('List orders');
    const minute = await text('#minuteText');
    const [, left] = /^This minute: (\d+) of 300 left, resets in \d+ seconds$/.exec(minute)!;
    expect(await page.getByRole('meter', { name: 'This minute' }).getAttribute('value')).toBe(left);
    expect(await text('#dayText')).toMatch(/^Today \(UTC\): [\d,]+ of 10,000 left, resets in /);

    const held = Promise.withResolvers<void>();
    await page.route('**/store/orders', (route) => held.promise.then(() => route.continue()));
    await button('List orders').click();
    await page.getByLabel('Demo key').selectOption('another key');
    held.resolve();
    await page.getByText('200 OK 120 orders').waitFor();

    expect(await keyField().inputValue()).toBe('');
    expect(await page.locator('#limits').isVisible()).toBe(false);
  });

  it.each(['so_test_wrong', 'ключ'])('shows no orders to a refused key: "%s"', async (key) => {
    await press('List orders');
    await keyField().fill(key);
    expect(await page.locator('#demoKey').inputValue()).toBe('');

    expect(await press('List orders')).toMatch(/^401 Unauthorized unauthorized /);

    expect(await page.locator('#orders').isVisible()).toBe(false);
    expect(await focused()).toBe('apiKey');
    expect(await page.getByText('is not valid here').isVisible()).toBe(true);
    await keyField().fill(service.keys.pro);
    expect(await page.getByText('is not valid here').isVisible()).toBe(false);
  });

  it('removes the orders, and says why, if a list breaks off or the server is gone', async () => {
    await press('List orders');
    await answerLists('[{"id":1},');

    expect(await press('List orders')).toBe('200 OK  The response broke off.');
    await page.context().setOffline(true);
    await page.unroute('**/store/orders');
    expect(await press('List orders')).toMatch(/^No response .* Is npm start still running\?$/);

    expect(await page.locator('#orders').isVisible()).toBe(false);
    offences.length = 0;
  });

  it('shows 100,000 orders, of the list that was requested last', async () => {
    const orders = Array.from({ length: 100_000 }, (_, index) => `{"id":${index}}`);
    const first = Promise.withResolvers<void>();
    let lists = 0;
    await page.route('**/store/orders', async (route) => {
      if (lists++ === 0) await first.promise;
      await route.fulfill({ body: `[${orders}]` }).catch(() => {});
    });
    await button('List orders').click();

    expect(await press('List orders')).toBe('200 OK  100,000 orders');
    await button('100 more').click();
    first.resolve();
    await page.unrouteAll({ behavior: 'wait' });

    expect(await text('#shown')).toBe('200 of 100,000 shown');
  });

  it('calls its own origin, whatever name of the host a proxy has replaced', async () => {
    await page.context().close();
    await open(service.baseUrl.replace(/127\.0\.0\.1(:\d+).*/, 'localhost$1/'));

    expect(await press('List orders')).toBe('200 OK  120 orders');
  });

  it('fits windows of 320 and 1280 pixels, and axe finds nothing, in any state', async () => {
    const faults: string[] = [];
    const look = async (state: string) => {
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const findings = await violations();
        faults.push(...findings.map((finding) => `${state}, ${width}: ${finding}`));
        const needed = await page.evaluate('document.documentElement.scrollWidth');
        if (needed !== width) faults.push(`${state}, ${width}: is ${needed} pixels wide`);
      }
    };

    await look('before a list');
    await press('List orders');
    await press(`Cancel order ${(await cells(3))[0]}`);
    await page.getByText('Headers and body').click();
    await look('after a cancellation');
    await page.locator('#rows tr').last().scrollIntoViewIfNeeded();
    for (const part of ['#summary', '#apiKey']) {
      const { y } = (await page.locator(part).boundingBox())!;
      if (y < 0 || y > 200) faults.push(`${part} is out of view while the orders scroll`);
    }
    await answerLists('{"code":"api_key_banned","message":"Wait.","status":429}', 429, {
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=0;t=298, "day";r=940;t=9000',
    });
    expect(await press('List orders')).toBe('429 Too Many Requests api_key_banned Wait.');
    expect(await text('#minuteText')).toBe('This minute: 0 of 60 left, resets in 298 seconds');
    await look('after a ban');
    await page.unroute('**/store/orders');
    await keyField().fill('so_test_wrong');
    await press('List orders');
    await look('after a refusal');

    expect(faults).toEqual([]);
  });
});
