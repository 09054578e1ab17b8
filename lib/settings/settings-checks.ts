import { plans } from './plans.ts';
import type { StageSettings } from './stages.ts';

/**
 * The firewall must allow this rate, because an owner on the plan Business may send all its requests from one address.
 */
const leastPerIpPer5Minutes = 5 * plans.business.perMinute;

/** The value to write for each setting. */
const remedies = {
  apiKeyPrefix:
    'give lower-case letters and _, with _ at the end, a prefix that no other stage has',
  alarmEmail: 'give the e-mail address that alarms are sent to',
  lambdaConcurrency: 'give what "aws lambda get-account-settings" states',
  corsOrigin:
    "give one origin as browsers send it, such as https://shop.example.com, without a path, or '*'",
  firewall: `give at least ${leastPerIpPer5Minutes}, the requests of one Business owner`,
  domain: 'give the name alone, such as api.example.com, a name that no other stage has',
  table: 'give the name of a table, not its ARN, and each table once',
};

/**
 * Finds the mistakes in a stage's settings that the compiler does not see, and that CloudFormation would report late or
 * never. Each finding names the setting, its value, and what to write instead.
 *
 * @param others the settings of the other stages
 */
export function* findingsIn(settings: StageSettings, others: readonly StageSettings[]) {
  const { env, apiKeyPrefix, domain, corsOrigin, firewall } = settings;
  const restored = Object.entries(settings.restoredTables ?? {});
  // The values that only one stage can have.
  const taken = others.flatMap((other) => [
    ...[other.apiKeyPrefix, other.domain?.name, ...Object.values(other.restoredTables ?? {})],
  ]);
  if (!/^[a-z_]+_$/.test(apiKeyPrefix) || taken.includes(apiKeyPrefix)) {
    yield finding('apiKeyPrefix', apiKeyPrefix, remedies.apiKeyPrefix);
  }
  if (env && settings.deletionProtection) {
    for (const name of ['lambdaConcurrency', 'alarmEmail'] as const) {
      if (settings[name] === undefined) yield `${name} is missing: ${remedies[name]}`;
    }
  }
  if (corsOrigin !== undefined && !isOrigin(corsOrigin)) {
    yield finding('corsOrigin', corsOrigin, remedies.corsOrigin);
  }
  const requests = firewall?.requestsPerIpPer5Minutes ?? leastPerIpPer5Minutes;
  if (requests < leastPerIpPer5Minutes) {
    yield finding('firewall.requestsPerIpPer5Minutes', requests, remedies.firewall);
  }
  if (domain) {
    const { name, certificateArn } = domain;
    const isName = URL.parse(`https://${name}`)?.hostname === name;
    if (!isName || taken.includes(name)) yield finding('domain.name', name, remedies.domain);
    const [, , , region, account] = certificateArn.split(':');
    if (env && (region !== env.region || account !== env.account)) {
      const remedy = `use a certificate of account ${env.account} in ${env.region}`;
      yield finding('domain.certificateArn', certificateArn, remedy);
    }
  }
  for (const [key, name] of restored) {
    const isTwice = restored.some(([other, others]) => other !== key && others === name);
    if (isTwice || taken.includes(name) || !/^[\w.-]{3,255}$/.test(name)) {
      yield finding(`restoredTables.${key}`, name, remedies.table);
    }
  }
}

/** Whether a text is `*` or has the form of an `Origin` header: lower case, without the default port. */
function isOrigin(text: string): boolean {
  if (text === '*') return true;
  return /^https?:\/\/[a-z0-9.[\]:-]+$/.test(text) && URL.parse(text)?.origin === text;
}

function finding(setting: string, value: unknown, remedy: string): string {
  return `${setting} is ${JSON.stringify(value)}: ${remedy}`;
}
