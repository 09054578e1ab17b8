import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { plans } from '../../lib/settings/plans.ts';
import { type RunningService, startServiceWith } from '../contract/running-service.ts';
import { openPage, type WatchedPage } from './chromium.ts';

// Odd and beyond 2^53: as a JavaScript number, not one of them would survive.
const numbers = new Intl.NumberFormat('en');
const orderIds = Array.from({ length: 120 }, (_, index) =>
  String(2n ** 53n + 1n + 2n * BigInt(index)),
);

let service: RunningService;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  service = await startServiceWith(orderIds.map(orderLine).join(''));
});

afterAll(() => service[Symbol.asyncDispose]());

function orderLine(id: string, index: number): string {
  const status = index % 2 === 0 ? 'pending' : 'shipped';
  const order = `"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false`;
  return `{"id":${id},${order},"status":"${status}"}\n`;
}

beforeEach(async () => {
  watched = await openPage(new URL('/', service.baseUrl).href);
  page = watched.page;
});

afterEach(async () => {
  const { offences } = watched;
  await watched[Symbol.asyncDispose]();
  expect(offences).toEqual([]);
});

const remaining = async () => Number((await page.textContent('#remaining'))?.replaceAll(',', ''));
const status = () => page.textContent('#status');

async function pickPlan(plan: string): Promise<void> {
  await page.locator(`input[value=${plan}]`).check({ force: true });
}

async function listOrders(): Promise<void> {
  await pressList();
  expect(await status()).toMatch(/^200/);
}

async function pressList(): Promise<void> {
  await page.getByRole('button', { name: 'List orders', exact: true }).click();
  await page.locator('#status', { hasText: /^\d{3}/ }).waitFor();
}

/** Presses Tab until an element is reached that is labelled so. */
async function tabTo(label: string): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
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
  it('offers the demo keys of all plans', async () => {
    for (const [plan, key] of Object.entries(service.keys)) {
      await pickPlan(plan);
      expect(await page.textContent('#key')).toBe(key);
    }
  });

  it('lists the orders with the picked key, with every digit of their ids', async () => {
    await pickPlan('pro');

    await listOrders();

    const shownIds = await page.locator('#rows td:first-child').allTextContents();
    expect(shownIds).toHaveLength(100);
    expect(orderIds).toEqual(expect.arrayContaining(shownIds));
    expect(await status()).toMatch(/^200GET \/store\/orders: 120 orders/);
    expect(await page.textContent('#remaining-label')).toBe(
      `of ${numbers.format(plans.pro.perMinute)} requests remaining`,
    );
  });

  it('shows Remaining falling by one with every request', async () => {
    await pickPlan('enterprise');
    await listOrders();
    const before = await remaining();

    await listOrders();

    expect(await remaining()).toBe(before - 1);
    const limit = numbers.format(plans.enterprise.perMinute);
    expect(await page.textContent('#brief')).toMatch(new RegExp(` of ${limit} left$`));
  });

  it('cancels a pending order', async () => {
    const [orderId] = orderIds;
    await page.getByLabel('Order id').fill(orderId!);
    await page.keyboard.press('Enter');

    await page.getByText(`order ${orderId} is cancelled`).waitFor();
  });

  it('marks an order of the list as cancelled, and says why another is not', async () => {
    await listOrders();
    const rows = page.locator('#rows tr');
    for (let row = 0; row < 20; row++) {
      await rows.nth(row).getByRole('button').click();
      await rows
        .nth(row)
        .getByText(/^(cancelled|order_already_\w+)$/)
        .waitFor();
    }

    expect(await rows.getByText('cancelled', { exact: true }).count()).toBeGreaterThan(0);
    expect(await rows.getByText('order_already_shipped').count()).toBeGreaterThan(0);
  });

  it('says why an order id is refused', async () => {
    await page.getByLabel('Order id').fill('007');
    await page.getByRole('button', { name: 'Cancel order', exact: true }).click();

    await page.locator('#status', { hasText: 'invalid_order_id' }).waitFor();
    expect(await status()).toMatch(/^400invalid_order_id: /);
  });

  it('can be used with the keyboard alone', async () => {
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
  });

  it('executes an operation of the reference, and shows every digit of the ids', async () => {
    await pickPlan('business');
    const operation = page.locator('#operations-Orders-listOrders');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const response = operation.locator('.live-responses-table');
    await response.waitFor();

    const shownIds = [...((await response.textContent()) ?? '').matchAll(/"id": (\d+)/g)].map(
      ([, id]) => id,
    );
    expect(shownIds).toHaveLength(100);
    expect(orderIds).toEqual(expect.arrayContaining(shownIds));
    expect(await page.textContent('#remaining-label')).toBe(
      `of ${numbers.format(plans.business.perMinute)} requests remaining`,
    );
  });

  it('sends every digit of an id that is typed into the reference', async () => {
    const operation = page.locator('#operations-Orders-cancelOrder');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('input[placeholder=orderId]').fill('9223372036854775807');
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await operation.getByRole('button', { name: 'Execute' }).click();

    expect((await sent).url()).toBe(`${service.baseUrl}/store/orders/9223372036854775807`);
  });

  it('copies a curl command with the picked key', async () => {
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied.').waitFor();

    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(
      `curl -i -H 'Authorization: Bearer ${service.keys.free}' '${service.baseUrl}/store/orders'`,
    );
  });

  it('shows the limit when it is reached', async () => {
    await pickPlan('free');
    // Where the minute ends in between, another one has to be used up.
    for (let minute = 0; minute < 2 && !(await status())?.startsWith('429'); minute++) {
      await useUp(service.keys.free);
      await pressList();
    }

    expect(await status()).toMatch(/^429rate_limit_exceeded: .* Retry after \d+ seconds/);
    expect(await remaining()).toBe(0);
    expect(await page.getAttribute('#allowance', 'data-state')).toBe('spent');
  });
});

async function useUp(key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}` };
  for (let sent = 0; sent < 130; sent++) {
    if ((await fetch(`${service.baseUrl}/pets/1`, { headers })).status === 429) return;
  }
}
