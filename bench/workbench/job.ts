/** A measurement for a fresh process. */
export type Job = ListJob | CallsJob | BurstJob | ColdJob;

interface HandlerSource {
  /** The absolute path of the bundle that exports `handler`; an ES module ends in `.mjs`. */
  bundleFile: string;
  event: unknown;
  /** Whether the handler takes (event, stream, context) rather than (event, context). */
  isStreaming: boolean;
}

/** Requests several lists, one after the other. */
export interface ListJob extends HandlerSource {
  kind: 'list';
  calls: number;
  /** Whether the bodies are kept and parsed, which costs time and memory. */
  isChecked: boolean;
}

/** Calls the handler repeatedly, first to warm up and then to measure. */
export interface CallsJob extends HandlerSource {
  kind: 'calls';
  warmCalls: number;
  calls: number;
}

/** Calls the handler repeatedly without a warm-up, one call after the other. */
export interface BurstJob extends HandlerSource {
  kind: 'burst';
  calls: number;
}

/** Loads the bundle and calls the handler once. */
export interface ColdJob extends HandlerSource {
  kind: 'cold';
}

export interface ListCall {
  cpuMs: number;
  wallMs: number;
  firstByteMs: number;
  bytes: number;
  /** The number of distinct ids in the body; undefined unless `isChecked`. */
  orders: number | undefined;
}

export interface ListResult {
  calls: ListCall[];
  peakRssMb: number;
}

/** The averages for one call, and the result of the last one. */
export interface CallsResult {
  cpuMs: number;
  requests: number;
  readUnits: number;
  writeUnits: number;
  logBytes: number;
  /** What the handler returned, or an object with the message of its error. */
  answer: unknown;
}

export interface BurstResult {
  /** The number of calls that the authorizer allowed. */
  admitted: number;
}

/** The time for loading the bundle and for the first call together, and for loading alone. */
export interface ColdResult {
  wallMs: number;
  cpuMs: number;
  loadWallMs: number;
  loadCpuMs: number;
  /** What the handler returned, or the prelude of a streaming handler. */
  answer: unknown;
}
