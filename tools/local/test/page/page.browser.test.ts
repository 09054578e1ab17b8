import { createServer, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { forEachPlan, plans } from '../../../../lib/settings/plans.ts';
import { listen } from '../../../../test/helpers/loopback-server.ts';
import { temporaryDirectoryOfFile } from '../../../../test/helpers/temporary-directory.ts';
import { localPage } from '../../page/local-page.ts';
import { type RunningService, startService } from '../running-service.ts';
import { openPage, startChromium, violations, type WatchedPage } from './chromium.ts';

// Odd and beyond 2^53: as a JavaScript number, not one of them would survive.
const orderIds = Array.from({ length: 120 }, (_, index) =>
  String(2n ** 53n + 1n + 2n * BigInt(index)),
);

const directory = temporaryDirectoryOfFile();
let service: RunningService;
let browser: Browser;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  const orders = directory.write('orders', orderIds.map((id) => `{"id":${id}}\n`).join(''));
  [service, browser] = await Promise.all([startService(['--orders', orders]), startChromium()]);
});

afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

beforeEach(async () => {
  watched = await openPage(browser, new URL('/', service.baseUrl).href);
  page = watched.page;
});

afterEach(async () => {
  const { offences } = watched;
  await watched[Symbol.asyncDispose]();
  expect(offences).toEqual([]);
});

const answer = () => page.locator('#lastAnswer');
const button = (name: string) => page.getByRole('button', { name, exact: true });
const cells = (row: number) => page.locator(`#orderRows tr:nth-child(${row}) td`).allTextContents();

/** Lists the orders, and waits until the answer is shown. */
async function listOrders(): Promise<string> {
  await button('List orders').click();
  await button('Stop').waitFor({ state: 'hidden' });
  return (await answer().textContent())!;
}

/** Cancels an order by its typed id, and waits until the answer is shown. */
async function cancelTyped(orderId: string): Promise<string> {
  await page.getByLabel('Order id').fill(orderId);
  await button('Cancel order').click();
  const shown = answer().filter({ hasText: `/store/orders/${orderId} ·` });
  return (await shown.textContent())!;
}

/** Answers lists with this text instead of the service. */
const answerLists = (body: string) =>
  page.route('**/store/orders', (route) => route.fulfill({ body }));

/** Presses Tab until an element is reached that is labelled so. */
async function tabTo(label: string): Promise<void> {
  for (let presses = 0; presses < 50; presses++) {
    await page.keyboard.press('Tab');
    if ((await focusedLabel()).startsWith(label)) return;
  }
  throw new Error(`Tab does not lead to ${label}`);
}

function focusedLabel(): Promise<string> {
  return page.evaluate(
    'document.activeElement.ariaLabel ?? (document.activeElement.textContent || document.activeElement.value)',
  );
}

/** Sends requests until the page is refused so. If the minute ends in between, it takes another. */
async function reachRefusal(code: string, requests: number): Promise<void> {
  const headers = { Authorization: `Bearer ${service.keys.free}` };
  for (let minute = 0; minute < 3 && !(await answer().textContent())?.includes(code); minute++) {
    const sent = Array.from({ length: requests + 1 }, () =>
      fetch(`${service.baseUrl}/pets/1`, { headers }),
    );
    await Promise.all(sent);
    await listOrders();
  }
  expect(await answer().textContent()).toContain(code);
}

