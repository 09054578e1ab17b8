import { randomBytes } from 'node:crypto';
import type { IncomingRequest } from '../exchange/incoming-request.ts';

export const traceHeaderName = 'X-Amzn-Trace-Id';

/** The trace header of one request, such as `Root=1-58211399-36d228ad5d99923122bbe354;Sampled=1`. */
export interface TraceHeader {
  /** The value that the function gets. */
  readonly forwarded: string;
  /** The value that the client gets. */
  readonly answered: string;
}

/**
 * The trace header of a request: the client's, or a new one. The answered header contains the root,
 * parent and sampling of the client's header, and new values for those that it lacks.
 *
 * @see https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
export function traceHeaderOf(request: IncomingRequest): TraceHeader {
  const sent = request.headers.get(traceHeaderName.toLowerCase())?.values.at(-1);
  const fields = (sent ?? '').split(';').map((part) => part.trim());
  const find = (form: RegExp) => fields.find((part) => form.test(part));
  const root = find(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/) ?? newRoot(request.timeMs);
  const parent = find(/^Parent=[0-9a-f]{16}$/) ?? `Parent=${randomBytes(8).toString('hex')}`;
  const sampled = find(/^Sampled=[01]$/) ?? 'Sampled=0';
  return { forwarded: sent ?? root, answered: [root, parent, sampled].join(';') };
}

function newRoot(timeMs: number): string {
  const seconds = Math.floor(timeMs / 1000).toString(16);
  return `Root=1-${seconds}-${randomBytes(12).toString('hex')}`;
}
