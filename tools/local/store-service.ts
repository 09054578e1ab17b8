import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type OutputName, stackName } from '../../lib/settings/names.ts';
import type { StageName } from '../../lib/settings/stages.ts';
import { repairOwners } from '../admin/owners/repair-owners.ts';
import { documentClient, type KeyStage, keyStageOf } from '../admin/stage/key-stage.ts';
import { OperatorError } from '../shared/errors.ts';
import { availablePort } from './available-port.ts';
import { type PreparedService, startLocalService } from './aws/local-service.ts';
import { keyGateway } from './aws/management/key-gateway.ts';
import { provideDemoKeys } from './demo-keys.ts';
import { exampleOrderId, loadFile, loadSample } from './demo-orders.ts';
import type { LocalOptions } from './local-options.ts';
import { localPage } from './page/local-page.ts';
import type { RunConsole } from './run-console.ts';

/** The store's service as `npm start` runs it. */
export type StoreService = Awaited<ReturnType<typeof startStoreService>>;

interface RunEnvironment {
  /** The folder for the files of this run. */
  readonly directory: string;
  readonly console: RunConsole;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  /** Collects the parts to stop at the end of the run, or when the start fails. */
  readonly started: AsyncDisposableStack;
}

type Outputs = Readonly<Record<OutputName, string>>;

/** The path in front of the contract's paths, such as `/staging/v1`. */
export function basePathOf(stage: StageName): string {
  return `/${stage}/v1`;
}

/** @throws OperatorError or LocalRunError for a problem that the user can solve */
export async function startStoreService(
  options: LocalOptions,
  { directory, console, signal: stop, started }: RunEnvironment,
) {
  const { port, host, stage, data, dynamodbEndpoint } = options;
  // Checked first, so that a mistake is reported without waiting for the synthesis.
  await availablePort(port, host);
  // Ends the synthesis if the start fails.
  const failing = new AbortController();
  started.defer(() => failing.abort());
  const signal = AbortSignal.any([stop, failing.signal]);

  let filled!: Awaited<ReturnType<typeof fillTables>>;
  const service = await startLocalService({
    templateFile: synthesize(stage, join(directory, 'assembly'), signal),
    stackName: stackName(stage),
    port,
    host,
    dynamodbEndpoint,
    dataDirectory: data && join(data, stackName(stage)),
    log: console.log,
    logFunction: console.logFunction,
    onAnswered: console.onAnswered,
    signal,
    prepare: async (prepared) => {
      filled = await fillTables(prepared, options, console.log, signal);
      return [localPage({ basePath: basePathOf(stage), ...filled })];
    },
  });
  started.defer(() => service.close());

  return {
    ...service,
    ...filled,
    /** The URL in front of the contract's paths. */
    baseUrl: `${service.origin}${basePathOf(stage)}`,
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
  const [code] = await once(child, 'close');
  if (code !== 0) throw new OperatorError('the template could not be synthesized; see above');
  return join(directory, `${stackName(stage)}.template.json`);
}

async function fillTables(
  service: PreparedService,
  options: LocalOptions,
  log: RunConsole['log'],
  signal: AbortSignal,
) {
  const outputs = service.outputs as Outputs;
  const { dynamodb } = service;
  const stage: KeyStage = {
    ...keyStageOf(options.stage, (name) => outputs[name]),
    documents: documentClient(dynamodb),
    gateway: keyGateway(service.controlPlane),
    now: Date.now,
    operator: 'npm start',
  };
  const orders = { dynamodb, tableName: outputs.OrdersTableName };
  // The gateway of a new run has no keys for the owners that an earlier run created.
  await repairOwners(stage);
  const [demoKeys] = await Promise.all([
    options.empty ? undefined : provideDemoKeys(stage, service.dataDirectory),
    options.orders
      ? loadFile(options.orders, orders, signal, log)
      : options.empty || loadSample(orders),
  ]);
  return { demoKeys, exampleOrderId: () => exampleOrderId(orders) };
}
