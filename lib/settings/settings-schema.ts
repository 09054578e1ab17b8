import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { plans } from './plans.ts';
import {
  noAccountYet,
  type StageName,
  type StageSettings,
  stageNames,
  stageSettings,
} from './stages.ts';

const domainRemedy = 'give the name alone, such as api.example.com, a name that no other stage has';
const prefixRemedy = 'give so_, lower-case letters and _, a prefix that no other stage has';
const tableRemedy = 'give the name of a table, not its ARN, and each table once';

/**
 * The settings of a stage as a JSON schema. Its keyword `remedy`, which validates nothing, says what to
 * write. The schema refuses what CloudFormation would report late, and what would be wrong without anybody
 * noticing.
 */
function schemaOf(settings: StageSettings): SchemaObject {
  const { account, region, deletionProtection } = settings;
  // Before the stage has an account, the certificate can be in any account.
  const certificateAccount = account === noAccountYet ? '[0-9]+' : RegExp.escape(String(account));
  const table = text('^[\\w.-]{3,255}$', tableRemedy);
  const properties: Record<keyof StageSettings, SchemaObject> = {
    account: text('^[0-9]{12}$', 'give its 12 digits'),
    region: text('^[a-z]{2,4}(-[a-z]+)+-[0-9]$', 'give the id of a Region, such as eu-central-1'),
    apiKeyPrefix: text('^so_[a-z]+_$', prefixRemedy),
    domain: group(
      {
        name: text('^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]+$', domainRemedy),
        certificateArn: text(
          `^arn:[a-z-]+:acm:${RegExp.escape(String(region))}:${certificateAccount}:certificate/[\\w-]+$`,
          `use a certificate of this account in ${region}`,
        ),
        isDefaultEndpointClosed: oneOf(true, false),
      },
      ['isDefaultEndpointClosed'],
    ),
    corsOrigin: {
      type: 'string',
      format: 'origin',
      remedy:
        "give one origin as browsers send it, such as https://shop.example.com, without a path, or '*'",
    },
    runbook: text('^(?!http:)[^#\\s]+$', 'give its path, or its https address without a fragment'),
    alarmEmail: text('^[^@\\s]+@[^@\\s]+$', 'give the e-mail address that alarms are sent to'),
    logRetentionDays: oneOf(...Object.values(RetentionDays).filter((days) => Number(days) > 0)),
    throttle: group({ requestsPerSecond: wholeNumber(1), burst: wholeNumber(1) }),
    lambdaConcurrency: {
      ...wholeNumber(1),
      remedy: 'give what "aws lambda get-account-settings" states',
    },
    firewall: group({ requestsPerIpPer5Minutes: wholeNumber(5 * plans.business.perMinute) }),
    deletionProtection: oneOf(true, false),
    pointInTimeRecoveryDays: wholeNumber(0, 35),
    restoredTables: group({ orders: table, apiKeys: table, owners: table }, [
      'orders',
      'apiKeys',
      'owners',
    ]),
    removalPolicy: oneOf('retain', 'destroy'),
    tracing: oneOf(true, false),
    gradualDeployment: oneOf(true, false),
  };
  const isProtected = account !== noAccountYet && deletionProtection;
  const optional = ['domain', 'corsOrigin', 'firewall', 'restoredTables', 'tracing'];
  return group(properties, [
    ...optional,
    ...(isProtected ? [] : ['lambdaConcurrency', 'alarmEmail']),
  ]);
}

function text(pattern: string, remedy: string) {
  return { type: 'string', pattern, remedy };
}

function oneOf(...values: readonly unknown[]) {
  return {
    enum: values,
    remedy: `give ${values.map((one) => JSON.stringify(one)).join(' or ')}`,
  };
}

function wholeNumber(minimum: number, maximum = 1_000_000_000) {
  const remedy = `give a whole number from ${minimum} to ${maximum}`;
  return { type: 'integer', minimum, maximum, remedy };
}

function group(properties: Readonly<Record<string, SchemaObject>>, optional: string[] = []) {
  const names = Object.keys(properties);
  const required = names.filter((name) => !optional.includes(name));
  const remedy = `use ${names.join(', ')}`;
  return { type: 'object', properties, required, additionalProperties: false, remedy };
}

/** Whether a text is `*` or has the form of an `Origin` header: lower case, without the default port. */
function isOrigin(text: string): boolean {
  if (text === '*') return true;
  return /^https?:\/\/[a-z0-9.[\]:-]+$/.test(text) && URL.parse(text)?.origin === text;
}

/** The mistakes in a stage's settings, each with the setting, its value, and what to write instead. */
export function findingsIn(
  settings: StageSettings,
  stage: StageName,
  others = stageNames.filter((name) => name !== stage).map(stageSettings),
): string[] {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    formats: { origin: isOrigin },
    keywords: ['remedy'],
  });
  const validate = ajv.compile(schemaOf(settings));
  validate(settings);
  const malformed = (validate.errors ?? []).map(describe);
  return [...new Set([...malformed, ...conflictsIn(settings, others)])];
}

function describe({ instancePath, params, data, parentSchema }: ErrorObject): string {
  const { properties, remedy } = parentSchema!;
  const { missingProperty, additionalProperty } = params;
  const path = `${instancePath}/${missingProperty ?? additionalProperty ?? ''}`;
  const name = path.split('/').filter(Boolean).join('.');
  if (missingProperty) return `${name} is missing: ${properties[missingProperty].remedy}`;
  if (additionalProperty) return `${name} is not a setting: ${remedy}`;
  return finding(name, data, remedy);
}

function finding(name: string, value: unknown, remedy: string): string {
  return `${name} is ${JSON.stringify(value)}: ${remedy}`;
}

/** The settings that conflict with another setting of the stage, or with another stage. */
function conflictsIn(settings: StageSettings, others: readonly StageSettings[]): string[] {
  const { apiKeyPrefix, domain, restoredTables = {} } = settings;
  const isTaken = others.some((other) => other.apiKeyPrefix === apiKeyPrefix);
  const isSameDomain = domain && others.some((other) => other.domain?.name === domain.name);
  const tables = Object.entries(restoredTables);
  const isTwice = (table: string) => tables.filter(([, other]) => other === table).length > 1;
  return [
    ...(isTaken ? [finding('apiKeyPrefix', apiKeyPrefix, prefixRemedy)] : []),
    ...(isSameDomain ? [finding('domain.name', domain.name, domainRemedy)] : []),
    ...tables
      .filter(([, table]) => isTwice(table))
      .map(([name, table]) => finding(`restoredTables.${name}`, table, tableRemedy)),
  ];
}
