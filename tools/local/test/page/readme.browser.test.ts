import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { keyPrefix } from '../../../../test/helpers/dynamodb/key-items.ts';
import { type Run, startRun } from '../running-service.ts';
import { openPage, startChromium } from './chromium.ts';

/** With this variable, the tests write what they check into the pictures that the README shows. */
const writesPictures = Boolean(process.env.README_PICTURES);
const anyKey = new RegExp(`${keyPrefix}\\w+`, 'g');
const shownKey = `${keyPrefix}…`;

let run: Run;
let shown: string;
let browser: Browser;

beforeAll(async () => {
  run = startRun(['--port', writesPictures ? '3000' : '0']);
  [shown, browser] = await Promise.all([run.started, startChromium()]);
});

afterAll(async () => {
  await browser.close();
  run.child.kill('SIGTERM');
  await run.exited;
});

async function takePicture(page: Page, name: string): Promise<void> {
  if (!writesPictures) return;
  const path = `docs/images/${name}.png`;
  await page.screenshot({ path, fullPage: name === 'terminal' });
}

describe('the pictures of the README', () => {
  it('show a page that lists the orders, and explains why one of them was not cancelled', async () => {
    const [url] = /http:\S+\/(?=\n)/.exec(shown)!;
    await using watched = await openPage(browser, url);
    const { page, offences } = watched;
    await page.getByLabel('Demo key').selectOption('pro: 300 per minute, 10,000 per day');
    await page.getByRole('button', { name: 'List orders' }).click();

    await page.getByRole('button', { name: 'Cancel order 1002' }).click();
    await page.locator('#rows small', { hasText: '409 order_already_shipped' }).waitFor();

    expect(offences).toEqual([]);
    const hideKey = `
      apiKey.value = '${shownKey}';
      curl.textContent = curl.textContent.replace(${anyKey}, '${shownKey}');`;
    await page.evaluate(hideKey);
    await takePicture(page, 'page');
  });

  it('show commands that npm start prints, and the answer to the first', async () => {
    const [, commands = ''] = shown.trimEnd().split('\nChoose a key:\n');
    const [choice = '', list = '', cancel = ''] = commands.split(/\n\n.*:\n/);
    const answerTo = async (command: string) =>
      (await promisify(execFile)('bash', ['-ec', `${choice}\n${command}`])).stdout;

    const listed = await answerTo(list);

    expect(listed).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*\r\nX-RateLimit-Limit: 60\r\n[\s\S]*\[\{"id":1001,/,
    );
    expect(await answerTo(cancel)).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
    const page = await browser.newPage({ viewport: { width: 740, height: 600 } });
    const blocks = [`<b>$ npm start</b>\n${shown.trimEnd()}`, `<b>$ ${list.trim()}</b>\n${listed}`];
    await page.setContent(`<style>
      body { margin: 0; padding: 4px 12px; background: #d9dfdd }
      pre { padding: 12px 16px; border-radius: 8px; background: #101415; color: #e6eaea;
        font: 13px/1.4 "DejaVu Sans Mono", monospace; white-space: pre-wrap; word-break: break-all }
      b { color: #fff }
    </style>${blocks.map((block) => `<pre>${block.replaceAll(anyKey, shownKey)}</pre>`).join('')}`);
    await takePicture(page, 'terminal');
    await page.close();
  });
});
