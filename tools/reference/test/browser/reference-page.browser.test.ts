import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { plans } from '../../../../lib/settings/plans.ts';
import { type RunningService, startServiceWith } from '../../../start/test/running-service.ts';
import { sidewaysOverflow, violations } from './accessibility.ts';
import { openPage, startChromium, type WatchedPage } from './chromium.ts';

// Odd and beyond 2^53: as a JavaScript number, not one of them would survive.
const numbers = new Intl.NumberFormat('en');
const orderIds = Array.from({ length: 120 }, (_, index) =>
  String(2n ** 53n + 1n + 2n * BigInt(index)),
);

let service: RunningService;
let browser: Browser;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    startServiceWith(orderIds.map(orderLine).join('')),
    startChromium(),
  ]);
});

afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

function orderLine(id: string, index: number): string {
  const status = index % 2 === 0 ? 'pending' : 'shipped';
  const order = `"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false`;
  return `{"id":${id},${order},"status":"${status}"}\n`;
}

beforeEach(async () => {
  watched = await openPage(browser, new URL('/', service.baseUrl).href);
  page = watched.page;
});

afterEach(async () => {
  const { offences } = watched;
  await watched[Symbol.asyncDispose]();
  expect(offences).toEqual([]);
});

const status = () => page.textContent('#status');
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function pickPlan(plan: string): Promise<void> {
  await page.getByRole('radio', { name: plan }).check();
}

async function listOrders(): Promise<void> {
  const listed = page.waitForResponse((response) => response.url().endsWith('/store/orders'));
  await pressList();
  expect((await listed).status()).toBe(200);
}

/** Presses, and waits until the answer is shown. */
async function pressList(): Promise<void> {
  await button('List orders').click();
  await page.locator('#progress').waitFor({ state: 'hidden' });
}

async function cancelTyped(orderId: string): Promise<void> {
  await page.getByLabel('Order id').fill(orderId);
  await button('Cancel order').click();
  await page.locator('#status', { hasText: `/store/orders/${orderId} ·` }).waitFor();
}

async function isWithinWindow(selector: string): Promise<boolean> {
  const { y, height } = (await page.locator(selector).boundingBox())!;
  return y >= 0 && y + height <= page.viewportSize()!.height;
}

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

