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

/** Measures one job in a process of its own; resolves with what it found. */
export interface MeasureInFreshProcess {
  (job: ListJob, environment: Environment): Promise<ListResult>;
  (job: CallsJob, environment: Environment): Promise<CallsResult>;
  (job: BurstJob, environment: Environment): Promise<BurstResult>;
  (job: ColdJob, environment: Environment): Promise<ColdResult>;
}

export type Environment = Record<string, string>;

/**
 * @param measureFile bundle of `measure.ts`
 * @param lambdaEnvironment the variables that Lambda sets for every function
 * @throws Error when the process fails; what it wrote to stderr has been shown by then
 */
export function createFreshProcess(
  measureFile: string,
  lambdaEnvironment: Environment,
): MeasureInFreshProcess {
  const measure = async (job: Job, environment: Environment) => {
    const child = fork(measureFile, [JSON.stringify(job)], {
      env: { ...lambdaEnvironment, ...environment },
      execArgv: [],
      // The functions log to stdout, which Lambda takes off their hands.
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
