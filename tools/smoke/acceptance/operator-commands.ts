import { readFileSync } from 'node:fs';
import { STS } from '@aws-sdk/client-sts';
import { lookUntil } from './evidence.ts';
import { admin, createStack, type Deployed } from './trial.ts';

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

/** Runs all commands in a role with `docs/iam/operator-policy.json`. All later commands also run in this role. */
export async function checkOperator(trial: Deployed): Promise<void> {
  const { evidence } = trial;
  await evidence.add('a role with operator-policy.json', 'assumed', () => becomeOperator(trial));
  await evidence.add("all operator's commands", 'succeeded as this role', async () => {
    const count = await runEveryCommand((words, input) => admin(trial, words, input));
    return `${count} succeeded ${trial.operator ? 'as this role' : 'with the rights of the caller'}`;
  });
}

async function becomeOperator(trial: Deployed): Promise<string> {
  const [, partition, , region, account] = trial.outputs.AlarmTopicArn.split(':');
  const policy = readFileSync('docs/iam/operator-policy.json', 'utf8')
    .replaceAll('arn:aws:', `arn:${partition}:`)
    .replaceAll('<ACCOUNT>', account!)
    .replaceAll('<REGION>', region!)
    .replaceAll('<STACK>', trial.stack);
  const RoleName = `${trial.stack}-operator`;
  const trust = { Effect: 'Allow', Principal: { AWS: account }, Action: 'sts:AssumeRole' };
  const Properties = {
    RoleName,
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
    Policies: [{ PolicyName: 'operator', PolicyDocument: JSON.parse(policy) }],
  };
  await createStack(trial, '-operator', { Role: { Type: 'AWS::IAM::Role', Properties } });
  const RoleArn = `arn:${partition}:iam::${account}:role/${RoleName}`;
  // Repeated, because a new role can be assumed only after some seconds, and has its policy even later.
  const assume = async () => {
    const assumed = await new STS().assumeRole({ RoleArn, RoleSessionName: 'acceptance' });
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
  return lookUntil('assumed', assume, trial.signal);
}
