import { type StageName, stageConfiguration } from '../../lib/settings/stages.ts';

/** Names of the variables that the configuration of a stage is read from, as reading it shows. */
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
