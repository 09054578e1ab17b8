import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** A page, and what happened in it that should not have. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** Requests that left the origin, errors in the console, exceptions, violations of the policy. */
  readonly offences: string[];
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Opens a page in a new headless Chromium that remembers nothing. */
export async function openPage(url: string): Promise<WatchedPage> {
  const directory = await mkdtemp(join(tmpdir(), 'store-orders-browser-'));
  const context = await chromium.launchPersistentContext(directory, {
    executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
    args: flags,
    headless: true,
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const offences = watch(page, new URL(url).origin);
  await page.goto(url);
  await page.waitForSelector('.opblock');
  return {
    page,
    offences,
    async [Symbol.asyncDispose]() {
      await close(context, directory);
    },
  };
}

function watch(page: Page, origin: string): string[] {
  const offences: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:') offences.push(`request to ${url}`);
  });
  page.on('console', (message) => {
    // Chromium notes every response from 400 on as an error; here they are what is tested.
    const isResponse = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isResponse) offences.push(message.text());
  });
  page.on('pageerror', (error) => offences.push(String(error)));
  return offences;
}

async function close(context: BrowserContext, directory: string): Promise<void> {
  await context.close();
  await rm(directory, { recursive: true, force: true });
}