describe('reference page in a browser', () => {
  it('lists the orders with the picked key, with every digit of their ids, and what is left of its limits', async () => {
    await pickPlan('enterprise');
    expect(await page.textContent('#key')).toBe(service.keys.enterprise);
    await listOrders();
    const day = page.getByRole('meter', { name: 'Today (UTC)' });
    const before = Number(await day.getAttribute('value'));

    await listOrders();

    const shownIds = await page.locator('#rows td:first-child').allTextContents();
    expect(shownIds).toHaveLength(100);
    expect(orderIds).toEqual(expect.arrayContaining(shownIds));
    expect(await status()).toMatch(/^200 120 orders/);
    const limit = numbers.format(plans.enterprise.perMinute);
    expect(await page.textContent('#left-minute')).toMatch(new RegExp(`^[\\d,]+ of ${limit}$`));
    expect(Number(await day.getAttribute('value'))).toBe(before - 1);
  });

  it('lists 100,000 orders, and shows the first hundred', async () => {
    const orders = Array.from({ length: 100_000 }, (_, index) => `{"id":${index}}`);
    await page.route('**/store/orders', (route) => route.fulfill({ body: `[${orders}]` }));

    await pressList();

    expect(await status()).toMatch(/^200 100,000 orders/);
    expect(await page.textContent('#more')).toBe('The first 100 of 100,000 orders.');
    expect(await page.locator('#rows tr').count()).toBe(100);
  });

  it('names method, path and request id of an error', async () => {
    const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await cancelTyped('007');

    await page.locator('#status').getByRole('link', { name: 'invalid_order_id' }).click();
    await page.locator('#error-invalid_order_id:target').waitFor();
    const requestId = (await answered).headers()['x-amz-apigw-id'];
    const { pathname } = new URL(service.baseUrl);
    expect(requestId).toBeDefined();
    expect(await status()).toMatch(/^400 invalid_order_id The order id must be/);
    expect(await status()).toContain(`DELETE ${pathname}/store/orders/007 · `);
    expect(await status()).toContain(`request id ${requestId}`);
  });

  it('sends every digit of an id that is typed, and begins with that of an order that exists', async () => {
    expect(orderIds).toContain(await page.getByLabel('Order id').inputValue());
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');

    await cancelTyped('9223372036854775807');

    expect((await sent).url()).toBe(`${service.baseUrl}/store/orders/9223372036854775807`);
    expect(await status()).toMatch(/^404 order_not_found/);
    // Nothing is listed yet.
    expect(await page.locator('#orders').isVisible()).toBe(false);
  });

  it('shows in the list what became of an order, unless its cancellation may be tried again', async () => {
    await pickPlan('business');
    await listOrders();
    const [pending, shipped, refused] = orderIds.slice(20, 23) as [string, string, string];
    await cancelTyped(pending);
    await cancelTyped(shipped);
    await page.route('**/store/orders/*', (route) =>
      route.fulfill({ status: 503, json: { code: 'service_unavailable', message: 'Retry.' } }),
    );
    await cancelTyped(refused);

    const shown = () =>
      Promise.all(
        [pending, shipped, refused].map((id) =>
          page.locator(`tr[data-id="${id}"] td:last-child`).textContent(),
        ),
      );

    expect(await shown()).toEqual(['cancelled', 'shipped', 'Cancelservice_unavailable']);
    await listOrders();
    expect(await shown()).toEqual(['cancelled', 'shipped', 'Cancel']);
  });

  it('can be used with the keyboard alone, with a ring around the focus', async () => {
    await page.keyboard.press('Tab');
    expect(await focusedLabel()).toBe('Skip to the reference');
    await tabTo(service.keys.free);
    await page.keyboard.press('ArrowRight');
    expect(await page.textContent('#key')).toBe(service.keys.pro);
    await tabTo('List orders');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#rows tr');

    await tabTo('Cancel order 9');
    await page.keyboard.press('Enter');

    await page.waitForSelector('#rows button[aria-disabled]');
    expect(await focusedLabel()).toMatch(/^Order 9\d+ is (cancelled|shipped)$/);
    const ring = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(ring).toBe('solid');
  });

  it('unfolds one sample at a time, by the keyboard too, and prints all of them and no console', async () => {
    const samples = page.locator('#cancelOrder .samples figure');
    const shown = () => samples.evaluateAll((all) => all.map((one) => one.checkVisibility()));

    expect(await shown()).toEqual([true, false, false]);
    await page.locator('#cancelOrder summary', { hasText: 'JavaScript' }).press('Enter');
    expect(await shown()).toEqual([false, true, false]);
    await page.emulateMedia({ media: 'print' });
    expect(await shown()).toEqual([true, true, true]);
    for (const part of ['#console', 'nav', 'button']) {
      expect(await page.locator(part).first().isVisible()).toBe(false);
    }
  });

  it('copies a sample', async () => {
    await page.getByRole('button', { name: 'Copy the curl sample' }).first().click();
    await page.getByText('Copied', { exact: true }).waitFor();

    const copied = await page.evaluate('navigator.clipboard.readText()');

    expect(copied).toContain(`'${service.baseUrl}/store/orders'`);
  });

  it('fits a window of 320 pixels, and axe finds nothing in the console, in any state', async () => {
    await page.setViewportSize({ width: 320, height: 800 });
    const faults: string[] = [];
    const look = async (state: string) => {
      const findings = await violations(page, '#try');
      faults.push(...findings.map((finding) => `${state}: ${finding}`));
      if ((await sidewaysOverflow(page)) > 0) faults.push(`${state}: scrolls sideways`);
    };

    await look('before a list');
    await listOrders();
    await look('after a list');
    await page.setViewportSize({ width: 320, height: 480 });
    await cancelTyped(orderIds[40]!);
    if (!(await isWithinWindow('#status'))) faults.push('the answer is outside of a low window');
    await page.setViewportSize({ width: 320, height: 800 });
    await reachRefusal('rate_limit_exceeded', plans.free.perMinute);
    await look('after a limit');
    await reachRefusal('api_key_banned', plans.free.toleratedRejectionsPerMinute);
    await look('after a ban');

    expect(faults).toEqual([]);
    expect(await page.textContent('#refusal')).toMatch(/^Served again at \d/);
    expect(await status()).toMatch(/^429 api_key_banned .* Retry after \d+ seconds/);
  });
});

/** Sends requests until the page is refused so. Where the minute ends in between, it takes another. */
async function reachRefusal(code: string, requests: number): Promise<void> {
  const headers = { Authorization: `Bearer ${service.keys.free}` };
  for (let minute = 0; minute < 3 && !(await status())?.includes(code); minute++) {
    const sent = Array.from({ length: requests + 1 }, () =>
      fetch(`${service.baseUrl}/pets/1`, { headers }),
    );
    await Promise.all(sent);
    await pressList();
  }
  expect(await status()).toContain(code);
}
