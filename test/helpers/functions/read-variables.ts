import { stageConfiguration } from '../../../lib/settings/stage-variables.ts';
import type { StageName } from '../../../lib/settings/stages.ts';

/** The names of the variables that reading the configuration of a stage accesses. */
export function variablesReadFor(stage: StageName): string[] {
  const names: string[] = [];
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        names.push(String(name));
        return undefined;
      },
    },
  );
  stageConfiguration(stage, environment);
  return names;
}
