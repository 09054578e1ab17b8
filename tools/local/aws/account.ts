import { type DatabaseOptions, openDatabase } from './dynamodb/database.ts';
import { startDynamoDBGuard } from './dynamodb/guard.ts';
import type { FunctionLog } from './lambda/functions.ts';
import { createControlPlane } from './management/control-plane.ts';

export interface AccountOptions extends DatabaseOptions {
  /** The clock of the run and its functions, in milliseconds since the epoch. @default - the system's */
  readonly now?: () => number;
  readonly log: (line: string) => void;
  /** Takes a line that a function logged. @default - passes it to `log` with the function's name */
  readonly logFunction?: FunctionLog | undefined;
}

/** The surroundings of a deployment, which outlive it: the data, the gateway's keys, the clock and the log. */
export type Account = Awaited<ReturnType<typeof openAccount>>;

/** @throws OperatorError if there is no database */
export async function openAccount(options: AccountOptions) {
  const { log, now = Date.now } = options;
  const { logFunction = (name, line) => log(`${name}: ${line}`) } = options;
  const database = await openDatabase(options);
  const guard = await startDynamoDBGuard({ database, now, log });
  return {
    database,
    /** The proxy through which the functions use the database. */
    guard,
    controlPlane: createControlPlane(now),
    now,
    log,
    logFunction,
    close: async () => {
      await guard.close();
      await database.close();
    },
  };
}
