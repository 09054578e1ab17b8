import { ApiClient } from '../browser/api-client.ts';
import { copyOnPress } from '../browser/copying.ts';
import { element } from '../browser/elements.ts';
import type { DemoKey, PageSettings } from '../browser/page-settings.ts';
import { readStored, writeStored } from '../browser/page-storage.ts';
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

/** Offers the demo keys and selects the last chosen plan. The plan is stored, not its key. */
function offerKeys(demoKeys: readonly DemoKey[], otherwise: DemoKey): void {
  const tryConsole = new Console(client, new SettledOrders(settings.runId ?? ''), exampleOrderId());
  const storedPlan = readStored(() => localStorage, 'plan');
  const chosen = demoKeys.find(({ plan }) => plan === storedPlan) ?? otherwise;
  for (const demoKey of demoKeys) {
    const radio = document.querySelector<HTMLInputElement>(
      `input[name=plan][value=${demoKey.plan}]`,
    )!;
    radio.checked = demoKey === chosen;
    radio.addEventListener('change', () => {
      writeStored(() => localStorage, 'plan', demoKey.plan);
      tryConsole.use(demoKey);
    });
  }
  tryConsole.use(chosen);
}

/** The id of an example order from the reference's forms; empty if there are no orders. */
function exampleOrderId(): string {
  return document.querySelector<HTMLInputElement>('form.try [name=orderId]')!.value;
}
