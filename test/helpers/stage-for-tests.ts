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

/** Every optional setting of a stage that the repository leaves out. */
export const everySetting = {
  // A Region in another partition, whose name has another form.
  env: { account: '123456789012', region: 'eusc-de-east-1' },
  domain: {
    name: 'api.example.com',
    certificateArn: 'arn:aws-eusc:acm:eusc-de-east-1:123456789012:certificate/0a1b-2c3d',
    isDefaultEndpointClosed: true,
  },
  restoredTables: { orders: 'orders-2', apiKeys: 'keys-2', owners: 'owners-2' },
  corsOrigin: 'https://shop.example.com',
  firewall: { requestsPerIpPer5Minutes: 400_000 },
  runbook: 'https://example.com/repository/blob/main/docs/runbook.md',
  lambdaConcurrency: 1_001,
  alarmEmail: 'operator@example.com',
  isEmergency: true,
};
