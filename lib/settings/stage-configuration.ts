import { noAccountYet, type StageName, type StageSettings, stageSettings } from './stages.ts';

/** A setting does not have the form that it must have. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

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
 * The configuration of a stage.
 *
 * @param emergency the environment variable `EMERGENCY_DEPLOYMENT`
 * @throws ConfigurationError with one line for each wrong value: the value, and the remedy
 */
export function stageConfiguration(
  stage: StageName,
  emergency?: string,
  settings: StageSettings = stageSettings(stage),
): StageConfiguration {
  const findings = findingsIn(settings).map((text) => `lib/settings/stages.ts, ${stage}: ${text}`);
  // CI passes an unset variable as an empty string.
  if (emergency && emergency !== 'true') {
    findings.push(`EMERGENCY_DEPLOYMENT is "${emergency}": use true, or leave it out`);
  }
  if (findings.length > 0) throw new ConfigurationError(findings.join('\n'));
  return { ...settings, stage, isEmergency: emergency === 'true' };
}

/** The mistakes that CloudFormation would report late, or that only a browser would show. */
function findingsIn(settings: StageSettings): string[] {
  const { account, region, domain, corsOrigin, deletionProtection, lambdaConcurrency } = settings;
  const findings: string[] = [];
  if (!/^\d{12}$/.test(account)) findings.push(`account is "${account}": give its 12 digits`);
  if (account !== noAccountYet && deletionProtection && !lambdaConcurrency) {
    findings.push(
      'lambdaConcurrency is missing, and without it lists may take all of it: give what "aws lambda get-account-settings" states',
    );
  }
  if (domain && domain.certificateArn.split(':')[3] !== region) {
    findings.push(`certificateArn is "${domain.certificateArn}": use a certificate in ${region}`);
  }
  if (corsOrigin && corsOrigin !== '*' && !isOrigin(corsOrigin)) {
    findings.push(
      `corsOrigin is "${corsOrigin}": give one origin as browsers send it, such as https://shop.example.com, without a path, or '*'`,
    );
  }
  return findings;
}

/** Whether a text has the form of an `Origin` header: lower case, without the default port. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[a-z0-9.[\]:-]+$/.test(text) && URL.parse(text)?.origin === text;
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

/**
 * What Lambda keeps for functions without a reservation: it refuses one that leaves less.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const leastUnreserved = 100;

/**
 * How many lists may run at the same time: half of what the account may run, so that the other half
 * is there for the authorizer and for cancellations, whatever clients do with their lists.
 *
 * @returns undefined if the account's quota is unknown or too small to reserve half of it
 */
export function listConcurrency({
  lambdaConcurrency,
}: Pick<StageSettings, 'lambdaConcurrency'>): number | undefined {
  if (lambdaConcurrency === undefined) return undefined;
  const half = Math.floor(lambdaConcurrency / 2);
  return lambdaConcurrency - half >= leastUnreserved ? half : undefined;
}
