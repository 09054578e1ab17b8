import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { APIGateway } from '@aws-sdk/client-api-gateway';
import { CloudFormation, waitUntilStackDeleteComplete } from '@aws-sdk/client-cloudformation';
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
export const cloudFormation = new CloudFormation(settings);

/** Waits at most half an hour for each stack. */
export const waiting = { client: cloudFormation, maxWaitTime: 1_800 };

/** Metrics and changes of API Gateway can be late by some minutes. */
const patienceMs = 900_000;

/** The settings with which programs are run. */
interface Session {
  readonly signal: AbortSignal;
  /** The credentials of an operator. @default the credentials of the caller */
  operator?: NodeJS.ProcessEnv;
}

/** A stage that is deployed, checked and removed. It has the owner `customer`. */
export interface Trial extends Session {
  readonly name: StageName;
  readonly stack: string;
  readonly outputs: Readonly<Record<OutputName, string>>;
  readonly ownerId: string;
  /** The stage, which is called with the owner's key. */
  readonly api: Stage;
}

/** A check of a trial. Its group is a page, a colon, and words of the page that depend on the result. */
export type Row = Check<Trial>;

/** Creates a row. The result of `run` has to contain the expected text. */
export function row(group: string, title: string, expected: string, run: Row['run']): Row {
  return { group, title, expected, run };
}

/** @throws Error if a command fails */
export async function deploy(trial: Pick<Trial, 'name' | 'stack' | 'signal'>): Promise<Trial> {
  const cdk = createRequire(import.meta.url).resolve('aws-cdk/bin/cdk');
  await run(trial, [cdk, 'deploy', '--require-approval', 'never']);
  const { Stacks } = await cloudFormation.describeStacks({ StackName: trial.stack });
  const listed = Stacks?.[0]?.Outputs ?? [];
  const outputs = Object.fromEntries(listed.map((each) => [each.OutputKey, each.OutputValue]));
  await admin(trial, ['owners', 'create', 'customer', '--plan', 'pro']);
  const issued = await admin(trial, ['keys', 'issue', '--owner', 'customer', '--json']);
  const { apiKey, ownerId } = JSON.parse(issued);
  const api = new Stage(senderTo(new URL(outputs.BaseUrl), 60_000), apiKey);
  return { ...trial, outputs, ownerId, api };
}

/** Removes everything that a run has created. @throws Error if something cannot be removed */
export async function remove(stack: string): Promise<void> {
  const keys = keyGateway(gateway);
  for (const { id } of await keys.findGatewayKeys(`${stack}-own_`)) await keys.deleteGatewayKey(id);
  for (const StackName of [roleStack(stack), stack]) {
    await cloudFormation.deleteStack({ StackName });
    await waitUntilStackDeleteComplete(waiting, { StackName });
  }
}

/** The name of the stack with the operator's role, and of the role. */
export function roleStack(stack: string): string {
  return `${stack}-operator`;
}

/**
 * Repeats `look` until its result contains a text, or the longest wait is over. Earlier errors are ignored.
 *
 * @returns the last result
 */
export async function lookUntil(
  text: string,
  { signal }: Session,
  look: () => Promise<string>,
): Promise<string> {
  for (const endMs = performance.now() + patienceMs; performance.now() < endMs; ) {
    const seen = await look().catch(() => '');
    if (seen.includes(text)) return seen;
    await sleep(5_000);
    signal.throwIfAborted();
  }
  return look();
}

/** Compares the time since a moment, which is in Unix milliseconds, with a limit in seconds. */
export function secondsSince(startedMs: number, limit: number): string {
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  return `${seconds <= limit ? 'within' : 'later than'} ${limit} s (${seconds} s)`;
}

/** Runs an operator's command. @returns its standard output */
export function admin(session: Session, words: readonly string[], input?: string): Promise<string> {
  return run(session, ['tools/admin/run.ts', ...words], input);
}

/**
 * Runs a program of this repository. @returns its standard output @throws Error with the last line that the program has
 * printed, if it fails
 */
async function run(
  { operator, signal }: Session,
  words: readonly string[],
  input = '',
): Promise<string> {
  const env = { ...process.env, ...operator };
  const running = promisify(execFile)(process.execPath, words, { env, signal });
  running.child.stderr!.pipe(process.stderr, { end: false });
  // A program that fails may not read its input to the end.
  running.child.stdin!.on('error', () => {}).end(input);
  const { stdout } = await running.catch(({ message }: Error) => {
    signal.throwIfAborted();
    throw new Error(message.trim().split('\n').at(-1));
  });
  return stdout.trim();
}
