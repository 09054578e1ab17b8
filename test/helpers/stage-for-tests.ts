import {
  type StageConfiguration,
  stageConfiguration,
} from '../../lib/settings/stage-configuration.ts';
import { noAccountYet, type StageName, stageSettings } from '../../lib/settings/stages.ts';

/** The account and the Region of the templates that tests read. */
export const testAccount = '123456789012';
export const testRegion = 'eu-central-1';

/**
 * The configuration of a stage without the values that each user of this repository chooses in
 * `lib/settings/stages.ts`, so that these values do not influence the tests.
 */
export function configurationForTests(stage: StageName): StageConfiguration {
  const configuration = stageConfiguration(stage, undefined, {
    ...stageSettings(stage),
    account: noAccountYet,
    region: testRegion,
    domain: undefined,
    corsOrigin: undefined,
    firewall: undefined,
    restoredTables: undefined,
    lambdaConcurrency: 1_000,
    runbook: 'docs/runbook.md',
  });
  // The account is set after the checks, because they require an address for alarms of a stage with an account.
  return { ...configuration, account: testAccount, alarmEmail: undefined };
}
