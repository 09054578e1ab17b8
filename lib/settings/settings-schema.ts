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

/**
 * The settings of a stage as a JSON schema, in which the description of a value says what to write. It
 * refuses what CloudFormation would report late, and what would be wrong without anybody noticing.
 */
function schemaOf(settings: StageSettings, stage: StageName): SchemaObject {
  const { account, region, deletionProtection, restoredTables = {} } = settings;
  const isDeployable = account !== noAccountYet;
  // Before the stage has an account, the certificate can be in any account.
  const certificate = `acm:${literally(region)}:${isDeployable ? literally(account) : '[0-9]+'}`;
  const otherStages = stageNames.filter((name) => name !== stage);
  const otherPrefixes = otherStages.map((name) => stageSettings(name).apiKeyPrefix);
  const table = (name: keyof typeof restoredTables) => {
    const { [name]: _own, ...others } = restoredTables;
    const remedy = 'give the name of a table, not its ARN, and each table once';
    return text(`^${otherThan(Object.values(others))}[\\w.-]{3,255}$`, remedy);
  };
  const properties: Record<keyof StageSettings, SchemaObject> = {
    account: text('^[0-9]{12}$', 'give its 12 digits'),
    region: text('^[a-z]{2,4}(-[a-z]+)+-[0-9]$', 'give the id of a Region, such as eu-central-1'),
    apiKeyPrefix: text(
      `^${otherThan(otherPrefixes)}so_[a-z]+_$`,
      'give so_, lower-case letters and _, a prefix that no other stage has',
    ),
    domain: group(
      {
        name: text(
          '^([a-z0-9]([a-z0-9-]*[a-z0-9])?\\.)+[a-z]+$',
          'give the name alone, such as api.example.com',
        ),
        certificateArn: text(
          `^arn:[a-z-]+:${certificate}:certificate/[\\w-]+$`,
          `use a certificate of this account in ${region}`,
        ),
        isDefaultEndpointClosed: oneOf(true, false),
      },
      ['isDefaultEndpointClosed'],
    ),
    corsOrigin: {
      type: 'string',
      format: 'origin',
      description:
        "give one origin as browsers send it, such as https://shop.example.com, without a path, or '*'",
    },
    runbook: text('^(?!http:)[^#\\s]+$', 'give its path, or its https address without a fragment'),
    alarmEmail: text('^[^@\\s]+@[^@\\s]+$', 'give the e-mail address that alarms are sent to'),
    logRetentionDays: oneOf(...Object.values(RetentionDays).filter((days) => Number(days) > 0)),
    throttle: group({ requestsPerSecond: wholeNumber(1), burst: wholeNumber(1) }),
    lambdaConcurrency: {
      ...wholeNumber(1),
      description: 'give what "aws lambda get-account-settings" states',
    },
    firewall: group({ requestsPerIpPer5Minutes: wholeNumber(5 * plans.business.perMinute) }),
    deletionProtection: oneOf(true, false),
    pointInTimeRecoveryDays: wholeNumber(0, 35),
    restoredTables: group(
      { orders: table('orders'), apiKeys: table('apiKeys'), owners: table('owners') },
      ['orders', 'apiKeys', 'owners'],
    ),
    removalPolicy: oneOf('retain', 'destroy'),
    tracing: oneOf(true, false),
    gradualDeployment: oneOf(true, false),
  };
  const isProtected = isDeployable && deletionProtection;
  const optional = ['domain', 'corsOrigin', 'firewall', 'restoredTables', 'tracing'];
  return group(properties, [
    ...optional,
    ...(isProtected ? [] : ['lambdaConcurrency', 'alarmEmail']),
  ]);
}

function text(pattern: string, description: string) {
  return { type: 'string', pattern, description };
}

/** The beginning of a pattern that excludes some texts. */
function otherThan(texts: readonly string[]): string {
  return `(?!(${texts.map(literally).join('|')})$)`;
}

/** A text as a part of a pattern. A right setting has no other characters. */
function literally(setting: unknown): string {
  return String(setting).replaceAll(/[^\w-]/g, '.');
}

function oneOf(...values: readonly unknown[]) {
  return {
    enum: values,
    description: `give ${values.map((one) => JSON.stringify(one)).join(' or ')}`,
  };
}

function wholeNumber(minimum: number, maximum = 1_000_000_000) {
  const description = `give a whole number from ${minimum} to ${maximum}`;
  return { type: 'integer', minimum, maximum, description };
}

function group(properties: Readonly<Record<string, SchemaObject>>, optional: string[] = []) {
  const names = Object.keys(properties);
  const required = names.filter((name) => !optional.includes(name));
  const description = `use ${names.join(', ')}`;
  return { type: 'object', properties, required, additionalProperties: false, description };
}

/** Whether a text is `*` or has the form of an `Origin` header: lower case, without the default port. */
function isOrigin(text: string): boolean {
  if (text === '*') return true;
  return /^https?:\/\/[a-z0-9.[\]:-]+$/.test(text) && URL.parse(text)?.origin === text;
}

/** The mistakes in a stage's settings, each with the setting, its value, and what to write instead. */
export function findingsIn(settings: StageSettings, stage: StageName): string[] {
  const ajv = new Ajv({ allErrors: true, verbose: true, formats: { origin: isOrigin } });
  const validate = ajv.compile(schemaOf(settings, stage));
  validate(settings);
  return [...new Set((validate.errors ?? []).map(describe))];
}

function describe({ instancePath, params, data, parentSchema }: ErrorObject): string {
  const { properties, description } = parentSchema!;
  const { missingProperty, additionalProperty } = params;
  const path = `${instancePath}/${missingProperty ?? additionalProperty ?? ''}`;
  const name = path.split('/').filter(Boolean).join('.');
  if (missingProperty) return `${name} is missing: ${properties[missingProperty].description}`;
  if (additionalProperty) return `${name} is not a setting: ${description}`;
  return `${name} is ${JSON.stringify(data)}: ${description}`;
}
