import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page, and the problems that have occurred in it. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** Requests to other origins, errors in the console, exceptions, violations of the policy. */
  readonly offences: string[];
}

/** Starts a headless Chromium; a file of tests shares one. */
export function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Opens a page in a profile of its own, which remembers nothing of another page. */
export async function openPage(browser: Browser, url: string): Promise<WatchedPage> {
  const viewport = { width: 1280, height: 800 };
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  const offences: string[] = [];
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
  return { page, offences, [Symbol.asyncDispose]: () => context.close() };
}

/**
 * The violations that axe finds in light and in dark mode, with the elements concerned. To save time, only the
 * first rows of a list are checked, and in dark mode only the rule about colours.
 */
export async function violations(page: Page): Promise<string[]> {
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
