import { fork } from 'node:child_process';
import { once } from 'node:events';
import type {
  BurstJob,
  BurstResult,
  CallsJob,
  CallsResult,
  ColdJob,
  ColdResult,
  Job,
  ListJob,
  ListResult,
} from './job.ts';

/** Runs one job in a new process, and resolves with the result. */
export interface MeasureInFreshProcess {
  (job: ListJob, environment: Environment): Promise<ListResult>;
  (job: CallsJob, environment: Environment): Promise<CallsResult>;
  (job: BurstJob, environment: Environment): Promise<BurstResult>;
  (job: ColdJob, environment: Environment): Promise<ColdResult>;
}

export type Environment = Record<string, string>;

/**
 * Returns a function that runs jobs. It throws an Error if the process fails, after the process has
 * written the reason to stderr.
 *
 * @param measureFile the bundle of `measure.ts`
 * @param lambdaEnvironment the variables that Lambda sets for every function
 */
export function createFreshProcess(
  measureFile: string,
  lambdaEnvironment: Environment,
): MeasureInFreshProcess {
  const measure = async (job: Job, environment: Environment) => {
    const child = fork(measureFile, [JSON.stringify(job)], {
      env: { ...lambdaEnvironment, ...environment },
      execArgv: [],
      // The functions' log on stdout is discarded, because Lambda processes it outside of them.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let result: unknown;
    child.on('message', (message) => {
      result = message;
    });
    await once(child, 'exit');
    if (result === undefined) throw new Error(`Measuring ${job.bundleFile} failed.`);
    return result;
  };
  return measure as MeasureInFreshProcess;
}
