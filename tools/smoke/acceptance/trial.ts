import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { APIGateway } from '@aws-sdk/client-api-gateway';
import {
  CloudFormation,
  paginateListStackResources,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { versionPath } from '../../../lib/settings/functions.ts';
import type { OutputName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { withCallLimits } from '../../admin/stage/call-limits.ts';
import { keyGateway } from '../../admin/stage/key-gateway.ts';
import { senderTo } from '../stage/http-client.ts';
import { Stage } from '../stage/stage.ts';
import { type Evidence, emulator } from './evidence.ts';

const client = new CloudFormation();
const waiting = { client, maxWaitTime: 1_800, minDelay: 5, maxDelay: 10 };

/** The suffixes of the trial's stacks. The checks add resources in stacks of their own, which are easy to delete. */
const suffixes = ['-firewall', '-operator', ''] as const;
type Suffix = (typeof suffixes)[number];

/** The stage that is deployed, checked and destroyed. */
export interface Trial {
  readonly stage: StageName;
  readonly stack: string;
  readonly signal: AbortSignal;
  readonly evidence: Evidence;
  /** The credentials of an operator. @default the credentials of the caller */
  operator?: NodeJS.ProcessEnv;
}

/** A trial that is deployed. */
export interface Deployed extends Trial {
  readonly outputs: Readonly<Record<OutputName, string>>;
}

/** @throws Error if `cdk deploy` fails */
export async function deploy(trial: Trial): Promise<Deployed> {
  const options = ['--require-approval', 'never', '--output', `.cache/acceptance/${trial.stage}`];
  await run(trial, [
    createRequire(import.meta.url).resolve('aws-cdk/bin/cdk'),
    'deploy',
    ...options,
  ]);
  const { Stacks } = await client.describeStacks({ StackName: trial.stack });
  const listed = Stacks?.[0]?.Outputs ?? [];
  const outputs = Object.fromEntries(listed.map((each) => [each.OutputKey, each.OutputValue]));
  // ministack and LocalStack serve an API at this path.
  const path = `_aws/execute-api/${outputs.RestApiId}/${trial.stage}${versionPath}`;
  if (emulator) outputs.BaseUrl = `${emulator}/${path}`;
  return { ...trial, outputs };
}

/** Deletes everything that a run, or an interrupted run, has created. @returns the resources that remain */
export async function destroy(trial: Trial): Promise<string[]> {
  const gateway = keyGateway(withCallLimits(new APIGateway()));
  for (const { id } of await gateway.findGatewayKeys(`${trial.stack}-own_`)) {
    await gateway.deleteGatewayKey(id);
  }
  return (await Array.fromAsync(suffixes, (suffix) => deleteStack(trial.stack + suffix))).flat();
}

async function deleteStack(StackName: string): Promise<string[]> {
  const found = await client.describeStacks({ StackName }).catch(() => undefined);
  if (found === undefined) return [];
  await client.deleteStack({ StackName });
  // CloudFormation still describes a deleted stack by its id.
  const deleted = { StackName: found.Stacks?.[0]?.StackId };
  // A failure is ignored, because the list of the resources shows what remains.
  await waitUntilStackDeleteComplete(waiting, deleted).catch(() => {});
  const pages = await Array.fromAsync(paginateListStackResources({ client }, deleted));
  return pages
    .flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries)
    .filter(({ ResourceStatus }) => ResourceStatus !== 'DELETE_COMPLETE')
    .map(({ ResourceType, PhysicalResourceId }) => `${ResourceType} ${PhysicalResourceId}`);
}

/** Creates resources in a stack of their own, which `destroy` deletes. */
export async function createStack(trial: Trial, suffix: Suffix, Resources: object): Promise<void> {
  const StackName = trial.stack + suffix;
  const TemplateBody = JSON.stringify({ Resources });
  await client.createStack({ StackName, TemplateBody, Capabilities: ['CAPABILITY_NAMED_IAM'] });
  await waitUntilStackCreateComplete(waiting, { StackName });
}

/** Creates an owner with a key. */
export async function addOwner(trial: Deployed, name: string, ...options: string[]) {
  await admin(trial, ['owners', 'create', name, ...options]);
  return issueKey(trial, name);
}

/** Issues a key. @returns the stage, which is called with this key */
export async function issueKey(trial: Deployed, owner: string, ...options: string[]) {
  const issued = await admin(trial, ['keys', 'issue', '--owner', owner, '--json', ...options]);
  const { apiKey, keyId, ownerId } = JSON.parse(issued) as Record<string, string>;
  const send = senderTo(new URL(trial.outputs.BaseUrl), 60_000);
  return { stage: new Stage(send, apiKey!), keyId: keyId!, ownerId };
}

/** Runs an operator's command. @returns its standard output */
export async function admin(trial: Trial, words: readonly string[], input?: Iterable<string>) {
  return run(trial, ['tools/admin/run.ts', ...words], input);
}

/** Runs a program of this repository. @returns its output @throws Error with its last line */
export async function run(
  { operator, signal }: Trial,
  words: readonly string[],
  input: Iterable<string> = [],
): Promise<string> {
  const options = { env: { ...process.env, ...operator }, signal, maxBuffer: 2 ** 30 };
  const running = promisify(execFile)(process.execPath, words, options);
  running.child.stderr!.pipe(process.stderr, { end: false });
  // A program that fails may not read its input to the end.
  Readable.from(input).pipe(running.child.stdin!.on('error', () => {}));
  const ended = await running.catch((error: Awaited<typeof running> & Error) => error);
  signal.throwIfAborted();
  if (!('message' in ended)) return ended.stdout.trim();
  throw new Error((ended.stdout || ended.stderr || ended.message).trim().split('\n').at(-1));
}
