import { startConsole } from './console.ts';
import { create } from './elements.ts';

const copiedMs = 2_000;
// A link of the navigation brings its section a little higher than this.
const readingLinePx = 60;
const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')];

startConsole();
for (const code of document.querySelectorAll('pre > code')) addCopyButton(code);
addEventListener('scroll', markCurrentSection, { passive: true });
markCurrentSection();

function addCopyButton(code: Element): void {
  const button = create('button', 'Copy', { type: 'button' });
  code.before(button);
  button.addEventListener('click', async () => {
    button.textContent = await copy(code.textContent);
    setTimeout(() => {
      button.textContent = 'Copy';
    }, copiedMs);
  });
}

/** Copies a text. Returns what to say, because browsers can refuse. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Not allowed';
  }
}

/** Marks the link to the last section that begins above the reading line. */
function markCurrentSection(): void {
  const begun = links.filter(({ hash }) => {
    const heading = document.getElementById(decodeURIComponent(hash.slice(1)));
    return heading !== null && heading.getBoundingClientRect().top < readingLinePx;
  });
  const current = begun.at(-1) ?? links[0];
  for (const link of links) link.ariaCurrent = link === current ? 'true' : null;
}
