/** What a fresh process is asked to measure. */
export type Job = ListJob | CallsJob | BurstJob | ColdJob;

interface HandlerSource {
  /** Absolute path of the bundle that exports `handler`; `.mjs` when it is an ES module. */
  bundleFile: string;
  event: unknown;
  /** Called as a streaming function: (event, stream, context) rather than (event, context). */
  isStreaming: boolean;
}

/** Lists the whole table several times, one after the other. */
export interface ListJob extends HandlerSource {
  kind: 'list';
  calls: number;
  /** Keeps and reads the answers, which costs time and memory. */
  isChecked: boolean;
}

/** Sends one event many times: first to warm up, then measured. */
export interface CallsJob extends HandlerSource {
  kind: 'calls';
  warmCalls: number;
  calls: number;
}

/** Sends one event so many times, one after the other, from the first call on. */
export interface BurstJob extends HandlerSource {
  kind: 'burst';
  calls: number;
}

/** Loads the bundle and waits for its first answer. */
export interface ColdJob extends HandlerSource {
  kind: 'cold';
}

export interface ListCall {
  cpuMs: number;
  wallMs: number;
  firstByteMs: number;
  bytes: number;
  /** Distinct ids in the answer, where it is checked. */
  orders: number | undefined;
}

export interface ListResult {
  calls: ListCall[];
  peakRssMb: number;
}

/** Figures per call, and the last answer. */
export interface CallsResult {
  cpuMs: number;
  requests: number;
  readUnits: number;
  writeUnits: number;
  logBytes: number;
  /** What the function returned, or the error that it threw. */
  answer: unknown;
}

export interface BurstResult {
  /** How many times an authorizer has answered Allow. */
  admitted: number;
}

export interface ColdResult {
  wallMs: number;
  cpuMs: number;
  /** The function's result; of a streaming function the prelude. */
  answer: unknown;
}
