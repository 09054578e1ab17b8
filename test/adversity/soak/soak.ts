import { join } from 'node:path';
import { startEmbeddedDynamoDB } from '../../../local/dynamodb/embedded-dynamodb.ts';
import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { HttpClient } from '../../../smoke/stage/http-client.ts';
import { FaultyDynamodb } from '../faults/faulty-dynamodb.ts';
import { answerTimeoutMs, timeoutsMs } from '../faults/function-timeouts.ts';
import { OrderBatches } from './order-batches.ts';
import type { SoakReport } from './report.ts';
import { startServiceProcess } from './service-process.ts';
import { limitedPerMinute, type RunSettings, SoakRun } from './soak-run.ts';

interface SoakSettings extends RunSettings {
  /** The directory of the service's log. */
  readonly directory: string;
}

/** Runs the local service under load, with phases of faults, and checks the invariants. */
export async function soak(settings: SoakSettings): Promise<SoakReport> {
  await using started = new AsyncDisposableStack();
  const database = await startEmbeddedDynamoDB();
  started.defer(() => database.close());
  const dynamodb = started.use(await FaultyDynamodb.before(database.endpoint, answerTimeoutMs));
  const data = localDynamoDbClient(database.endpoint);
  started.defer(() => data.destroy());
  const log = join(settings.directory, 'service.log');
  const endpoint = settings.hasFaults ? dynamodb.url : database.endpoint;
  const service = started.use(await startServiceProcess(endpoint, log));
  const client = new HttpClient(new URL(service.baseUrl), 2 * timeoutsMs.GET);
  started.defer(() => client.close());
  const batches = new OrderBatches(data, service.ordersTable);
  await batches.clear();
  const limited = await service.issueKey(limitedPerMinute);
  const tokens = { unlimited: service.token, limited };
  const run = new SoakRun(
    { settings, dynamodb, service, client, batches, tokens },
    database.processId,
  );
  // Awaited here, because the service and the database are stopped when this function returns.
  return await run.run();
}
