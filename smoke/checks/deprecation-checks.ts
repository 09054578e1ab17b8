import type { Stage } from '../stage/stage.ts';
import { checksOf } from './check.ts';

/** Checks of the operation whose sunset date has passed. */
export const deprecationChecks = checksOf('Deprecated pet operation', {
  'answers 410 gone, with Deprecation, Sunset and Link': (stage) =>
    stage.expect('getPet', {}, { status: 410, code: 'gone' }),
  'names the documented sunset date': expectSunset,
});

async function expectSunset(stage: Stage): Promise<string[]> {
  const { headers } = await stage.call('getPet');
  const documented = String(stage.contract.operation('getPet')['x-sunset']);
  const sunset = headers.get('sunset')?.[0] ?? 'absent';
  const expected = new Date(`${documented}T00:00:00Z`).toUTCString();
  return sunset === expected ? [] : [`sunset is ${sunset}, documented is ${expected}`];
}
