import { runInThisContext } from 'node:vm';
import { type AccountOptions, deployTemplate, openAccount } from '../../aws/deployment.ts';
import { serve } from '../../aws/serve.ts';

export type LocalService = Awaited<ReturnType<typeof startLocalService>>;

interface LocalServiceOptions extends AccountOptions {
  /** The template, with the functions' code in the same folder. */
  readonly templateFile: string;
  readonly stackName: string;
  /** The clock of this process, in milliseconds since the epoch, until the service is closed. @default - the system's */
  readonly now?: () => number;
}

/** Starts a template as `npm start` does, on a free port and with empty tables. */
export async function startLocalService({
  templateFile,
  stackName,
  now = Date.now,
  ...options
}: LocalServiceOptions) {
  const restoreClock = setClock(now);
  const account = await openAccount(options);
  const deployment = await deployTemplate(templateFile, stackName, account);
  const server = await serve(deployment, account);
  const outputs: Readonly<Record<string, string>> = deployment.outputs;
  const { pathname } = new URL(outputs.BaseUrl ?? server.origin);
  return {
    origin: server.origin,
    /** The stack's outputs, with the address on this machine. */
    outputs: { ...outputs, BaseUrl: server.origin + pathname } as typeof outputs,
    dynamodb: account.database.client,
    controlPlane: account.controlPlane,
    close: async () => {
      await server.close();
      await account.close();
      restoreClock();
    },
  };
}

/** Sets the clock of test files, and of the main context, in which functions run. Returns what undoes it. */
function setClock(now: () => number): () => void {
  const contexts: { Date: DateConstructor }[] = [globalThis, runInThisContext('globalThis')];
  const systemDates = contexts.map((context) => context.Date);
  for (const context of contexts) {
    context.Date = new Proxy(context.Date, {
      construct: (system, fields) =>
        Reflect.construct(system, fields.length === 0 ? [now()] : fields),
      get: (system, name) => (name === 'now' ? now : Reflect.get(system, name)),
    });
  }
  return () => {
    contexts.forEach((context, index) => {
      context.Date = systemDates[index]!;
    });
  };
}
