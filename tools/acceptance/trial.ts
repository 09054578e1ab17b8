import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { type OutputName, stackName } from '../../lib/settings/names.ts';
import type { StageName } from '../../lib/settings/stages.ts';
import { apiGatewayKeys } from '../admin/stage/api-gateway-keys.ts';
import { aws } from './aws.ts';
import { deleteOperator } from './operator.ts';

export type Outputs = Readonly<Record<OutputName, string>>;

/** The stage that is deployed, checked and destroyed. */
export interface Trial {
  readonly stage: StageName;
  readonly stack: string;
  readonly signal: AbortSignal;
  /** The credentials of an operator as environment variables. @default those of the caller */
  operator?: Readonly<Record<string, string | undefined>>;
}

export function trialOf(stage: StageName, signal: AbortSignal): Trial {
  return { stage, stack: stackName(stage), signal };
}

/** Deploys the stage. @returns the outputs of its stack */
export async function deploy(trial: Trial): Promise<Outputs> {
  await cdk(trial, 'deploy', '--require-approval', 'never');
  const { Stacks } = await aws.cloudFormation.describeStacks({ StackName: trial.stack });
  const outputs = Stacks?.[0]?.Outputs ?? [];
  return Object.fromEntries(outputs.map((each) => [each.OutputKey, each.OutputValue]));
}

/** Deletes what a run, maybe an interrupted one, has created. @returns what remains */
export async function destroy(trial: Trial): Promise<string[]> {
  const gateway = apiGatewayKeys(aws.apiGateway);
  for (const { id } of await gateway.findApiKeys(`${trial.stack}-own_`)) {
    await gateway.deleteApiKey({ apiKey: id });
  }
  await deleteOperator(trial);
  const { Stacks: [stack] = [] } = await aws.cloudFormation
    .describeStacks({ StackName: trial.stack })
    .catch(() => ({ Stacks: [] }));
  if (stack === undefined) return [];
  // If it fails, the list of the resources shows what remains.
  await cdk(trial, 'destroy', '--force').catch(() => {});
  // CloudFormation still describes a deleted stack by its id.
  const deleted = { StackName: stack.StackId };
  const client = aws.cloudFormation;
  const pages = await Array.fromAsync(paginateListStackResources({ client }, deleted));
  return pages
    .flatMap(({ StackResourceSummaries = [] }) => StackResourceSummaries)
    .filter(({ ResourceStatus }) => ResourceStatus !== 'DELETE_COMPLETE')
    .map(({ ResourceType, PhysicalResourceId }) => `${ResourceType} ${PhysicalResourceId}`);
}

/** Runs an operator's command. @returns what it prints */
export async function admin(
  { stage, operator, signal }: Trial,
  words: readonly string[],
  input: Iterable<string> = [],
): Promise<string> {
  const environment = { STORE_ORDERS_STAGE: stage, STORE_ORDERS_LOCAL: '', ...operator };
  return run(['tools/admin/run.ts', ...words], { environment, input, signal });
}

async function cdk({ stage }: Trial, ...words: string[]): Promise<void> {
  const output = ['--output', `.cache/acceptance/${stage}`];
  await run(['node_modules/aws-cdk/bin/cdk', ...words, ...output], {
    environment: { STORE_ORDERS_STAGE: stage },
  });
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly input?: Iterable<string>;
  readonly signal?: AbortSignal;
}

/**
 * Runs a program of this repository, and passes its standard error on.
 *
 * @returns its standard output
 * @throws Error with the last line that it has printed, if it fails
 */
export async function run(
  words: readonly string[],
  { environment, input = [], signal }: RunOptions = {},
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
    return (await running).stdout;
  } catch (error) {
    signal?.throwIfAborted();
    const { stdout = '', stderr: errors = '' } = error as { stdout?: string; stderr?: string };
    throw new Error((stdout.trim() || errors.trim()).split('\n').at(-1), { cause: error });
  }
}
