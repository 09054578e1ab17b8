import { type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { plans } from '../../lib/settings/plans.ts';
import { functionEnvironment } from '../../test/helpers/functions/function-environment.ts';
import { buildBundles } from './bundles.ts';
import { apiKeysTable, counterTable } from './canned-dynamodb.ts';
import type { OrdersTable } from './canned-orders.ts';
import type { Job, JobResult } from './measured-process.ts';

/** What the jobs that measure functions share. */
export type Workbench = Awaited<ReturnType<typeof setUpWorkbench>>;

const variables = {
  ...functionEnvironment,
  AWS_SESSION_TOKEN: 'benchmark',
  AWS_LAMBDA_FUNCTION_NAME: 'benchmark',
  API_KEYS_TABLE: apiKeysTable,
  COUNTERS_TABLE: counterTable,
  PLANS: JSON.stringify(plans),
};

const quiet: ForkOptions = { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] };

/**
 * Builds the bundles and starts the canned DynamoDB in a separate process.
 *
 * @param isQuick uses small sizes and one round, to verify that the benchmark works
 */
export async function setUpWorkbench(isQuick: boolean) {
  // Each run has its own folder, because two can run at the same time.
  const home = join(import.meta.dirname, '../../.cache/bench', String(process.pid));
  mkdirSync(home, { recursive: true });
  const canned = fork(join(import.meta.dirname, 'canned-dynamodb.ts'), [home], quiet);
  const [bundles, [addresses]] = await Promise.all([buildBundles(home), once(canned, 'message')]);
  // A function has no ~/.aws, so the process must not read the user's.
  const environment = { HOME: home, ...variables, ...(addresses as object) };
  return {
    bundles,
    isQuick,
    /**
     * Does a job in a new process.
     *
     * @param answer has to match the handler's last answer, as JSON
     * @throws Error if it does not, or if the process fails, which prints the reason on stderr
     */
    async measure(job: Job, answer: RegExp, ordersTable?: OrdersTable): Promise<JobResult> {
      if (ordersTable) {
        canned.send(ordersTable);
        await once(canned, 'message');
      }
      const options = { ...quiet, env: environment };
      const measured = fork(bundles.own.measuredProcess, [JSON.stringify(job)], options);
      const exited = once(measured, 'exit').then(() => []);
      const [result] = (await Promise.race([once(measured, 'message'), exited])) as [JobResult?];
      await exited;
      const found = JSON.stringify(result?.answer);
      if (result && answer.test(found)) return result;
      throw new Error(`${job.bundleFile} answered ${found}, expected ${answer}`);
    },
    [Symbol.dispose]() {
      canned.disconnect();
      rmSync(home, { recursive: true });
    },
  };
}

/** Measures all contestants in turn in each round, so that other load on the machine affects them equally. */
export async function interleave<Name extends string, Contestant, Result>(
  { isQuick }: Pick<Workbench, 'isQuick'>,
  rounds: number,
  contestants: Record<Name, Contestant>,
  measure: (contestant: Contestant) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contestants) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]]));
  for (let round = 0; round < (isQuick ? 1 : rounds); round++) {
    for (const name of names) results[name]!.push(await measure(contestants[name]));
  }
  return results as Record<Name, Result[]>;
}
