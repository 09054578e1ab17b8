import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The violations that axe finds in a part of the page, in light and in dark mode, with the elements
 * concerned. To save time, only the first rows of a list are checked, and in dark mode only
 * the rule about colours.
 *
 * @param part a selector
 */
export async function violations(page: Page, part: string): Promise<string[]> {
  // Evaluated from outside, so that the page's policy need not allow it.
  await page.evaluate(axe);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await findings(page, part, {});
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findings(page, part, { runOnly: ['color-contrast'] });
  return [...light, ...dark.map((finding) => `dark: ${finding}`)];
}

async function findings(page: Page, part: string, options: RunOptions): Promise<string[]> {
  const context = { include: part, exclude: '#rows tr:nth-child(n + 5)' };
  const all: RunOptions = { ...options, resultTypes: ['violations'] };
  const results: AxeResults = await page.evaluate(
    `axe.run(${JSON.stringify(context)}, ${JSON.stringify(all)})`,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
}

/** How much wider than the window the page is, in CSS pixels; 0 where nothing scrolls sideways. */
export function sidewaysOverflow(page: Page): Promise<number> {
  const { width } = page.viewportSize()!;
  return page.evaluate(`Math.max(0, document.documentElement.scrollWidth - ${width})`);
}
