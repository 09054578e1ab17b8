import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { plans } from '../../lib/settings/plans.ts';
import { type RunningService, startServiceWith } from '../contract/running-service.ts';
import { contrast, seriousFindings, sidewaysOverflow } from './accessibility.ts';
import { openPage, type PageOptions, startChromium, type WatchedPage } from './chromium.ts';

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

beforeEach(() => open());

afterEach(() => close());

async function open(options: PageOptions = {}): Promise<void> {
  watched = await openPage(browser, new URL('/', service.baseUrl).href, options);
  page = watched.page;
}

async function close(): Promise<void> {
  const { offences } = watched;
  await watched[Symbol.asyncDispose]();
  expect(offences).toEqual([]);
}

async function reopen(options: PageOptions): Promise<void> {
  await close();
  await open(options);
}

const status = () => page.textContent('#status');
const minuteLeft = () => page.textContent('#left-minute');
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function pickPlan(plan: string): Promise<void> {
  await page.locator(`input[value=${plan}]`).check();
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

function copied(): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()');
}

describe('reference page in a browser', () => {
  it('offers the demo keys of all plans, and keeps the chosen plan on reload, but no key', async () => {
    for (const [plan, key] of Object.entries(service.keys)) {
      await pickPlan(plan);
      expect(await page.textContent('#key')).toBe(key);
    }
    await pickPlan('business');

    await page.reload();

    expect(await page.textContent('#key')).toBe(service.keys.business);
    const kept = await page.evaluate('JSON.stringify([{...localStorage}, {...sessionStorage}])');
    expect(kept).toContain('business');
    expect(kept).not.toContain('so_test_');
    expect(page.url()).toBe(new URL('/', service.baseUrl).href);
  });

  it('lists the orders with the picked key, with every digit of their ids', async () => {
    await pickPlan('pro');

    await listOrders();

    const shownIds = await page.locator('#rows td:first-child').allTextContents();
    expect(shownIds).toHaveLength(100);
    expect(orderIds).toEqual(expect.arrayContaining(shownIds));
    expect(await status()).toMatch(/^200 120 orders/);
    expect(await minuteLeft()).toMatch(
      new RegExp(` of ${numbers.format(plans.pro.perMinute)} left$`),
    );
  });

  it('shows what is left of a limit falling by one with every request', async () => {
    await pickPlan('enterprise');
    await listOrders();
    const day = page.getByRole('meter', { name: 'Day (UTC)' });
    const before = Number(await day.getAttribute('aria-valuenow'));

    await listOrders();

    expect(Number(await day.getAttribute('aria-valuenow'))).toBe(before - 1);
  });

  it('names method, path and request id of an error', async () => {
    const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await cancelTyped('007');

    const requestId = (await answered).headers()['x-amzn-requestid'];
    const { pathname } = new URL(service.baseUrl);
    expect(requestId).toBeDefined();
    expect(await status()).toMatch(/^400 invalid_order_id The order id must be/);
    expect(await status()).toContain(`DELETE ${pathname}/store/orders/007 · `);
    expect(await status()).toContain(`request id ${requestId}`);
  });

  it('offers no cancellation of what it has seen cancelled or shipped, after a reload neither', async () => {
    await pickPlan('business');
    const [pending, shipped] = orderIds.slice(20, 22) as [string, string];
    await cancelTyped(pending);
    await cancelTyped(shipped);
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await listOrders();

      for (const [id, outcome] of [
        [pending, 'cancelled'],
        [shipped, 'shipped'],
      ] as const) {
        const row = page.locator(`tr[data-id="${id}"]`);
        expect(await row.getByRole('button').count()).toBe(0);
        expect(await row.getByText(outcome, { exact: true }).count()).toBe(1);
        for (const [form, label] of [
          ['#cancel-form', 'Order id'],
          ['#cancelOrder', 'orderId'],
        ] as const) {
          await page.locator(form).getByLabel(label).fill(id);
          expect(await page.locator(`${form} button[type=submit]`).isDisabled()).toBe(true);
        }
      }
    }
  });

  it('still offers a cancellation that was refused for the moment', async () => {
    await pickPlan('business');
    await listOrders();
    await page.route('**/store/orders/*', (route) =>
      route.fulfill({ status: 503, json: { code: 'service_unavailable', message: 'Retry.' } }),
    );
    const row = page.locator(`tr[data-id="${orderIds[30]}"]`);

    await row.getByRole('button').click();

    await page.locator('#status', { hasText: 'service_unavailable' }).waitFor();
    expect(await row.getByRole('button').count()).toBe(1);
  });

  it('can be used with the keyboard alone, with a ring of at least 3:1 around the focus', async () => {
    await page.keyboard.press('Tab');
    expect(await focusedLabel()).toBe('Skip to the reference');
    await tabTo('free');
    await page.keyboard.press('ArrowRight');
    expect(await page.textContent('#key')).toBe(service.keys.pro);
    await tabTo('List orders');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#rows tr');

    await tabTo('Cancel order 9');
    await page.keyboard.press('Enter');

    await page.waitForSelector('#rows tr[data-outcome]');
    expect(await focusedLabel()).toMatch(/^Cancel order 9/);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const [ring, ...grounds]: string[] = await page.evaluate(
        `[getComputedStyle(document.activeElement).outlineColor,
          ...['body', '.panel', '.allowance'].map((one) =>
            getComputedStyle(document.querySelector(one)).backgroundColor)]`,
      );
      for (const ground of grounds) expect(contrast(ring!, ground)).toBeGreaterThanOrEqual(3);
    }
  });

  it('executes an operation of the reference, and shows every digit of the ids', async () => {
    await pickPlan('business');
    const operation = page.locator('#listOrders');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.locator('.answer-details').waitFor();

    const body = await operation.locator('.answer-details details[open]').textContent();
    const shownIds = [...body!.matchAll(/"id": (\d+)/g)].map(([, id]) => id);
    expect(shownIds).toHaveLength(100);
    expect(orderIds).toEqual(expect.arrayContaining(shownIds));
    expect(await minuteLeft()).toMatch(
      new RegExp(` of ${numbers.format(plans.business.perMinute)} left$`),
    );
  });

  it('sends every digit of an id that is typed into the reference', async () => {
    const operation = page.locator('#cancelOrder');
    await operation.getByLabel('orderId').fill('9223372036854775807');
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await operation.getByRole('button', { name: 'Send' }).click();

    expect((await sent).url()).toBe(`${service.baseUrl}/store/orders/9223372036854775807`);
    await operation.getByText('order_not_found').first().waitFor();
  });

  it('copies curl commands for both operations, with the picked key and an order that exists', async () => {
    const authorization = `-H 'Authorization: Bearer ${service.keys.free}'`;
    const orderId = await page.getByLabel('Order id').inputValue();
    expect(orderIds).toContain(orderId);

    await button('Copy curl for listing').click();
    await page.getByText('Copied', { exact: true }).first().waitFor();
    expect(await copied()).toBe(`curl -i ${authorization} '${service.baseUrl}/store/orders'`);
    await button('Copy curl for cancelling').click();
    await page.locator('#copy-cancel', { hasText: 'Copied' }).waitFor();

    expect(await copied()).toBe(
      `curl -i -X DELETE ${authorization} '${service.baseUrl}/store/orders/${orderId}'`,
    );
  });

  it('follows a preference for dark', async () => {
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();

    await page.emulateMedia({ colorScheme: 'dark' });

    expect(contrast(String(await ground()), light as string)).toBeGreaterThan(10);
  });

  it('fits a window of 320 pixels, and axe finds nothing serious in what is tried, in any state', async () => {
    await reopen({ viewport: { width: 320, height: 800 } });
    const faults: string[] = [];
    const look = async (state: string) => {
      const findings = await seriousFindings(page, '#try');
      faults.push(...findings.map((finding) => `${state}: ${finding}`));
      if ((await sidewaysOverflow(page)) > 0) faults.push(`${state}: scrolls sideways`);
    };

    await look('before a list');
    await page.evaluate('document.getElementById("earlier").open = true');
    await listOrders();
    await cancelTyped(orderIds[40]!);
    await look('after a list');
    await reachRefusal('rate_limit_exceeded', plans.free.perMinute);
    await look('after a limit');
    await reachRefusal('api_key_banned', plans.free.toleratedRejectionsPerMinute);
    await look('after a ban');

    expect(faults).toEqual([]);
    expect(await page.textContent('#refusal')).toMatch(/^This key is banned: served again in \d/);
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
