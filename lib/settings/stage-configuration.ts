import { serviceTitle } from '../../lambdas/contract/service-name.ts';
import { leastUnreserved, listConcurrency } from './functions.ts';
import { findingsIn } from './settings-checks.ts';
import {
  noAccountYet,
  type StageName,
  type StageSettings,
  stageNames,
  stageSettings,
} from './stages.ts';

/** A setting is missing, or has a wrong value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Stacks, metrics and tags have names that derive from it. */
const nameOfService = /^(?=.{1,40}$)[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)*$/;

/** Everything that distinguishes a stage, and this deployment of it. */
export interface StageConfiguration extends StageSettings {
  readonly stage: StageName;
  /**
   * Whether the deployment moves all traffic at once and ignores the alarms. It allows returning to an
   * earlier commit during an alarm, which would otherwise stop CodeDeploy.
   */
  readonly isEmergency: boolean;
}

/**
 * @param emergency the environment variable `EMERGENCY_DEPLOYMENT`
 * @throws ConfigurationError with one line for each wrong value: the value, and the remedy
 */
export function stageConfiguration(
  stage: StageName,
  emergency?: string,
  settings: StageSettings = stageSettings(stage),
  title = serviceTitle,
): StageConfiguration {
  const place = `lib/settings/stages.ts, ${stage}`;
  const others = stageNames.filter((name) => name !== stage).map(stageSettings);
  const findings = [...findingsIn(settings, others)].map((text) => `${place}: ${text}`);
  if (!nameOfService.test(title)) {
    findings.push(
      `lambdas/contract/service-name.ts: serviceTitle is "${title}": give words of letters from A to Z and ` +
        'digits, with spaces between, that begin with a letter and have at most 40 characters',
    );
  }
  // CI passes an unset variable as an empty string.
  if (emergency && emergency !== 'true') {
    findings.push(`EMERGENCY_DEPLOYMENT is "${emergency}": use true, or leave it out`);
  }
  if (findings.length > 0) throw new ConfigurationError(findings.join('\n'));
  return { ...settings, stage, isEmergency: emergency === 'true' };
}

/** The warnings about settings that are missing or risky, each with an id. */
export function warningsOf(configuration: StageConfiguration): Record<string, string> {
  const { stage, account, lambdaConcurrency, domain } = configuration;
  const warnings: Record<string, string> = {};
  if (account === noAccountYet) {
    warnings.account = `${stage} cannot be deployed yet: give its account and Region in lib/settings/stages.ts.`;
  }
  if (domain && !domain.isDefaultEndpointClosed) {
    warnings.openDefaultEndpoint =
      `${stage} can also be reached by API Gateway's own address. Set isDefaultEndpointClosed in ` +
      'lib/settings/stages.ts when its clients use the domain.';
  }
  if (lambdaConcurrency && listConcurrency(configuration) === undefined) {
    warnings.smallLambdaConcurrency =
      `${lambdaConcurrency} concurrent executions are few: each request takes two, and a list one ` +
      `for as long as it is read. Ask AWS for 1,000; below ${2 * leastUnreserved - 1} none can be reserved.`;
  }
  return warnings;
}
