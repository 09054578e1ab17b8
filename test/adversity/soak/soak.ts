import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedDynamoDB } from '../../../local/dynamodb/embedded-dynamodb.ts';
import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { HttpClient } from '../../../smoke/stage/http-client.ts';
import { FaultyDynamodb } from '../faults/faulty-dynamodb.ts';
import { answerTimeoutMs, timeoutsMs } from '../faults/function-timeouts.ts';
import { type Exchange, Judge } from './judge.ts';
import { Load } from './load.ts';
import { batchDifferences, type OrderBatch, OrderBatches } from './order-batches.ts';
import { type Phase, phaseSeconds, phasesOf } from './phases.ts';
import { useOf } from './processes.ts';
import { BrokenPromises } from './promises.ts';
import { reportOf, type SoakReport } from './report.ts';
import { latencyOf, Sampler } from './samples.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

interface SoakSettings {
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly seed: number;
  /** Takes the service's log. */
  readonly directory: string;
  /** Takes a line now and then. */
  readonly progress: (line: string) => void;
}

const sampleSeconds = 5;
/** As long as it may take until nothing of a fault is left. */
const recoveryMs = 10_000;
const standingOrders = 300;
const limitedPerMinute = 120;
const mostResidentMb = 600;
const tickMs = 25;

/** Runs the local service under a load and under faults that come and go, and judges it. */
export async function soak(settings: SoakSettings): Promise<SoakReport> {
  await using started = new AsyncDisposableStack();
  const database = await startEmbeddedDynamoDB();
  started.defer(() => database.close());
  const dynamodb = started.use(await FaultyDynamodb.before(database.endpoint, answerTimeoutMs));
  const data = localDynamoDbClient(database.endpoint);
  started.defer(() => data.destroy());
  const log = join(settings.directory, 'service.log');
  const service = started.use(await startServiceProcess(dynamodb.url, log));
  const client = new HttpClient(new URL(service.baseUrl), 2 * timeoutsMs.GET);
  started.defer(() => client.close());
  const batches = new OrderBatches(data, service.ordersTable);
  await batches.clear();
  await batches.place(standingOrders);
  const limited = await service.issueKey(limitedPerMinute);
  const tokens = { unlimited: service.token, limited };
  const run = new Run({ settings, dynamodb, service, client, batches, tokens }, database.processId);
  // Awaited here, because what was started is ended when this function returns.
  return await run.run();
}

interface RunContext {
  readonly settings: SoakSettings;
  readonly dynamodb: FaultyDynamodb;
  readonly service: ServiceProcess;
  readonly client: HttpClient;
  readonly batches: OrderBatches;
  readonly tokens: ConstructorParameters<typeof Load>[1];
}

class Run {
  readonly #context: RunContext;
  readonly #broken = new BrokenPromises();
  readonly #sampler: Sampler;
  readonly #load: Load;
  readonly #times = { calm: [] as number[], faults: [] as number[] };
  #phase: Phase | undefined;
  #unjudged: OrderBatch[] = [];

  constructor(context: RunContext, databaseProcessId: number) {
    this.#context = context;
    const { service, client, tokens, settings } = context;
    const judge = new Judge(this.#broken, context.batches, limitedPerMinute);
    const processIds = { service: service.processId, DynamoDB: databaseProcessId };
    this.#sampler = new Sampler({ ...processIds, 'load and faults': process.pid }, this.#broken);
    this.#load = new Load(client, tokens, settings.seed, (exchange) => this.#take(exchange, judge));
  }

  async run(): Promise<SoakReport> {
    const { settings } = this.#context;
    for (const phase of phasesOf(settings.seed, settings.minutes)) await this.#runPhase(phase);
    await this.#load.isAtRest();
    await this.#context.dynamodb.isAtRest();
    await this.#judgeBatches();
    const { calm, faults } = this.#times;
    const found = {
      requests: calm.length + faults.length,
      heldBack: this.#load.heldBack,
      latencyMs: { calm: latencyOf(calm), faults: latencyOf(faults) },
      samples: this.#sampler.samples,
    };
    const { minutes, ratePerSecond, seed } = settings;
    return reportOf({ minutes, ratePerSecond, seed }, found, this.#broken);
  }

  async #runPhase(phase: Phase): Promise<void> {
    const { dynamodb, batches, settings } = this.#context;
    const earlier = this.#unjudged;
    const batch = await batches.place(Math.ceil((settings.ratePerSecond * phaseSeconds) / 4));
    this.#load.batch = batch;
    const hadFaults = this.#phase?.isCalm === false;
    this.#phase = phase;
    dynamodb.use(phase.mixture);
    const settledMs = performance.now() + (hadFaults ? recoveryMs : 0);
    this.#load.undisturbedFromMs = phase.isCalm ? settledMs : Number.POSITIVE_INFINITY;
    await this.#sendForAPhase(phase);
    // What is under way when faults begin may meet one: it is no longer undisturbed then.
    this.#unjudged = earlier;
    await this.#judgeBatches();
    this.#unjudged.push(batch);
  }

  async #sendForAPhase(phase: Phase): Promise<void> {
    const { ratePerSecond, progress } = this.#context.settings;
    const beganAtMs = performance.now();
    let sent = 0;
    let sampled = 0;
    for (let seconds = 0; seconds < phaseSeconds; ) {
      await pause(tickMs);
      seconds = Math.min(phaseSeconds, (performance.now() - beganAtMs) / 1_000);
      for (; sent < seconds * ratePerSecond; sent++) this.#load.sendNext();
      if (seconds < (sampled + 1) * sampleSeconds) continue;
      sampled = Math.floor(seconds / sampleSeconds);
      this.#watchService();
      const sample = this.#sampler.sample(phase);
      const latency = Math.round(sample.latencyMs?.p99 ?? 0);
      const rate = sample.requestsPerSecond.toFixed(0);
      progress(
        `${sample.seconds} s: ${rate} a second, p99 ${latency} ms, ${this.#broken.total} broken, ${phase.name}`,
      );
    }
  }

  #take(exchange: Exchange, judge: Judge): void {
    const isUndisturbed = exchange.isUndisturbed && this.#phase?.isCalm === true;
    judge.judge({ ...exchange, isUndisturbed });
    this.#sampler.take(exchange);
    const { calm, faults } = this.#times;
    (this.#phase?.isCalm ? calm : faults).push(exchange.endedAtMs - exchange.beganAtMs);
  }

  #watchService(): void {
    const { service } = this.#context;
    if (service.hasEnded()) this.#broken.add('process', ['the service has ended']);
    const { residentMb = 0 } = useOf(service.processId) ?? {};
    if (residentMb > mostResidentMb) this.#broken.add('memory', [`${residentMb} MB`]);
  }

  /** Judges the orders that nothing happens to any more. */
  async #judgeBatches(): Promise<void> {
    const { batches } = this.#context;
    const settled = this.#unjudged.filter(({ underWay }) => underWay === 0);
    this.#unjudged = this.#unjudged.filter(({ underWay }) => underWay > 0);
    if (settled.length === 0) return;
    const statuses = await batches.statuses();
    for (const batch of settled) {
      this.#broken.add('cancel', batchDifferences(batch, statuses));
      batches.release(batch);
    }
  }
}
