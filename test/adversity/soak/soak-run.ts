import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpClient } from '../../../smoke/stage/http-client.ts';
import { type FaultyDynamodb, noFaults } from '../faults/faulty-dynamodb.ts';
import { type Exchange, InvariantChecker } from './invariant-checker.ts';
import { Violations } from './invariants.ts';
import { Load } from './load.ts';
import { batchDifferences, type OrderBatch, type OrderBatches } from './order-batches.ts';
import { type Phase, phaseSeconds, phasesOf } from './phases.ts';
import { useOf } from './processes.ts';
import { progressLine, reportOf, type SoakReport } from './report.ts';
import { latencyOf, Sampler } from './samples.ts';
import type { ServiceProcess } from './service-process.ts';

/** The settings of a run. */
export interface RunSettings {
  readonly minutes: number;
  readonly ratePerSecond: number;
  readonly seed: number;
  /** Whether there are phases of faults. Without them, the service calls DynamoDB directly. */
  readonly hasFaults: boolean;
  /** Ends the run early. The report is then that of the time until then. */
  readonly signal: AbortSignal;
  /** Is called with a line of text every few seconds. */
  readonly progress: (line: string) => void;
}

const sampleSeconds = 5;
/** The time after the end of the faults within which the service has to recover. */
const recoveryMs = 10_000;
/** How long a run that is ended early waits for the answers to its last requests. */
const lastAnswersMs = 10_000;
/** The limit of the owner whose requests are counted. */
export const limitedPerMinute = 120;
const maxResidentMb = 600;
const tickMs = 25;

/** What a run uses, so that its tests can do without a service. */
interface RunContext {
  readonly settings: RunSettings;
  readonly dynamodb: Pick<FaultyDynamodb, 'use' | 'isIdle'>;
  readonly service: Pick<ServiceProcess, 'processId' | 'hasEnded'>;
  readonly client: Pick<HttpClient, 'send'>;
  readonly batches: OrderBatches;
  readonly tokens: ConstructorParameters<typeof Load>[1];
}

/** The load, the faults and the checks of a run, with a service that has been started. */
export class SoakRun {
  readonly #context: RunContext;
  readonly #violations = new Violations();
  readonly #sampler: Sampler;
  readonly #load: Load;
  readonly #times = { withoutFaults: [] as number[], withFaults: [] as number[] };
  #phase: Phase | undefined;
  #unchecked: OrderBatch[] = [];
  #hasEnded = false;

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
    const { minutes, ratePerSecond, seed, hasFaults, signal } = this.#context.settings;
    for (const phase of phasesOf(seed, minutes, hasFaults)) {
      if (signal.aborted) break;
      await this.#runPhase(phase);
    }
    await this.#settle();
    await this.#checkBatches();
    this.#hasEnded = true;
    const { withoutFaults, withFaults } = this.#times;
    const found = {
      requests: withoutFaults.length + withFaults.length,
      notSent: this.#load.notSent,
      latencyMs: { withoutFaults: latencyOf(withoutFaults), withFaults: latencyOf(withFaults) },
      samples: this.#sampler.samples,
    };
    return reportOf({ minutes, ratePerSecond, seed }, found, this.#violations);
  }

  /** Waits for the answers that are outstanding, without faults from now on. */
  async #settle(): Promise<void> {
    const { dynamodb, settings } = this.#context;
    dynamodb.use({ ...noFaults, seed: settings.seed });
    const isIdle = this.#load.isIdle().then(() => dynamodb.isIdle());
    await Promise.race([isIdle, waitedEnough(settings.signal)]);
  }

  async #runPhase(phase: Phase): Promise<void> {
    const { dynamodb, batches } = this.#context;
    const batch = await batches.place();
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
    const { ratePerSecond, progress, signal } = this.#context.settings;
    const startedAtMs = performance.now();
    let sent = 0;
    let sampled = 0;
    for (let seconds = 0; seconds < phaseSeconds && !signal.aborted; ) {
      await pause(tickMs);
      seconds = Math.min(phaseSeconds, (performance.now() - startedAtMs) / 1_000);
      this.#load.progress = seconds / phaseSeconds;
      for (; sent < seconds * ratePerSecond; sent++) this.#load.sendNext();
      if (seconds < (sampled + 1) * sampleSeconds && !signal.aborted) continue;
      sampled = Math.floor(seconds / sampleSeconds);
      this.#watchService();
      progress(progressLine(this.#sampler.sample(phase)));
    }
  }

  #record(exchange: Exchange, checker: InvariantChecker): void {
    if (this.#hasEnded) return;
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

async function waitedEnough(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  await pause(lastAnswersMs, undefined, { ref: false });
}
