import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { planNames, plans } from './plans.ts';
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
  const otherStages = stageNames.filter((name) => name !== stage);
  const isDeployable = account !== noAccountYet;
  // Before the stage has an account, the certificate can be that of any.
  const owner = isDeployable ? literally(account) : '[0-9]{12}';
  const table = (name: keyof typeof restoredTables) => ({
    ...text('^[\\w.-]{3,255}$', 'give the name of a table, not its ARN, and to each its own'),
    ...noneOf(
      Object.entries(restoredTables).flatMap(([key, other]) => (key === name ? [] : other)),
    ),
  });
  const properties: Record<keyof StageSettings, SchemaObject> = {
    account: text('^[0-9]{12}$', 'give its 12 digits'),
    region: text('^[a-z]{2,4}(-[a-z]+)+-[0-9]$', 'give the id of a Region, such as eu-central-1'),
    apiKeyPrefix: {
      ...text('^so_[a-z]+_$', 'give so_, small letters and _, which no other stage has'),
      ...noneOf(otherStages.map((name) => stageSettings(name).apiKeyPrefix)),
    },
    domain: {
      ...group({
        name: text('^([a-z0-9-]+\\.)+[a-z]+$', 'give the name alone, such as api.example.com'),
        certificateArn: text(
          `^arn:aws[a-z-]*:acm:${literally(region)}:${owner}:certificate/[\\w-]+$`,
          `use a certificate of this account in ${region}`,
        ),
        isDefaultEndpointClosed: oneOf(true, false),
      }),
      required: ['name', 'certificateArn'],
    },
    corsOrigin: {
      type: 'string',
      format: 'origin',
      description:
        "give one origin as browsers send it, such as https://shop.example.com, without a path, or '*'",
    },
    runbook: text('^[^#\\s]+$', 'give its path, or its https address without a fragment'),
    alarmEmail: text('^[^@\\s]+@[^@\\s]+$', 'give the e-mail address that alarms are sent to'),
    logRetentionDays: oneOf(
      ...Object.values(RetentionDays).filter((days) => typeof days === 'number'),
    ),
    throttle: {
      ...group({ requestsPerSecond: wholeNumber(1), burst: wholeNumber(1) }),
      required: ['requestsPerSecond', 'burst'],
    },
    lambdaConcurrency: {
      ...wholeNumber(1),
      description: 'give what "aws lambda get-account-settings" states',
    },
    firewall: {
      ...group({ requestsPerIpPer5Minutes: wholeNumber(leastRequestsPerIp) }),
      required: ['requestsPerIpPer5Minutes'],
    },
    deletionProtection: oneOf(true, false),
    pointInTimeRecoveryDays: wholeNumber(0, 35),
    restoredTables: group({
      orders: table('orders'),
      apiKeys: table('apiKeys'),
      owners: table('owners'),
    }),
    removalPolicy: oneOf('retain', 'destroy'),
    tracing: oneOf(true, false),
    gradualDeployment: oneOf(true, false),
  };
  const optional = ['domain', 'corsOrigin', 'firewall', 'restoredTables', 'tracing'];
  const protective = ['lambdaConcurrency', 'alarmEmail'];
  const omissible = isDeployable && deletionProtection ? optional : [...optional, ...protective];
  return {
    ...group(properties),
    required: Object.keys(properties).filter((name) => !omissible.includes(name)),
  };
}

/** Requests of five minutes with the largest limit that does not depend on the owner. */
const leastRequestsPerIp =
  5 *
  Math.max(...planNames.map((name) => (plans[name].limitsPerOwner ? 0 : plans[name].perMinute)));

/** A setting as a part of a pattern; it has no other characters if it is right. */
function literally(setting: unknown): string {
  return String(setting).replaceAll(/[^a-z0-9-]/g, '.');
}

function text(pattern: string, description: string) {
  return { type: 'string', pattern, description };
}

function oneOf(...values: readonly unknown[]) {
  return {
    enum: values,
    description: `give ${values.map((value) => JSON.stringify(value)).join(' or ')}`,
  };
}

function noneOf(values: readonly string[]) {
  return { not: { enum: [...new Set(['', ...values])] } };
}

function wholeNumber(minimum: number, maximum?: number) {
  const range = maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return {
    type: 'integer',
    minimum,
    ...(maximum !== undefined && { maximum }),
    description: `give a whole number ${range}`,
  };
}

function group(properties: Readonly<Record<string, SchemaObject>>) {
  const names = Object.keys(properties).join(', ');
  return {
    type: 'object',
    properties,
    additionalProperties: false,
    description: `give an object with ${names}`,
  };
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

function describe({ instancePath, keyword, params, data, parentSchema }: ErrorObject): string {
  const { properties = {}, description } = parentSchema!;
  const nameOf = (name: string) => [...instancePath.split('/').slice(1), name].join('.');
  if (keyword === 'required') {
    const { missingProperty: name } = params;
    return `${nameOf(name)} is missing: ${properties[name].description}`;
  }
  if (keyword === 'additionalProperties') {
    const known = Object.keys(properties).join(', ');
    return `${nameOf(params.additionalProperty)} is no setting: use ${known}`;
  }
  return `${instancePath.slice(1).replaceAll('/', '.')} is ${JSON.stringify(data)}: ${description}`;
}
