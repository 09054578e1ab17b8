import { randomBytes } from 'node:crypto';
import type { IncomingRequest } from '../exchange/incoming-request.ts';

export const traceHeaderName = 'X-Amzn-Trace-Id';

/** The trace header of one request, such as `Root=1-58211399-36d228ad5d99923122bbe354;Sampled=1`. */
export interface TraceHeader {
  /** As the function gets it. */
  readonly forwarded: string;
  /** As the client gets it back. */
  readonly answered: string;
}

/**
 * The trace that a request belongs to: the client's, or a new one. What the client gets back has the
 * root, parent and sampling of its own header, and new ones for what that lacks.
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
