import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { HttpClient } from '../../../smoke/stage/http-client.ts';
import { RunningStore } from '../../e2e/running-store.ts';
import { templateFile } from '../../helpers/synthesized.ts';
import { FaultyDynamodb } from './faulty-dynamodb.ts';
import { answerTimeoutMs, timeoutsMs } from './function-timeouts.ts';
import { sendOverHttp } from './send-over-http.ts';
import type { StoreUnderFaults } from './store-under-faults.ts';

/**
 * Starts the whole local service, which is called over HTTP. Its functions have their deployed
 * timeouts.
 *
 * @param endpoint the endpoint of a DynamoDB-compatible server
 */
export async function startHttpStore(endpoint: string): Promise<StoreUnderFaults> {
  const dynamodb = await FaultyDynamodb.before(endpoint, answerTimeoutMs);
  const store = await RunningStore.start({
    templateFile: templateFile('staging'),
    dynamodbEndpoint: dynamodb.url,
    dataEndpoint: endpoint,
  });
  const client = new HttpClient(new URL(store.baseUrl), 2 * timeoutsMs.GET);
  const data = localDynamoDbClient(endpoint);
  return {
    dynamodb,
    data,
    ordersTable: store.ordersTable,
    timeoutsMs,
    issueKey: async (perMinute) => (await store.issue('enterprise', { perMinute })).apiKey,
    send: (request) => sendOverHttp(request, client),
    async [Symbol.asyncDispose]() {
      client.close();
      data.destroy();
      await store[Symbol.asyncDispose]();
      await dynamodb[Symbol.asyncDispose]();
    },
  };
}
