import {
  type StageConfiguration,
  stageConfiguration,
} from '../../lib/settings/stage-configuration.ts';
import { type Env, type StageName, stageSettings } from '../../lib/settings/stages.ts';

/** The account and the Region of the templates that tests read. */
export const testEnv: Env = { account: '123456789012', region: 'eu-central-1' };

/**
 * The configuration of a stage without the values that each user of this repository chooses in
 * `lib/settings/stages.ts`, so that these values do not influence the tests.
 */
export function configurationForTests(stage: StageName): StageConfiguration {
  const configuration = stageConfiguration(
    stage,
    {},
    {
      ...stageSettings(stage),
      env: undefined,
      domain: undefined,
      corsOrigin: undefined,
      firewall: undefined,
      restoredTables: undefined,
      lambdaConcurrency: 1_000,
      runbook: 'docs/runbook.md',
    },
  );
  // The place is set after the checks, because they require an address for alarms of a protected stage with a place.
  return { ...configuration, env: testEnv, alarmEmail: undefined };
}
