import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { APIGateway } from '@aws-sdk/client-api-gateway';
import {
  CloudFormation,
  paginateListStackResources,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { STS } from '@aws-sdk/client-sts';
import type { OutputName } from '../../lib/settings/names.ts';
import { type StageName, stageSettings } from '../../lib/settings/stages.ts';
import { apiGatewayKeys } from '../admin/stage/api-gateway-keys.ts';
import { lookUntil } from './evidence.ts';

const client = new CloudFormation();
const waiting = { client, maxWaitTime: 1_800, minDelay: 5, maxDelay: 10 };

/** What the checks add to a stage is in stacks of its own, with these suffixes, so that one call removes it. */
const suffixes = ['-operator', ''] as const;
type Suffix = (typeof suffixes)[number];

export type Outputs = Readonly<Record<OutputName, string>>;

/** The stage that is deployed, checked and destroyed. */
export interface Trial {
  readonly stage: StageName;
  readonly stack: string;
  readonly signal: AbortSignal;
  /** The credentials of an operator. @default those of the caller */
  operator?: NodeJS.ProcessEnv;
}

/** Deploys the stage. @returns the outputs of its stack */
export async function deploy(trial: Trial): Promise<Outputs> {
  const options = ['--require-approval', 'never', '--output', `.cache/acceptance/${trial.stage}`];
  const environment = { STORE_ORDERS_STAGE: trial.stage };
  await run(['node_modules/aws-cdk/bin/cdk', 'deploy', ...options], environment, [], trial.signal);
  const { Stacks } = await client.describeStacks({ StackName: trial.stack });
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return Object.fromEntries(outputs.map((each) => [each.OutputKey, each.OutputValue]));
}

/** Deletes what a run, maybe an interrupted one, has created. @returns what remains */
export async function destroy(trial: Trial): Promise<string[]> {
  const gateway = apiGatewayKeys(new APIGateway());
  for (const { id } of await gateway.findApiKeys(`${trial.stack}-own_`)) {
    await gateway.deleteApiKey({ apiKey: id });
  }
  return (await Array.fromAsync(suffixes, (suffix) => deleteStack(trial.stack + suffix))).flat();
}

async function deleteStack(StackName: string): Promise<string[]> {
  const found = await client.describeStacks({ StackName }).catch(() => undefined);
  if (found === undefined) return [];
  await client.deleteStack({ StackName });
  // CloudFormation still describes a deleted stack by its id.
  const deleted = { StackName: found.Stacks?.[0]?.StackId };
  // If it fails, the list of the resources shows what remains.
  await waitUntilStackDeleteComplete(waiting, deleted).catch(() => {});
  const pages = await Array.fromAsync(paginateListStackResources({ client }, deleted));
  return pages
    .flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries)
    .filter(({ ResourceStatus }) => ResourceStatus !== 'DELETE_COMPLETE')
    .map(({ ResourceType, PhysicalResourceId }) => `${ResourceType} ${PhysicalResourceId}`);
}

/** Creates resources in a stack of their own, which `destroy` deletes. */
async function createStack(trial: Trial, suffix: Suffix, Resources: object): Promise<void> {
  const StackName = trial.stack + suffix;
  const TemplateBody = JSON.stringify({ Resources });
  await client.createStack({ StackName, TemplateBody, Capabilities: ['CAPABILITY_NAMED_IAM'] });
  await waitUntilStackCreateComplete(waiting, { StackName });
}

/** Runs the next operator's commands in a role with `docs/iam/operator-policy.json`. */
export async function becomeOperator(trial: Trial): Promise<void> {
  const sts = new STS();
  const { Account, Arn = '' } = await sts.getCallerIdentity({});
  const partition = Arn.split(':')[1];
  const policy = readFileSync('docs/iam/operator-policy.json', 'utf8')
    .replaceAll('arn:aws:', `arn:${partition}:`)
    .replaceAll('<ACCOUNT>', Account!)
    .replaceAll('<REGION>', stageSettings(trial.stage).region)
    .replaceAll('<STAGE>', trial.stage);
  const RoleName = `${trial.stack}-operator`;
  const trust = { Effect: 'Allow', Principal: { AWS: Account }, Action: 'sts:AssumeRole' };
  const Properties = {
    RoleName,
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [trust] },
    Policies: [{ PolicyName: 'operator', PolicyDocument: JSON.parse(policy) }],
  };
  await createStack(trial, '-operator', { Role: { Type: 'AWS::IAM::Role', Properties } });
  const RoleArn = `arn:${partition}:iam::${Account}:role/${RoleName}`;
  // A new role can be assumed some seconds later, and has its policy later still.
  const assume = async () => {
    const { Credentials } = await sts.assumeRole({ RoleArn, RoleSessionName: 'acceptance' });
    const operator = {
      AWS_ACCESS_KEY_ID: Credentials!.AccessKeyId,
      AWS_SECRET_ACCESS_KEY: Credentials!.SecretAccessKey,
      AWS_SESSION_TOKEN: Credentials!.SessionToken,
      // The SDK would prefer it.
      AWS_PROFILE: undefined,
    };
    const owners = await admin({ ...trial, operator }, ['owners', 'list']);
    trial.operator = operator;
    return owners;
  };
  await lookUntil('', assume, trial.signal);
}

/** Runs an operator's command. @returns what it prints */
export async function admin(
  { stage, operator, signal }: Trial,
  words: readonly string[],
  input: Iterable<string> = [],
): Promise<string> {
  const environment = { STORE_ORDERS_STAGE: stage, STORE_ORDERS_LOCAL: '', ...operator };
  return run(['tools/admin/run.ts', ...words], environment, input, signal);
}

/** Runs a program of this repository. @returns its output @throws Error with its last line */
export async function run(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  input: Iterable<string> = [],
  signal?: AbortSignal,
): Promise<string> {
  const running = promisify(execFile)(process.execPath, words, {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, ...environment },
    maxBuffer: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
  });
  const { stdin, stderr } = running.child;
  stderr!.pipe(process.stderr, { end: false });
  // A program that fails may not read its input to the end.
  Readable.from(input).pipe(stdin!.on('error', () => {}));
  try {
    return (await running).stdout.trim();
  } catch (error) {
    signal?.throwIfAborted();
    const { stdout = '', stderr: errors = '' } = error as { stdout?: string; stderr?: string };
    throw new Error((stdout.trim() || errors.trim()).split('\n').at(-1), { cause: error });
  }
}
