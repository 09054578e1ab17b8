import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { versionPath } from '../../lib/settings/functions.ts';
import { type OutputName, stackName } from '../../lib/settings/names.ts';
import type { StageName } from '../../lib/settings/stages.ts';
import { repairOwners } from '../admin/owners/repair.ts';
import { keyStage } from '../admin/stage/key-stage.ts';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { type Account, type Deployment, deployTemplate, openAccount } from './aws/deployment.ts';
import { serve } from './aws/serve.ts';
import { type DemoKeys, provideDemoKeys } from './demo-keys.ts';
import { loadOrders } from './demo-orders.ts';
import type { LocalOptions } from './local-options.ts';
import { localPage } from './page/local-page.ts';
import { log, logLine, requestLine } from './terminal.ts';

/** A service that is ready. */
export type ReadyService = Awaited<ReturnType<typeof startStoreService>>;

/**
 * Starts the store's service as `npm start` runs it, in three steps: prepare what the template describes, fill its
 * tables, and listen.
 *
 * @param directory the folder for the files of this run
 * @param signal aborts the start
 * @param started collects the parts to stop at the end of the run, or when the start fails
 * @throws OperatorError for a problem that the user can solve
 */
export async function startStoreService(
  options: LocalOptions,
  directory: string,
  signal: AbortSignal,
  started: AsyncDisposableStack,
) {
  const { stage, host, port, data, json, dynamodbEndpoint } = options;
  const basePath = `/${stage}${versionPath}`;
  // Each stage has a directory of its own.
  const dataDirectory = data && join(data, stackName(stage));
  const account = await openAccount({
    dynamodbEndpoint,
    dataDirectory,
    // With `--json`, a program reads the output, so it gets all logs of the functions, and no lines about requests.
    log: (source, line) => {
      const shown = json ? `${source}: ${line}` : logLine(source, line);
      if (shown !== undefined) log(shown);
    },
  });
  started.defer(account.close);
  const prepare = () => deployStage(stage, join(directory, 'assembly'), account, signal);
  try {
    const deployment = await prepare();
    const demoKeys = await fillTables(deployment, account, options, dataDirectory, signal);
    const server = await serve(deployment, account, {
      host,
      port,
      handler: localPage(basePath, demoKeys),
      onAnswered: json ? undefined : (answered) => void process.stdout.write(requestLine(answered)),
    });
    started.defer(server.close);
    return {
      stage,
      demoKeys,
      origin: server.origin,
      /** The URL in front of the contract's paths. */
      baseUrl: server.origin + basePath,
      outputs: deployment.outputs as Readonly<Record<OutputName, string>>,
      /** Resolves with the reason when the database has ended. */
      failed: account.database.ended,
      /** Prepares the changed sources. From the next request on, they answer instead of the earlier sources. */
      reload: async () => server.replace(await prepare()),
    };
  } catch (error) {
    throw account.database.explain(error);
  }
}

/**
 * Synthesizes a stage, and deploys its template. The synthesis has a process of its own, so that its end frees the
 * CDK's memory.
 */
async function deployStage(
  stage: StageName,
  assembly: string,
  account: Account,
  signal: AbortSignal,
): Promise<Deployment> {
  const program = join(import.meta.dirname, 'synthesize.ts');
  const child = spawn(process.execPath, [program, stage, assembly], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      // Off, because the CDK's checks take longer than the rest of the synthesis. Deployments and tests run these
      // checks.
      CDK_VALIDATION: process.env.CDK_VALIDATION ?? 'false',
    },
    // The child writes to standard error, because standard output is only for the text that says how to use the
    // service.
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    signal,
    killSignal: 'SIGKILL',
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new OperatorError('the template could not be synthesized; see above');
  const name = stackName(stage);
  return deployTemplate(join(assembly, `${name}.template.json`), name, account);
}

/** Fills an empty store with orders, and provides the demo keys. */
async function fillTables(
  deployment: Deployment,
  { database, controlPlane }: Account,
  { stage: name, orders: file }: LocalOptions,
  dataDirectory: string | undefined,
  signal: AbortSignal,
): Promise<DemoKeys> {
  const outputs = deployment.outputs as Readonly<Record<OutputName, string>>;
  const dynamodb = database.client;
  const stage = keyStage(name, (output) => outputs[output], {
    dynamodb,
    gateway: controlPlane,
    now: Date.now,
    operator: 'npm start',
  });
  // The gateway of a new run lacks the keys of owners that an earlier run has created, so they are repaired.
  await repairOwners(stage);
  const isLoaded = await loadOrders(file, { dynamodb, tableName: outputs.OrdersTableName }, signal);
  if (file && !isLoaded) log(printable(`${file} was not loaded, because the store has orders`));
  const demoKeys = await provideDemoKeys(stage, dataDirectory);
  signal.throwIfAborted();
  return demoKeys;
}
