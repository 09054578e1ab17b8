import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { staticReference } from '../../reference/static-reference.ts';
import { serve } from '../helpers/loopback-server.ts';
import { temporaryDirectory } from '../helpers/temporary-directory.ts';
import { seriousFindings, sidewaysOverflow } from './accessibility.ts';
import { openPage, startChromium } from './chromium.ts';

const contract = readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8');
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
  const files = await staticReference({ baseUrl: `${stageUrl}/v1`, contract });
  for (const [name, content] of Object.entries(files)) directory.write(name, content);
  return pathToFileURL(join(directory.path, 'index.html')).href;
}

const phone = { viewport: { width: 320, height: 800 } };

describe('static reference in a browser, opened from a disk', () => {
  it('fits 320 pixels, has no serious finding of axe, and offers no request that the stage refuses', async () => {
    await using stage = await serve((_, response) => void response.writeHead(401).end());
    const url = await writeReference(stage.url);
    await using watched = await openPage(browser, url, { apiOrigin: stage.url, ...phone });
    const { page } = watched;

    await page.locator('#reach[data-state=refused]').waitFor();

    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
    await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))');
    expect(await sidewaysOverflow(page)).toBe(0);
    expect(await seriousFindings(page, 'html')).toEqual([]);
  });

  it('sends requests with the key that the reader enters where the stage allows it', async () => {
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
    const operation = page.locator('#cancelOrder');
    await operation.getByLabel('orderId').fill('5');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText('request-1').first().waitFor();

    expect(await operation.locator('.answer').textContent()).toMatch(/^204 No body\.DELETE \/v1/);
    expect(keys).toEqual(['Bearer a-key']);
    expect(offences).toEqual([]);
  });
});
