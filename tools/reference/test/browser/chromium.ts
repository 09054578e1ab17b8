import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A page, and what happened in it that should not have. */
export interface WatchedPage extends AsyncDisposable {
  readonly page: Page;
  /** Requests to other origins, errors in the console, exceptions, violations of the policy. */
  readonly offences: string[];
}

export interface PageOptions extends BrowserContextOptions {
  /** Where the page's requests may go. @default - its own origin alone */
  readonly apiOrigin?: string;
}

/** Starts a headless Chromium; a file of tests shares one. */
export function startChromium(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

/** Opens a page in a profile of its own, which remembers nothing of another page. */
export async function openPage(
  browser: Browser,
  url: string,
  { apiOrigin, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  const page = await context.newPage();
  const offences = watch(page, [new URL(url).origin, apiOrigin]);
  await page.goto(url);
  return { page, offences, [Symbol.asyncDispose]: () => context.close() };
}

function watch(page: Page, origins: readonly (string | undefined)[]): string[] {
  const offences: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!origins.includes(url.origin)) offences.push(`request to ${url}`);
  });
  page.on('console', (message) => {
    // Chromium notes every response from 400 on as an error; here they are what is tested.
    const isResponse = message.text().startsWith('Failed to load resource: the server responded');
    if (message.type() === 'error' && !isResponse) offences.push(message.text());
  });
  page.on('pageerror', (error) => offences.push(String(error)));
  return offences;
}
