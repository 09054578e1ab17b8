import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { serve } from '../../../../test/helpers/loopback-server.ts';
import { temporaryDirectory } from '../../../../test/helpers/temporary-directory.ts';
import { staticReference } from '../../reference-command.ts';
import { sidewaysOverflow, violations } from './accessibility.ts';
import { openPage, startChromium } from './chromium.ts';

// A port on which nothing listens.
const nowhere = 'http://127.0.0.1:9';
const directory = temporaryDirectory();
let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});

afterAll(async () => {
  await browser.close();
  directory.remove();
});

/** Writes the reference of a stage, and gives the address of the page on the disk. */
async function writeReference(stageUrl: string): Promise<string> {
  const files = await staticReference(`${stageUrl}/v1`);
  for (const [name, content] of Object.entries(files)) directory.write(name, content);
  return pathToFileURL(join(directory.path, 'index.html')).href;
}

describe('static reference in a browser, opened from a disk', () => {
  it('fits 320 pixels, and axe finds nothing', async () => {
    const viewport = { width: 320, height: 800 };
    await using watched = await openPage(browser, await writeReference(nowhere), { viewport });
    const { page } = watched;
    await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))');

    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await violations(page, 'html')).toEqual([]);
  });

  it('can be read without JavaScript', async () => {
    const url = await writeReference(nowhere);
    await using watched = await openPage(browser, url, { javaScriptEnabled: false });
    const { page, offences } = watched;

    expect(await page.locator('noscript p').isVisible()).toBe(true);
    expect(await page.locator('#schema-Order').isVisible()).toBe(true);
    await page.locator('#listOrders').getByText('Python', { exact: true }).first().click();
    expect(await page.getByText('import requests').first().isVisible()).toBe(true);
    expect(offences).toEqual([]);
  });

  it('sends requests with the key that the reader types where the stage allows it', async () => {
    const keys: (string | undefined)[] = [];
    await using stage = await serve(({ method, headers }, response) => {
      if (method === 'DELETE') keys.push(headers.authorization);
      response.writeHead(method === 'DELETE' ? 204 : 200, {
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Methods': 'DELETE',
        'Access-Control-Allow-Headers': 'Authorization',
        'Access-Control-Expose-Headers': 'x-amzn-RequestId',
        'x-amzn-RequestId': 'request-1',
      });
      response.end();
    });
    const url = await writeReference(stage.url);
    await using watched = await openPage(browser, url, { apiOrigin: stage.url });
    const { page, offences } = watched;

    await page.getByLabel('API key').fill('a-key');
    await page.getByLabel('Order id').fill('5');
    await page.getByRole('button', { name: 'Cancel order' }).click();
    await page.getByText('request-1').waitFor();

    expect(await page.textContent('#status')).toMatch(
      /^204 Order 5 is cancelled\. It stays in the list, .*\.DELETE \/v1/,
    );
    expect(keys).toEqual(['Bearer a-key']);
    expect(offences).toEqual([]);
  });

  it('says why no request is possible where the stage does not allow the page', async () => {
    await using stage = await serve((_, response) => void response.writeHead(401).end());
    const url = await writeReference(stage.url);
    await using watched = await openPage(browser, url, { apiOrigin: stage.url });

    await watched.page.getByRole('button', { name: 'List orders' }).click();

    await watched.page.locator('#status', { hasText: 'no complete answer' }).waitFor();
    expect(await watched.page.textContent('#status')).toContain('CORS');
  });
});
