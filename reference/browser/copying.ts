import { element } from './elements.ts';

const shownMs = 2_000;

/** Makes a button copy a text, and say so: in its own words, and to a screen reader. */
export function copyOnPress(button: HTMLElement, text: () => string): void {
  const label = button.textContent;
  button.addEventListener('click', async () => {
    const outcome = await copy(text());
    button.textContent = outcome;
    element('notice').textContent = `${outcome}.`;
    setTimeout(() => {
      button.textContent = label;
      element('notice').textContent = '';
    }, shownMs);
  });
}

/** A browser may refuse, and offers no clipboard to a page that came over plain HTTP. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Not allowed';
  }
}
