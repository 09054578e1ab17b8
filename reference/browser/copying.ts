import { element } from './elements.ts';

const shownMs = 2_000;

/** Makes a button copy a text. The outcome is shown in its label and announced to screen readers. */
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

/** Copies a text. Returns the label to show, because browsers can refuse, for example over HTTP. */
async function copy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Not allowed';
  }
}
