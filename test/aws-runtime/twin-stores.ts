import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IssuedKey } from '../../admin/keys/key-draft.ts';
import type { PlanName } from '../../lib/settings/plans.ts';
import {
  type EmbeddedDynamoDB,
  startEmbeddedDynamoDB,
} from '../../local/dynamodb/embedded-dynamodb.ts';
import type { Answer } from '../../smoke/stage/http-client.ts';
import {
  type Call,
  type KeyOptions,
  type Order,
  RunningStore,
  thisMinute,
} from '../e2e/running-store.ts';
import { templateFile } from '../helpers/synthesized.ts';
import { AwsEnvironment } from './aws-environment.ts';

const timeoutMs = 25_000;

/** An address in front of a store's DynamoDB, where a test decides what becomes of requests. */
interface Endpoint extends AsyncDisposable {
  readonly url: string;
}

/** The same service twice: with the local run's own environments, and with AWS's runtime client. */
export class TwinStores<E extends Endpoint> implements AsyncDisposable {
  readonly #local: Twin<E>;
  readonly #aws: Twin<E>;

  /** @param openEndpoint leads to the DynamoDB at the given address */
  static async start<E extends Endpoint>(openEndpoint: (target: string) => Promise<E>) {
    const twins = [undefined, AwsEnvironment].map((Environment) =>
      startTwin(openEndpoint, Environment),
    );
    const [local, aws] = await Promise.all(twins);
    return new TwinStores(local!, aws!);
  }

  private constructor(local: Twin<E>, aws: Twin<E>) {
    this.#local = local;
    this.#aws = aws;
  }

  get endpoints(): readonly E[] {
    return this.#twins.map(({ endpoint }) => endpoint);
  }

  /** Physical names, which are the same in both. */
  get tables(): Readonly<Record<'orders' | 'apiKeys', string>> {
    const { ordersTable, apiKeysTable } = this.#local.store;
    return { orders: ordersTable, apiKeys: apiKeysTable };
  }

  /** What functions and gateways have logged, by store. */
  get lines(): readonly (readonly string[])[] {
    return this.#twins.map(({ store }) => store.lines);
  }

  /** How often an execution environment has ended by itself. */
  get crashes(): number {
    return this.lines.flat().filter((line) => line.includes('Runtime.ExitError')).length;
  }

  /** @throws Error when there is not a line with a text in it in the log of each store after a time */
  async logged(text: string): Promise<void> {
    const untilMs = performance.now() + timeoutMs;
    for (const lines of this.lines) {
      while (!lines.some((line) => line.includes(text))) {
        if (performance.now() > untilMs) throw new Error(`no ${text} in ${lines.join('\n')}`);
        await sleep(20);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { store, endpoint, dynamodb } of this.#twins) {
      await store[Symbol.asyncDispose]();
      await endpoint[Symbol.asyncDispose]();
      await dynamodb.close();
    }
  }

  async putOrders(orders: readonly Order[]): Promise<void> {
    for (const { store } of this.#twins) await store.putOrders(orders);
  }

  /** A key of each store, whose minute and day are the same and are still to come. */
  async issue(plan?: PlanName, rest?: KeyOptions): Promise<TwinKey> {
    const minute = thisMinute();
    const keys = await Promise.all(this.#twins.map(({ store }) => store.issue(plan, rest)));
    // The minute has changed between the one and the other.
    if (thisMinute() !== minute) return this.issue(plan, rest);
    return new TwinKey(this.#twins.map(({ store }, index) => [store, keys[index]!]));
  }

  /** Sends both stores the same request. @param key each store is sent its own */
  async ask(
    method: string,
    path: string,
    { key, ...call }: Call & { key?: TwinKey } = {},
  ): Promise<TwinAnswers> {
    const [local, aws] = await Promise.all(
      this.#twins.map(({ store }) =>
        visible(store, method, path, key ? { ...call, token: key.tokenOf(store) } : call),
      ),
    );
    return { local: local!, aws: aws! };
  }

  /** Begins to read the list of each store. */
  open(key: TwinKey): Promise<Answer[]> {
    return Promise.all(
      this.#twins.map(({ store }) => {
        const headers = { authorization: `Bearer ${key.tokenOf(store)}` };
        return store.client.send({ method: 'GET', path: '/store/orders', headers });
      }),
    );
  }

  get #twins(): readonly Twin<E>[] {
    return [this.#local, this.#aws];
  }
}

interface Twin<E> {
  readonly store: RunningStore;
  readonly endpoint: E;
  readonly dynamodb: EmbeddedDynamoDB;
}

/** Two keys with the same limits and the same counters. */
class TwinKey {
  readonly #keys: readonly (readonly [RunningStore, IssuedKey])[];

  constructor(keys: readonly (readonly [RunningStore, IssuedKey])[]) {
    this.#keys = keys;
  }

  tokenOf(store: RunningStore): string {
    return this.#keys.find(([owner]) => owner === store)![1].apiKey;
  }

  async setCounters(values: Record<string, number>): Promise<void> {
    for (const [store, key] of this.#keys) await store.setCounters(key, values);
  }
}

interface TwinAnswers {
  readonly local: VisibleAnswer;
  readonly aws: VisibleAnswer;
}

/** All of an answer that a client sees, except for what says when it was given and under which id. */
interface VisibleAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** The connection broke before the body's end. */
  readonly isBroken: boolean;
}

async function startTwin<E extends Endpoint>(
  openEndpoint: (target: string) => Promise<E>,
  Environment: typeof AwsEnvironment | undefined,
): Promise<Twin<E>> {
  const dynamodb = await startEmbeddedDynamoDB();
  const endpoint = await openEndpoint(dynamodb.endpoint);
  const store = await RunningStore.start({
    templateFile: templateFile('staging'),
    dynamodbEndpoint: endpoint.url,
    dataEndpoint: dynamodb.endpoint,
    ...(Environment && {
      startEnvironment: (lambda, options) => new Environment(lambda, options),
    }),
  });
  return { dynamodb, endpoint, store };
}

const changing = new Set(['date', 'x-amzn-requestid', 'x-amz-apigw-id', 'x-amzn-trace-id']);

async function visible(
  { client }: RunningStore,
  method: string,
  path: string,
  { token, headers, body }: Call,
): Promise<VisibleAnswer> {
  const answer = await client.send({
    method,
    path,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body }),
  });
  const [received, isBroken] = await readUntilBroken(answer);
  const names = [...answer.headers.keys()].filter((name) => !changing.has(name));
  return {
    status: answer.status,
    headers: names.map((name) => withoutTimes(`${name}: ${answer.headers.get(name)!.join(', ')}`)),
    body: withoutTimes(received.toString('latin1')),
    isBroken,
  };
}

export async function readUntilBroken({ body }: Answer): Promise<[Buffer, boolean]> {
  const chunks: Buffer[] = [];
  body.on('data', (chunk) => chunks.push(chunk));
  const isBroken = await buffer(body).then(
    () => false,
    () => true,
  );
  return [Buffer.concat(chunks), isBroken];
}

/** The seconds until a moment, which the two answers are not given at the same one of. */
function withoutTimes(text: string): string {
  return text.replace(/(retry-after: |after |t=)\d+/g, '$1N');
}
