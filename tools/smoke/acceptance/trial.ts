import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APIGateway } from '@aws-sdk/client-api-gateway';
import {
  CloudFormation,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { type Credentials, STS } from '@aws-sdk/client-sts';
import { type OutputName, stackName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { callLimitSettings, withCallLimits } from '../../admin/stage/call-limits.ts';
import { keyGateway } from '../../admin/stage/key-gateway.ts';
import { senderTo } from '../stage/http-client.ts';
import { Stage } from '../stage/stage.ts';

/** Always the same trial, because the run removes it. */
export const stageName: StageName = 'try-accept';
export const stack = stackName(stageName);
/** The name of the stack with the operator's role, and of the role. */
const roleStack = `${stack}-operator`;

/** The settings of all clients of AWS. */
export const settings = callLimitSettings();
export const gateway = withCallLimits(new APIGateway(settings));
const cloudFormation = new CloudFormation(settings);

/** Waits at most half an hour for each stack. */
const waiting = { client: cloudFormation, maxWaitTime: 1_800 };

/** Metrics, roles and changes of API Gateway can be late by some minutes. */
const patienceMs = 900_000;

/** A stage that is deployed, checked and removed. It has the owner `customer`. */
export interface Trial {
  readonly signal: AbortSignal;
  /** The credentials of a role with the operators' policy. */
  readonly operator: Credentials;
  readonly outputs: Readonly<Record<OutputName, string>>;
  readonly ownerId: string;
  /** The stage, which is called with the owner's key. */
  readonly api: Stage;
}

/** Deploys the trial, and creates its owner as an operator. @throws Error if a command fails */
export async function deploy(signal: AbortSignal): Promise<Trial> {
  const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  await run([cdk, 'deploy', '--require-approval', 'never'], { signal });
  const { Stacks } = await cloudFormation.describeStacks({ StackName: stack });
  const listed = Stacks?.[0]?.Outputs ?? [];
  const outputs = Object.fromEntries(listed.map((each) => [each.OutputKey, each.OutputValue]));
  const session = { signal, operator: await becomeOperator(signal, outputs.AlarmTopicArn) };
  await admin(session, ['owners', 'create', 'customer', '--plan', 'pro']);
  const issued = await admin(session, ['keys', 'issue', '--owner', 'customer', '--json']);
  const { apiKey, ownerId } = JSON.parse(issued);
  const api = new Stage(senderTo(new URL(outputs.BaseUrl), 60_000), apiKey);
  return { ...session, outputs, ownerId, api };
}

/** Creates a role with the operators' policy. @returns credentials of the role */
async function becomeOperator(signal: AbortSignal, topicArn: string): Promise<Credentials> {
  const [, , , region, account] = topicArn.split(':');
  const policy = readFileSync('docs/iam/operator-policy.json', 'utf8')
    .replaceAll('<ACCOUNT>', account!)
    .replaceAll('<REGION>', region!)
    .replaceAll('<STACK>', stack);
  const trust = { Effect: 'Allow', Principal: { AWS: account }, Action: 'sts:AssumeRole' };
  const Properties = {
    RoleName: roleStack,
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
    Policies: [{ PolicyName: 'operator', PolicyDocument: JSON.parse(policy) }],
  };
  await cloudFormation.createStack({
    StackName: roleStack,
    TemplateBody: JSON.stringify({ Resources: { Role: { Type: 'AWS::IAM::Role', Properties } } }),
    Capabilities: ['CAPABILITY_NAMED_IAM'],
  });
  await waitUntilStackCreateComplete(waiting, { StackName: roleStack });
  const role = {
    RoleArn: `arn:aws:iam::${account}:role/${roleStack}`,
    RoleSessionName: 'acceptance',
  };
  // Tries repeatedly, because a new role can be assumed only after some seconds, and has its policy even later.
  return eventually(signal, async () => {
    const { Credentials: operator } = await new STS(settings).assumeRole(role);
    await admin({ signal, operator: operator! }, ['owners', 'list']);
    return operator!;
  });
}

/** Removes everything that a run has created. @throws Error if something cannot be removed */
export async function remove(): Promise<void> {
  const keys = keyGateway(gateway);
  for (const { id } of await keys.findGatewayKeys(`${stack}-own_`)) await keys.deleteGatewayKey(id);
  for (const StackName of [roleStack, stack]) {
    await cloudFormation.deleteStack({ StackName });
    await waitUntilStackDeleteComplete(waiting, { StackName });
  }
}

/** Repeats `look` until it succeeds, or the longest wait is over. @returns its result @throws its last error */
export async function eventually<Seen>(
  signal: AbortSignal,
  look: () => Promise<Seen>,
): Promise<Seen> {
  for (const endMs = performance.now() + patienceMs; ; await sleep(5_000)) {
    try {
      return await look();
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() > endMs) throw error;
    }
  }
}

/** Runs a command of an operator. @returns its standard output @throws Error if it fails */
export function admin(
  { signal, operator }: Pick<Trial, 'signal' | 'operator'>,
  words: readonly string[],
  input?: string,
): Promise<string> {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: operator.AccessKeyId,
    AWS_SECRET_ACCESS_KEY: operator.SecretAccessKey,
    AWS_SESSION_TOKEN: operator.SessionToken,
    // The profile is removed, because the SDK would prefer it to these credentials.
    AWS_PROFILE: undefined,
  };
  return run(['tools/admin/run.ts', ...words], { signal, env }, input);
}

/** Runs a program of this repository. The error of a program that fails is the last line that it has printed. */
async function run(
  words: readonly string[],
  options: { readonly signal: AbortSignal; readonly env?: NodeJS.ProcessEnv },
  input = '',
): Promise<string> {
  const running = promisify(execFile)(process.execPath, words, options);
  running.child.stderr!.pipe(process.stderr, { end: false });
  // A program that fails may not read its input to the end.
  running.child.stdin!.on('error', () => {}).end(input);
  const { stdout } = await running.catch(({ message }: Error) => {
    options.signal.throwIfAborted();
    throw new Error(message.trim().split('\n').at(-1));
  });
  return stdout.trim();
}
