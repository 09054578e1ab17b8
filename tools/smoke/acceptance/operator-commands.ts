import { readFileSync } from 'node:fs';
import { APIGateway, type ApiKey } from '@aws-sdk/client-api-gateway';
import { STS } from '@aws-sdk/client-sts';
import { stackTag } from '../../../lib/settings/names.ts';
import { row } from '../runner.ts';
import { gatewayKey, statusOf } from './gateway-rows.ts';
import {
  admin,
  createRole,
  type Deployed,
  gateway,
  lookUntil,
  type Row,
  settings,
} from './trial.ts';

/** Every command. A line of input follows after `<`. */
const commands = `
owners create everything --plan free
owners suspend everything --yes
owners show everything
owners resume everything
owners reset-usage everything
owners list
owners usage
owners history everything
owners set-plan everything pro
owners repair
keys issue --owner everything --json
keys list
keys show KEY_ID
keys expire KEY_ID 1h --yes
keys unban KEY_ID
keys rotate KEY_ID
keys revoke KEY_ID --yes
orders import - < {"id":ORDER_ID}
orders show ORDER_ID
orders cancel ORDER_ID --as everything
orders reopen --cancelled-by everything --since 1h --yes
orders cancel ORDER_ID
orders reopen ORDER_ID
orders ship ORDER_ID
owners rename everything all
owners delete all --yes`;

/** Runs every operator's command, on an owner and an order that the commands create. @returns the number of commands */
export async function runEveryCommand(
  admin: (words: readonly string[], input: Iterable<string>) => Promise<string>,
): Promise<number> {
  const lines = commands.trim().split('\n');
  let keyId = '';
  const orderId = `${-Date.now()}`;
  for (const line of lines) {
    const [words = '', ...input] = line
      .replace('KEY_ID', keyId)
      .replace('ORDER_ID', orderId)
      .split(' < ');
    const output = await admin(words.split(' '), input);
    if (words.startsWith('keys issue')) ({ keyId } = JSON.parse(output));
  }
  return lines.length;
}

const policyPage = 'docs/operating.md: allows all commands';

/** The rows about the operators' policy. All later commands also run in a role with this policy. */
export const operatorRows: readonly Row[] = [
  row(policyPage, 'a role with operator-policy.json', 'assumed', becomeOperator),
  row(policyPage, "all operators' commands", 'succeeded in this role', async (trial) => {
    const count = await runEveryCommand((words, input) => admin(trial, words, input));
    return `${count} succeeded ${trial.operator ? 'in this role' : 'with the rights of the caller'}`;
  }),
  row(
    'docs/operating.md: These policies are for one stage',
    "PUT /tags with another stage's tag, and for another stage's key",
    '403, 403',
    tagAsOperator,
  ),
];

async function becomeOperator(trial: Deployed): Promise<string> {
  const [, partition, , region, account] = trial.outputs.AlarmTopicArn.split(':');
  const policy = readFileSync('docs/iam/operator-policy.json', 'utf8')
    .replaceAll('arn:aws:', `arn:${partition}:`)
    .replaceAll('<ACCOUNT>', account!)
    .replaceAll('<REGION>', region!)
    .replaceAll('<STACK>', trial.stack);
  const RoleName = `${trial.stack}-operator`;
  const trust = { Effect: 'Allow', Principal: { AWS: account }, Action: 'sts:AssumeRole' };
  await createRole(trial, {
    RoleName,
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
    Policies: [{ PolicyName: 'operator', PolicyDocument: JSON.parse(policy) }],
  });
  const RoleArn = `arn:${partition}:iam::${account}:role/${RoleName}`;
  // Repeated, because a new role can be assumed only after some seconds, and has its policy even later.
  const assume = async () => {
    const assumed = await new STS(settings).assumeRole({
      RoleArn,
      RoleSessionName: 'acceptance',
    });
    const operator = {
      AWS_ACCESS_KEY_ID: assumed.Credentials!.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: assumed.Credentials!.SecretAccessKey,
      AWS_SESSION_TOKEN: assumed.Credentials!.SessionToken,
      // Removed, because the SDK would prefer a profile.
      AWS_PROFILE: undefined,
    };
    await admin({ ...trial, operator }, ['owners', 'list']);
    trial.operator = operator;
    return 'created and assumed';
  };
  return lookUntil('assumed', trial, assume);
}

/** Tries to give a key away, and to take another stage's key, with the operators' policy. */
async function tagAsOperator(trial: Deployed): Promise<string> {
  const { operator, stack } = trial;
  if (!operator) throw new Error("there are no credentials of the operator's role");
  const client = new APIGateway({
    ...settings,
    credentials: {
      accessKeyId: operator.AWS_ACCESS_KEY_ID!,
      secretAccessKey: operator.AWS_SECRET_ACCESS_KEY!,
      sessionToken: operator.AWS_SESSION_TOKEN!,
    },
  });
  const [, partition, , region] = trial.outputs.AlarmTopicArn.split(':');
  const tag = ({ id }: ApiKey, value: string) => {
    const resourceArn = `arn:${partition}:apigateway:${region}::/apikeys/${id}`;
    return statusOf(client.tagResource({ resourceArn, tags: { [stackTag]: value } }));
  };
  // Its name lets `remove` delete it.
  const foreign = { name: `${stack}-own_foreign`, tags: { [stackTag]: 'another-stack' } };
  const given = await tag(await gatewayKey(trial), 'another-stack');
  return `${given}, ${await tag(await gateway.createApiKey(foreign), stack)}`;
}