describe('the page of a local run', () => {
  it('lists the orders with a suggested key, with every digit of their ids, and what is left of its limits', async () => {
    await button('enterprise: 60,000 per minute').click();
    expect(await page.getByLabel('API key').inputValue()).toBe(service.keys.enterprise);
    await listOrders();
    const day = page.getByRole('meter', { name: 'Today' });
    const before = Number(await day.getAttribute('value'));

    expect(await listOrders()).toMatch(/^200 120 orders/);

    const shownIds = await page.locator('#orderRows td:first-child').allTextContents();
    expect(shownIds).toHaveLength(100);
    expect(orderIds).toEqual(expect.arrayContaining(shownIds));
    expect(await page.textContent('#moreOrders')).toBe('The first 100 of 120 orders.');
    expect(Number(await day.getAttribute('value'))).toBe(before - 1);
    expect(await page.textContent('#requestsLeft')).toMatch(
      /^This minute: [\d,]+ of 60,000 left until \d\d:\d\d UTC/,
    );
    expect(await page.textContent('#requestsLeft')).toContain('left until 00:00 UTC');
  });

  it('shows absent fields as absent, and texts that look like ids unchanged', async () => {
    const text = '\\"id\\":5 {';
    await answerLists(`[{"id":-9223372036854775808,"petId" : 1},{"id":2,"shipDate":"${text}"}]`);

    expect(await listOrders()).toMatch(/^200 2 orders/);

    const least = '-9223372036854775808';
    expect(await cells(1)).toEqual([least, '1', 'absent', 'absent', 'absent', 'Cancel ']);
    expect(await cells(2)).toEqual(['2', 'absent', 'absent', '"id":5 {', 'absent', 'Cancel ']);
  });

  it('takes a list that was cut off for an error', async () => {
    await answerLists('[{"id":1},');

    expect(await listOrders()).toMatch(/^200 no complete answer /);
    expect(await page.locator('#firstOrders').isVisible()).toBe(false);
  });

  it('counts 100,000 orders while they arrive, shows the first hundred, and can be stopped', async () => {
    const orders = Array.from({ length: 100_000 }, (_, index) => `{"id":${index}}`);
    const responses: ServerResponse[] = [];
    const showPage = localPage({
      basePath: '/v1',
      demoKeys: forEachPlan(() => 'a-key'),
      exampleOrderId: async () => undefined,
    });
    const server = createServer(async (request, response) => {
      if (await showPage(request, response)) return;
      responses.push(response);
      response.write(`[${orders.slice(0, 70_000)}`);
    });
    await using served = await listen(server);
    await watched[Symbol.asyncDispose]();
    watched = await openPage(browser, served.url);
    page = watched.page;
    const untilCounted = () => page.getByText('70,000 orders so far', { exact: true }).waitFor();

    await button('List orders').click();
    await untilCounted();
    await button('Stop').click();
    await page.getByText('Stopped: 70,000 orders so far.').waitFor();
    expect(await focusedLabel()).toBe('List orders');
    await button('List orders').click();
    await untilCounted();
    responses[1]!.end(`,${orders.slice(70_000)}]`);
    await button('Stop').waitFor({ state: 'hidden' });

    expect(responses[0]!.destroyed).toBe(true);
    expect(await answer().textContent()).toMatch(/^200 100,000 orders/);
    expect(await page.locator('#orderRows tr').count()).toBe(100);
  });

  it.each(['so_test_wrong', 'ключ', ''])('sends the key that is typed: "%s"', async (key) => {
    await page.getByLabel('API key').fill(key);

    const shown = await listOrders();

    expect(shown).toMatch(key === 'ключ' ? /^Error no complete answer / : /^401 unauthorized /);
    expect(await page.textContent('#requestsLeft')).toMatch(/^The limits of a valid key are/);
  });

  it('names method, path and request id of an error, and leads to what to do about it', async () => {
    let before: string | null = null;
    await page.route('**/orders/007', async (route) => {
      before = await answer().textContent();
      await route.continue();
    });
    const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');

    expect(await cancelTyped('007')).toMatch(/^400 invalid_order_id The order id must be/);

    const requestId = (await answered).headers()['x-amz-apigw-id'];
    const { pathname } = new URL(service.baseUrl);
    expect(requestId).toBeDefined();
    expect(before).toBe('Waiting …');
    expect(await answer().textContent()).toContain(`DELETE ${pathname}/store/orders/007 · `);
    expect(await answer().textContent()).toContain(`request id ${requestId}`);
    await answer().getByRole('link', { name: 'invalid_order_id' }).click();
    expect(await page.textContent('tr:target')).toMatch(/400\s+invalid_order_id/);
  });

  it('sends every digit of an id that is typed, and begins with that of an order that exists', async () => {
    expect(orderIds).toContain(await page.getByLabel('Order id').inputValue());
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');

    expect(await cancelTyped('9223372036854775807')).toMatch(/^404 order_not_found/);

    expect((await sent).url()).toBe(`${service.baseUrl}/store/orders/9223372036854775807`);
  });

  it('can be used with the keyboard alone, with a ring around the focus', async () => {
    await tabTo('pro: 300 per minute');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('API key').inputValue()).toBe(service.keys.pro);
    await tabTo('List orders');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#orderRows tr');

    await tabTo('Cancel order 9');
    await page.keyboard.press('Enter');

    await page.locator('#orderRows small', { hasText: 'cancelled' }).waitFor();
    expect(await focusedLabel()).toMatch(/^Cancel order 9/);
    const ring = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(ring).toBe('solid');
  });

  it('marks the section that is read in the navigation', async () => {
    const current = page.locator('nav a[aria-current]');
    expect(await current.allTextContents()).toEqual(['Writing a client']);

    for (const link of (await page.locator('nav a').all()).reverse()) {
      await link.click();
      await current.getByText((await link.textContent())!, { exact: true }).waitFor();
    }
  });

  it('copies code without the button', async () => {
    const code = page.locator('pre').first();
    await code.getByRole('button', { name: 'Copy' }).click();
    await code.getByRole('button', { name: 'Copied' }).waitFor();

    const copied = await page.evaluate('navigator.clipboard.readText()');

    expect(copied).toBe(await code.locator('code').textContent());
  });

  it('can be read without JavaScript', async () => {
    await using still = await openPage(browser, page.url(), { javaScriptEnabled: false });

    const isShown = (part: string) => still.page.locator(part).first().isVisible();

    expect(await isShown('noscript p')).toBe(true);
    expect(await isShown('text=order_already_shipped')).toBe(true);
    expect(await isShown('#orderConsole')).toBe(false);
    expect(await still.page.getByText('Copy', { exact: true }).count()).toBe(0);
    expect(still.offences).toEqual([]);
  });

  it.each([360, 768, 1280])('cuts off no column in a window of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    await listOrders();

    const cutOff = await page
      .locator('figure:visible')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);

    expect(cutOff).toBe(0);
  });

  it('prints the whole guide in black on white, and no console', async () => {
    await listOrders();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const hidden = ['nav', '#orderConsole', '#tryIt', 'pre button', 'h3 > a'];

    const cutOff = await page
      .locator('figure:visible, pre')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth));

    for (const part of hidden) expect(await page.locator(part).first().isVisible()).toBe(false);
    expect(cutOff).toEqual([]);
    const colours =
      'getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor';
    expect(await page.evaluate(colours)).toBe('rgb(0, 0, 0)rgb(255, 255, 255)');
  });

  it('fits a window of 320 pixels, and axe finds nothing, in any state of the console', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    const faults: string[] = [];
    const look = async (state: string, part = '#orderConsole') => {
      const findings = await violations(page, part);
      faults.push(...findings.map((finding) => `${state}: ${finding}`));
      const width = await page.evaluate('document.documentElement.scrollWidth');
      if (width !== 320) faults.push(`${state}: is ${width} pixels wide`);
    };

    await look('before a list', 'html');
    await listOrders();
    await look('after a list');
    await cancelTyped(orderIds[40]!);
    await look('after a cancellation');
    await reachRefusal('rate_limit_exceeded', plans.free.perMinute);
    await look('after a limit');
    expect(await page.textContent('#requestsLeft')).toMatch(
      /^This minute: 0 of 60 .*Requests are accepted again at \d\d:\d\d:\d\d UTC\.$/,
    );
    await reachRefusal('api_key_banned', plans.free.toleratedRejectionsPerMinute);
    await look('after a ban');

    expect(faults).toEqual([]);
    expect(await answer().textContent()).toMatch(/^429 api_key_banned .* Retry after \d+ seconds/);
    expect(await page.textContent('#requestsLeft')).toMatch(
      /^Requests are accepted again at \d\d:\d\d:\d\d UTC\.$/,
    );
  });
});
