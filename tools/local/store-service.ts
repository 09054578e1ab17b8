import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { versionPath } from '../../lib/settings/functions.ts';
import { type OutputName, stackName } from '../../lib/settings/names.ts';
import { planNames } from '../../lib/settings/plans.ts';
import type { StageName } from '../../lib/settings/stages.ts';
import { repairOwners } from '../admin/owners/repair-owners.ts';
import { documentClient, type KeyStage, keyStageOf } from '../admin/stage/key-stage.ts';
import { OperatorError } from '../shared/errors.ts';
import { printable } from '../shared/printable.ts';
import { type PreparedService, startLocalService } from './aws/local-service.ts';
import { planTitle, provideDemoKeys } from './demo-keys.ts';
import { exampleOrderId, loadOrders } from './demo-orders.ts';
import type { LocalOptions } from './local-options.ts';
import { localPage } from './page/local-page.ts';
import { functionLine, log, requestLine } from './terminal.ts';

type Outputs = Readonly<Record<OutputName, string>>;

/**
 * Starts the store's service as `npm start` runs it.
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
  const { port, host, stage, data, dynamodbEndpoint, json } = options;
  /** The path in front of the contract's paths. */
  const basePath = `/${stage}${versionPath}`;

  let filled!: Awaited<ReturnType<typeof fillTables>>;
  const service = await startLocalService({
    templateFile: synthesize(stage, join(directory, 'assembly'), signal),
    stackName: stackName(stage),
    port,
    host,
    dynamodbEndpoint,
    dataDirectory: data && join(data, stackName(stage)),
    log,
    // A program gets all logs of the functions, and no lines of requests.
    ...(!json && {
      logFunction: (name, line) => {
        const shown = functionLine(name, line);
        if (shown !== undefined) log(shown);
      },
      onAnswered: (answered) => void process.stdout.write(`${requestLine(answered, basePath)}\n`),
    }),
    prepare: async (prepared) => {
      filled = await fillTables(prepared, options, signal);
      signal.throwIfAborted();
      const { demoKeys, exampleOrderId } = filled;
      const keys = demoKeys && planNames.map((plan) => [planTitle(plan), demoKeys[plan]]);
      return [localPage({ basePath, demoKeys: Object.fromEntries(keys ?? []), exampleOrderId })];
    },
  });
  started.defer(() => service.close());

  return {
    ...service,
    ...filled,
    stage,
    baseUrl: `${service.origin}${basePath}`,
    outputs: service.outputs as Outputs,
  };
}

/** Synthesizes the template in a process of its own, whose end frees the CDK's memory. Returns the template's path. */
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
  // If the start fails before, nothing may write into the folder that is removed at the end.
  process.prependOnceListener('exit', () => child.kill('SIGKILL'));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new OperatorError('the template could not be synthesized; see above');
  return join(directory, `${stackName(stage)}.template.json`);
}

async function fillTables(service: PreparedService, options: LocalOptions, signal: AbortSignal) {
  const outputs = service.outputs as Outputs;
  const { dynamodb } = service;
  const stage: KeyStage = {
    ...keyStageOf(options.stage, (name) => outputs[name]),
    documents: documentClient(dynamodb),
    gateway: service.controlPlane,
    now: Date.now,
    operator: 'npm start',
  };
  const table = { dynamodb, tableName: outputs.OrdersTableName };
  const path = options.orders;
  const tell = (text: string) => log(printable(`${path}: ${text}`));
  // The gateway of a new run has no keys for the owners that an earlier run created.
  await repairOwners(stage);
  const [demoKeys] = await Promise.all([
    options.empty ? undefined : provideDemoKeys(stage, service.dataDirectory),
    path || !options.empty
      ? loadOrders(path ? { path, signal, tell } : undefined, table)
      : undefined,
  ]);
  return { demoKeys, exampleOrderId: await exampleOrderId(table) };
}
