import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APIGateway } from '@aws-sdk/client-api-gateway';
import {
  CloudFormation,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { versionPath } from '../../../lib/settings/functions.ts';
import type { OutputName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { callLimitSettings, withCallLimits } from '../../admin/stage/call-limits.ts';
import { keyGateway } from '../../admin/stage/key-gateway.ts';
import type { Check } from '../runner.ts';
import { senderTo } from '../stage/http-client.ts';
import { Stage } from '../stage/stage.ts';

/** The settings of all clients of AWS. */
export const settings = callLimitSettings();
export const gateway = withCallLimits(new APIGateway(settings));
const client = new CloudFormation(settings);
const waiting = { client, maxWaitTime: 1_800, minDelay: 5, maxDelay: 10 };

/** The address of an emulator; undefined for AWS itself. */
export const emulator = process.env.AWS_ENDPOINT_URL || undefined;

/** The longest wait for a result, because metrics can be late by some minutes. In an emulator, nothing is late. */
const [patienceMs, pauseMs] = emulator ? [2_000, 500] : [600_000, 5_000];

/** A stage that is deployed, checked and removed. */
export interface Trial {
  readonly name: StageName;
  readonly stack: string;
  readonly signal: AbortSignal;
  /** The credentials of an operator. @default the credentials of the caller */
  operator?: NodeJS.ProcessEnv;
}

/** A trial that is deployed, and has the owner `customer`. */
export interface Deployed extends Trial {
  readonly outputs: Readonly<Record<OutputName, string>>;
  readonly ownerId: string;
  /** The stage, which is called with the owner's key. */
  readonly api: Stage;
}

/** A check of a trial. Its group is a page, a colon, and words of the page that depend on the result. */
export type Row = Check<Deployed>;

/** @throws Error if a command fails */
export async function deploy(trial: Trial): Promise<Deployed> {
  const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  const output = `.cache/acceptance/${trial.name}`;
  await run(trial, [cdk, 'deploy', '--require-approval', 'never', '--output', output]);
  const { Stacks } = await client.describeStacks({ StackName: trial.stack });
  const listed = Stacks?.[0]?.Outputs ?? [];
  const outputs = Object.fromEntries(listed.map((each) => [each.OutputKey, each.OutputValue]));
  await admin(trial, ['owners', 'create', 'customer', '--plan', 'pro']);
  const issued = await admin(trial, ['keys', 'issue', '--owner', 'customer', '--json']);
  const { apiKey, ownerId } = JSON.parse(issued);
  // ministack and LocalStack serve an API at this path.
  const path = `_aws/execute-api/${outputs.RestApiId}/${trial.name}${versionPath}`;
  if (emulator) outputs.BaseUrl = `${emulator}/${path}`;
  const api = new Stage(senderTo(new URL(outputs.BaseUrl), 60_000), apiKey);
  return { ...trial, outputs, ownerId, api };
}

/** Removes everything that a run, or an interrupted run, has created. @throws Error if something cannot be removed */
export async function remove({ stack }: Pick<Trial, 'stack'>): Promise<void> {
  const keys = keyGateway(gateway);
  for (const { id } of await keys.findGatewayKeys(`${stack}-own_`)) await keys.deleteGatewayKey(id);
  for (const StackName of [roleStack(stack), stack]) {
    // Repeated, because API Gateway may refuse to delete a REST API while it changes the API's TLS policy.
    for (let attempt = 1; ; attempt++) {
      await client.deleteStack({ StackName });
      const deletion = waitUntilStackDeleteComplete(waiting, { StackName });
      const error: unknown = await deletion.then(() => {}, Object);
      if (error === undefined) break;
      if (attempt === 4) throw error;
      await sleep(attempt * 12 * pauseMs);
    }
  }
}

/** The name of the stack with the operator's role. */
function roleStack(stack: string): string {
  return `${stack}-operator`;
}

/** Creates a role in a stack of its own, which `remove` deletes. */
export async function createRole({ stack }: Trial, Properties: object): Promise<void> {
  const StackName = roleStack(stack);
  const TemplateBody = JSON.stringify({
    Resources: { Role: { Type: 'AWS::IAM::Role', Properties } },
  });
  await client.createStack({ StackName, TemplateBody, Capabilities: ['CAPABILITY_NAMED_IAM'] });
  await waitUntilStackCreateComplete(waiting, { StackName });
}

/**
 * Repeats `look` until its result contains a text, or the longest wait is over. Errors before that are ignored.
 *
 * @returns the last result
 */
export async function lookUntil(
  text: string,
  { signal }: Trial,
  look: () => Promise<string>,
): Promise<string> {
  for (const endMs = performance.now() + patienceMs; performance.now() < endMs; ) {
    const seen = await look().catch(() => '');
    if (seen.includes(text)) return seen;
    await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return look();
}

/** Compares the time since a moment, which is in Unix milliseconds, with a limit in seconds. */
export function secondsSince(startedMs: number, limit: number): string {
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  return `${seconds <= limit ? 'within' : 'later than'} ${limit} s (${seconds} s)`;
}

/** Runs an operator's command. @returns its standard output */
export async function admin(trial: Trial, words: readonly string[], input?: Iterable<string>) {
  return run(trial, ['tools/admin/run.ts', ...words], input);
}

/** Runs a program of this repository. @returns its output @throws Error with its last line */
async function run(
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
