import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { versionPath } from '../../lib/settings/functions.ts';
import { type OutputName, stackName } from '../../lib/settings/names.ts';
import type { StageName } from '../../lib/settings/stages.ts';
import { repairOwners } from '../admin/owners/repair-owners.ts';
import { documentClient, type KeyStage, keyStageOf } from '../admin/stage/key-stage.ts';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { type Account, openAccount } from './aws/account.ts';
import { type Deployment, deployTemplate } from './aws/deployment.ts';
import { serve } from './aws/serve.ts';
import { provideDemoKeys } from './demo-keys.ts';
import { exampleOrderId, loadOrders } from './demo-orders.ts';
import type { LocalOptions } from './local-options.ts';
import { localPage } from './page/local-page.ts';
import { functionLine, log, requestLine } from './terminal.ts';

/**
 * Starts the store's service as `npm start` runs it, in three steps: prepare what the template describes, fill its
 * tables, and listen.
 *
 * @param directory the folder for the files of this run
 * @param signal aborts the start
 * @param started collects the parts to stop at the end of the run, or when the start fails
 * @throws OperatorError or LocalRunError for a problem that the user can solve
 */
export async function startStoreService(
  options: LocalOptions,
  directory: string,
  signal: AbortSignal,
  started: AsyncDisposableStack,
) {
  const account = await openAccount({
    dynamodbEndpoint: options.dynamodbEndpoint,
    dataDirectory: dataDirectoryOf(options),
    log,
    // A program gets all logs of the functions.
    logFunction: options.json ? undefined : logForPerson,
  });
  started.defer(account.close);
  const deploy = () => deployStage(options.stage, directory, account, signal);
  try {
    const deployment = await deploy();
    const filled = await fillTables(deployment, account, options, signal);
    const server = await listen(deployment, account, options, filled);
    started.defer(server.close);
    return {
      ...filled,
      origin: server.origin,
      /** The URL in front of the contract's paths. */
      baseUrl: server.origin + basePathOf(options.stage),
      stage: options.stage,
      outputs: deployment.outputs as Readonly<Record<OutputName, string>>,
      /** Resolves with the reason when the database has ended. */
      failed: account.database.ended,
      /** Deploys the changed sources, whose answers replace those of the earlier ones. */
      reload: async () => server.replace(await deploy()),
    };
  } catch (error) {
    throw account.database.explain(error);
  }
}

const basePathOf = (stage: StageName) => `/${stage}${versionPath}`;

/** Each stage has a directory of its own. */
function dataDirectoryOf({ data, stage }: LocalOptions): string | undefined {
  return data && join(data, stackName(stage));
}

function logForPerson(functionName: string, line: string): void {
  const shown = functionLine(functionName, line);
  if (shown !== undefined) log(shown);
}

async function deployStage(
  stage: StageName,
  directory: string,
  account: Account,
  signal: AbortSignal,
): Promise<Deployment> {
  const assembly = join(directory, 'assembly');
  await synthesize(stage, assembly, signal);
  const name = stackName(stage);
  return deployTemplate(join(assembly, `${name}.template.json`), name, account);
}

/** Synthesizes the template in a process of its own, whose end frees the CDK's memory. */
async function synthesize(stage: StageName, directory: string, signal: AbortSignal) {
  const program = join(import.meta.dirname, 'synthesize.ts');
  const child = spawn(process.execPath, [program, stage, directory], {
    cwd: join(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      // The CDK's checks take longer than the rest of the synthesis. Deployments and tests run them.
      CDK_VALIDATION: process.env.CDK_VALIDATION ?? 'false',
    },
    // Standard output is only for the text that says how to use the service.
    stdio: ['ignore', process.stderr.fd, process.stderr.fd],
    signal,
    killSignal: 'SIGKILL',
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new OperatorError('the template could not be synthesized; see above');
}

/** Provides the demo keys and, in an empty store, orders. */
async function fillTables(
  deployment: Deployment,
  { database, controlPlane }: Account,
  options: LocalOptions,
  signal: AbortSignal,
) {
  const outputs = deployment.outputs as Readonly<Record<OutputName, string>>;
  const dynamodb = database.client;
  const stage: KeyStage = {
    ...keyStageOf(options.stage, (name) => outputs[name]),
    documents: documentClient(dynamodb),
    gateway: controlPlane,
    now: Date.now,
    operator: 'npm start',
  };
  const table = { dynamodb, tableName: outputs.OrdersTableName };
  const path = options.orders;
  const tell = (text: string) => log(printable(`${path}: ${text}`));
  // The gateway of a new run has no keys for the owners that an earlier run created.
  await repairOwners(stage);
  const [demoKeys] = await Promise.all([
    provideDemoKeys(stage, dataDirectoryOf(options)),
    loadOrders(path ? { path, signal, tell } : undefined, table),
  ]);
  signal.throwIfAborted();
  return { demoKeys, exampleOrderId: await exampleOrderId(table) };
}

type Filled = Awaited<ReturnType<typeof fillTables>>;

function listen(
  deployment: Deployment,
  account: Account,
  { stage, host, port, json }: LocalOptions,
  filled: Filled,
) {
  return serve(deployment, account, {
    host,
    port,
    handlers: [localPage({ ...filled, basePath: basePathOf(stage) })],
    // A program gets no lines of requests.
    ...(!json && { onAnswered: (answered) => void process.stdout.write(requestLine(answered)) }),
  });
}
