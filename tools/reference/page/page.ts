import { Console } from './console.ts';
import { element } from './elements.ts';

const shownMs = 2_000;

new Console();
for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  button.addEventListener('click', async () => {
    const label = button.textContent;
    if (label !== 'Copy') return;
    const outcome = await copy(button.parentElement!.querySelector('pre')!.textContent);
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
