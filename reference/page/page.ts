import { ApiClient } from '../browser/api-client.ts';
import { copyOnPress } from '../browser/copying.ts';
import { element } from '../browser/elements.ts';
import { keep, readKept } from '../browser/kept.ts';
import type { DemoKey, PageSettings } from '../browser/page-settings.ts';
import { Console } from '../console/console.ts';
import { SettledOrders } from '../console/settled-orders.ts';
import { readOwnKey } from './own-key.ts';
import { TryForm } from './try-form.ts';

const settings: PageSettings = JSON.parse(element('settings').textContent);
const client = new ApiClient(settings.baseUrl);
for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
  new TryForm(form, client);
}
for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  copyOnPress(button, () => button.parentElement!.querySelector('pre')!.textContent);
}
const [firstKey] = settings.demoKeys;
if (firstKey === undefined) readOwnKey(client, settings.baseUrl);
else offerKeys(settings.demoKeys, firstKey);

/** The plan that was chosen last is chosen again; its key is kept nowhere. */
function offerKeys(demoKeys: readonly DemoKey[], otherwise: DemoKey): void {
  const tryConsole = new Console(client, new SettledOrders(settings.runId ?? ''), exampleOrderId());
  const keptPlan = readKept(() => localStorage, 'plan');
  const chosen = demoKeys.find(({ plan }) => plan === keptPlan) ?? otherwise;
  for (const demoKey of demoKeys) {
    const radio = document.querySelector<HTMLInputElement>(
      `input[name=plan][value=${demoKey.plan}]`,
    )!;
    radio.checked = demoKey === chosen;
    radio.addEventListener('change', () => {
      keep(() => localStorage, 'plan', demoKey.plan);
      tryConsole.use(demoKey);
    });
  }
  tryConsole.use(chosen);
}

/** The reference's own example of one that exists; nothing in an empty store. */
function exampleOrderId(): string {
  return document.querySelector<HTMLInputElement>('form.try [name=orderId]')!.value;
}
