import type { Allowance } from './allowance.ts';
import { AllowanceView } from './allowance-view.ts';
import { Console } from './console.ts';
import { create, element } from './elements.ts';
import type { DemoKey, PageSettings } from './page-settings.ts';
import { Reference } from './reference.ts';

const [settings, contract] = await Promise.all([
  fetchJson<PageSettings>('/reference/settings.json'),
  fetchJson<object>('/reference/openapi.json'),
]);
const allowanceView = new AllowanceView();
const showAllowance = (allowance: Allowance) => allowanceView.show(allowance);
const tryConsole = new Console(settings, { onAllowance: showAllowance });
const server = { url: settings.basePath, description: 'this machine' };
const reference = new Reference(contract, server, showAllowance);

element('base-url').textContent = location.origin + settings.basePath;
element('plans').replaceChildren(...settings.demoKeys.map(planChoice));
const [firstKey] = settings.demoKeys;
if (firstKey !== undefined) use(firstKey);

function planChoice(demoKey: DemoKey, index: number): HTMLElement {
  const label = create('label');
  const radio = create('input', '', { type: 'radio', name: 'plan', value: demoKey.plan });
  radio.checked = index === 0;
  radio.addEventListener('change', () => use(demoKey));
  label.append(radio, create('strong', demoKey.plan), create('small', demoKey.limits));
  return label;
}

function use(demoKey: DemoKey): void {
  allowanceView.clear();
  tryConsole.use(demoKey);
  reference.use(demoKey.key);
}

async function fetchJson<T>(path: string): Promise<T> {
  const response = await fetch(path);
  return response.json();
}
