import { readFileSync } from 'node:fs';
import { APIGateway, type ApiKey } from '@aws-sdk/client-api-gateway';
import { type Capability, waitUntilStackCreateComplete } from '@aws-sdk/client-cloudformation';
import { STS } from '@aws-sdk/client-sts';
import { stackTag } from '../../../lib/settings/names.ts';
import { gatewayKey, statusOf } from './gateway-rows.ts';
import {
  admin,
  cloudFormation,
  gateway,
  lookUntil,
  type Row,
  roleStack,
  row,
  settings,
  type Trial,
  waiting,
} from './trial.ts';

/** Every command. After `<` follows the command's standard input. */
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

/** Runs every operator's command, on an owner and an order that the commands create. */
export async function runEveryCommand(
  admin: (words: readonly string[], input?: string) => Promise<string>,
): Promise<void> {
  let keyId = '';
  const orderId = `${-Date.now()}`;
  for (const line of commands.trim().split('\n')) {
    const filled = line.replace('KEY_ID', keyId).replace('ORDER_ID', orderId);
    const [words = '', input] = filled.split(' < ');
    const output = await admin(words.split(' '), input);
    if (words.startsWith('keys issue')) ({ keyId } = JSON.parse(output));
  }
}

/** The rows about the operators' policy. After the first row, all commands run in a role with this policy. */
export const operatorRows: readonly Row[] = [
  row(
    'docs/operating.md: allows all commands',
    "all operators' commands in a role with operator-policy.json",
    'succeeded',
    async (trial) => {
      await becomeOperator(trial);
      await runEveryCommand((words, input) => admin(trial, words, input));
      return 'succeeded';
    },
  ),
  row(
    'docs/operating.md: These policies are for one stage',
    "PUT /tags with another stage's tag, and for another stage's key",
    '403, 403',
    tagAsOperator,
  ),
];

async function becomeOperator(trial: Trial): Promise<string> {
  const [, , , region, account] = trial.outputs.AlarmTopicArn.split(':');
  const policy = readFileSync('docs/iam/operator-policy.json', 'utf8')
    .replaceAll('<ACCOUNT>', account!)
    .replaceAll('<REGION>', region!)
    .replaceAll('<STACK>', trial.stack);
  const StackName = roleStack(trial.stack);
  const trust = { Effect: 'Allow', Principal: { AWS: account }, Action: 'sts:AssumeRole' };
  const Properties = {
    RoleName: StackName,
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
    Policies: [{ PolicyName: 'operator', PolicyDocument: JSON.parse(policy) }],
  };
  const Resources = { Role: { Type: 'AWS::IAM::Role', Properties } };
  const template = { TemplateBody: JSON.stringify({ Resources }) };
  const Capabilities: Capability[] = ['CAPABILITY_NAMED_IAM'];
  await cloudFormation.createStack({ StackName, ...template, Capabilities });
  await waitUntilStackCreateComplete(waiting, { StackName });
  const RoleArn = `arn:aws:iam::${account}:role/${StackName}`;
  // Tries repeatedly, because a new role can be assumed only after some seconds, and has its policy even later.
  return lookUntil('assumed', trial, async () => {
    const assumed = await new STS(settings).assumeRole({ RoleArn, RoleSessionName: 'acceptance' });
    const operator = {
      AWS_ACCESS_KEY_ID: assumed.Credentials!.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: assumed.Credentials!.SecretAccessKey,
      AWS_SESSION_TOKEN: assumed.Credentials!.SessionToken,
      // The profile is removed, because the SDK would prefer it to these credentials.
      AWS_PROFILE: undefined,
    };
    await admin({ ...trial, operator }, ['owners', 'list']);
    trial.operator = operator;
    return 'assumed';
  });
}

/**
 * With the operators' policy, tries to give a key of the trial another stage's tag, and to give another stage's key the
 * trial's tag.
 */
async function tagAsOperator(trial: Trial): Promise<string> {
  const { operator, stack } = trial;
  if (!operator) throw new Error('nobody has assumed the role');
  const credentials = {
    accessKeyId: operator.AWS_ACCESS_KEY_ID!,
    secretAccessKey: operator.AWS_SECRET_ACCESS_KEY!,
    sessionToken: operator.AWS_SESSION_TOKEN!,
  };
  const client = new APIGateway({ ...settings, credentials });
  const [, , , region] = trial.outputs.AlarmTopicArn.split(':');
  const tag = ({ id }: ApiKey, value: string) => {
    const resourceArn = `arn:aws:apigateway:${region}::/apikeys/${id}`;
    return statusOf(client.tagResource({ resourceArn, tags: { [stackTag]: value } }));
  };
  // The key's name lets `remove` delete the key.
  const foreign = { name: `${stack}-own_foreign`, tags: { [stackTag]: 'another-stack' } };
  const given = await tag(await gatewayKey(trial), 'another-stack');
  return `${given}, ${await tag(await gateway.createApiKey(foreign), stack)}`;
}
