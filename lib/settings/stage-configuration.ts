import { leastUnreserved, listConcurrency } from './functions.ts';
import { findingsIn } from './settings-checks.ts';
import {
  type Env,
  type StageName,
  type StageSettings,
  stageNames,
  stageSettings,
} from './stages.ts';

/** A setting is missing, or has a wrong value. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** The place of a stage whose account is unknown, in templates that are not deployed. No account has this id. */
const placeholder: Env = { account: '000000000000', region: 'eu-central-1' };

/** Everything that distinguishes a stage, and this deployment of it. */
export interface StageConfiguration extends StageSettings {
  readonly stage: StageName;
  readonly env: Env;
  /**
   * Whether the deployment moves all traffic at once and ignores the alarms. So an earlier commit can be deployed
   * during an alarm, which would otherwise stop CodeDeploy.
   */
  readonly isEmergency: boolean;
}

/** The environment variables of a deployment. `cdk` sets the first two from the credentials that it finds. */
type Variables = Readonly<
  Partial<Record<'CDK_DEFAULT_ACCOUNT' | 'CDK_DEFAULT_REGION' | 'EMERGENCY_DEPLOYMENT', string>>
>;

/**
 * @param variables the environment. Without it, a stage that names no place gets a placeholder, so its template cannot
 * be deployed
 * @throws ConfigurationError with one line for each wrong value: the value, and the remedy
 */
export function stageConfiguration(
  stage: StageName,
  variables: Variables = {},
  settings: StageSettings = stageSettings(stage),
): StageConfiguration {
  const place = `lib/settings/stages.ts, ${stage}`;
  const others = stageNames.filter((name) => name !== stage).map(stageSettings);
  const env = settings.env ?? callersEnv(settings, variables);
  const findings = [...findingsIn({ ...settings, env }, others)].map((text) => `${place}: ${text}`);
  const emergency = variables.EMERGENCY_DEPLOYMENT;
  // An empty string is allowed, because CI passes an unset variable as an empty string.
  if (emergency && emergency !== 'true') {
    findings.push(`EMERGENCY_DEPLOYMENT is "${emergency}": use true, or leave it out`);
  }
  if (findings.length > 0) throw new ConfigurationError(findings.join('\n'));
  return { ...settings, stage, env: env ?? placeholder, isEmergency: emergency === 'true' };
}

/** The place of the caller's credentials; undefined if it is unknown, or if the stage has to name its place itself. */
function callersEnv(
  { deletionProtection }: StageSettings,
  { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region }: Variables,
): Env | undefined {
  return account && region && !deletionProtection ? { account, region } : undefined;
}

/** The warnings about settings that are missing or risky, each with an id. */
export function warningsOf(configuration: StageConfiguration): Record<string, string> {
  const { stage, env, deletionProtection, lambdaConcurrency, domain } = configuration;
  const warnings: Record<string, string> = {};
  if (env === placeholder) {
    const other = deletionProtection ? '' : ', or credentials in the environment';
    warnings.account = `${stage} cannot be deployed: give its env in lib/settings/stages.ts${other}.`;
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
