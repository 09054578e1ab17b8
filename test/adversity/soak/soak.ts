import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedDynamoDB } from '../../../local/dynamodb/embedded-dynamodb.ts';
import { localDynamoDbClient } from '../../../local/dynamodb/local-client.ts';
import { HttpClient } from '../../../smoke/stage/http-client.ts';
import { FaultyDynamodb } from '../faults/faulty-dynamodb.ts';
import { answerTimeoutMs, timeoutsMs } from '../faults/function-timeouts.ts';
import { type Exchange, InvariantChecker } from './invariant-checker.ts';
import { Violations } from './invariants.ts';
import { Load } from './load.ts';
import { batchDifferences, type OrderBatch, OrderBatches } from './order-batches.ts';
import { type Phase, phaseSeconds, phasesOf } from './phases.ts';
import { useOf } from './processes.ts';
import { reportOf, type SoakReport } from './report.ts';
import { latencyOf, Sampler } from './samples.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

interface SoakSettings {
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly seed: number;
  /** The directory of the service's log. */
  readonly directory: string;
  /** Is called with a line of text every few seconds. */
  readonly progress: (line: string) => void;
}

const sampleSeconds = 5;
/** The time after the end of the faults within which the service has to recover. */
const recoveryMs = 10_000;
const initialOrders = 300;
const limitedPerMinute = 120;
const maxResidentMb = 600;
const tickMs = 25;

/** Runs the local service under load, with phases of faults, and checks the invariants. */
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
  await batches.place(initialOrders);
  const limited = await service.issueKey(limitedPerMinute);
  const tokens = { unlimited: service.token, limited };
  const run = new Run({ settings, dynamodb, service, client, batches, tokens }, database.processId);
  // Awaited here, because the service and the database are stopped when this function returns.
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
  readonly #violations = new Violations();
  readonly #sampler: Sampler;
  readonly #load: Load;
  readonly #times = { withoutFaults: [] as number[], withFaults: [] as number[] };
  #phase: Phase | undefined;
  #unchecked: OrderBatch[] = [];

  constructor(context: RunContext, databaseProcessId: number) {
    this.#context = context;
    const { service, client, tokens, settings } = context;
    const checker = new InvariantChecker(this.#violations, context.batches, limitedPerMinute);
    const processIds = { service: service.processId, DynamoDB: databaseProcessId };
    this.#sampler = new Sampler(
      { ...processIds, 'load and faults': process.pid },
      this.#violations,
    );
    this.#load = new Load(client, tokens, settings.seed, (exchange) =>
      this.#record(exchange, checker),
    );
  }

  async run(): Promise<SoakReport> {
    const { settings } = this.#context;
    for (const phase of phasesOf(settings.seed, settings.minutes)) await this.#runPhase(phase);
    await this.#load.isIdle();
    await this.#context.dynamodb.isIdle();
    await this.#checkBatches();
    const { withoutFaults, withFaults } = this.#times;
    const found = {
      requests: withoutFaults.length + withFaults.length,
      notSent: this.#load.notSent,
      latencyMs: { withoutFaults: latencyOf(withoutFaults), withFaults: latencyOf(withFaults) },
      samples: this.#sampler.samples,
    };
    const { minutes, ratePerSecond, seed } = settings;
    return reportOf({ minutes, ratePerSecond, seed }, found, this.#violations);
  }

  async #runPhase(phase: Phase): Promise<void> {
    const { dynamodb, batches, settings } = this.#context;
    const batch = await batches.place(Math.ceil((settings.ratePerSecond * phaseSeconds) / 4));
    this.#load.batch = batch;
    const hadFaults = this.#phase?.isFaultFree === false;
    this.#phase = phase;
    dynamodb.use(phase.mixture);
    const settledMs = performance.now() + (hadFaults ? recoveryMs : 0);
    this.#load.faultFreeFromMs = phase.isFaultFree ? settledMs : Number.POSITIVE_INFINITY;
    await this.#sendForAPhase(phase);
    await this.#checkBatches();
    this.#unchecked.push(batch);
  }

  async #sendForAPhase(phase: Phase): Promise<void> {
    const { ratePerSecond, progress } = this.#context.settings;
    const startedAtMs = performance.now();
    let sent = 0;
    let sampled = 0;
    for (let seconds = 0; seconds < phaseSeconds; ) {
      await pause(tickMs);
      seconds = Math.min(phaseSeconds, (performance.now() - startedAtMs) / 1_000);
      for (; sent < seconds * ratePerSecond; sent++) this.#load.sendNext();
      if (seconds < (sampled + 1) * sampleSeconds) continue;
      sampled = Math.floor(seconds / sampleSeconds);
      this.#watchService();
      const sample = this.#sampler.sample(phase);
      const latency = Math.round(sample.latencyMs?.p99 ?? 0);
      const rate = sample.requestsPerSecond.toFixed(0);
      progress(
        `${sample.seconds} s: ${rate} a second, p99 ${latency} ms, ${this.#violations.total} violations, ${phase.name}`,
      );
    }
  }

  #record(exchange: Exchange, checker: InvariantChecker): void {
    // A fault may have affected a request that was in flight when the phase changed.
    const isFaultFree = exchange.isFaultFree && this.#phase?.isFaultFree === true;
    checker.check({ ...exchange, isFaultFree });
    this.#sampler.record(exchange);
    const { withoutFaults, withFaults } = this.#times;
    const times = this.#phase?.isFaultFree ? withoutFaults : withFaults;
    times.push(exchange.endedAtMs - exchange.startedAtMs);
  }

  #watchService(): void {
    const { service } = this.#context;
    if (service.hasEnded()) this.#violations.add('process', ['the service has ended']);
    const { residentMb = 0 } = useOf(service.processId) ?? {};
    if (residentMb > maxResidentMb) this.#violations.add('memory', [`${residentMb} MB`]);
  }

  /** Checks the batches that have no request in flight. */
  async #checkBatches(): Promise<void> {
    const { batches } = this.#context;
    const settled = this.#unchecked.filter(({ inFlight }) => inFlight === 0);
    this.#unchecked = this.#unchecked.filter(({ inFlight }) => inFlight > 0);
    if (settled.length === 0) return;
    const statuses = await batches.statuses();
    for (const batch of settled) {
      this.#violations.add('cancel', batchDifferences(batch, statuses));
      batches.release(batch);
    }
  }
}
