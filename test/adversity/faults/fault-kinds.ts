import { setTimeout as wait } from 'node:timers/promises';
import { answer, contentType, type DynamodbCall, failure } from '../../helpers/dynamodb-proxy.ts';

/** An answer of the database, not handed on yet. */
export interface HeldAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export interface FaultyCall extends DynamodbCall {
  /** Has the database carry the request out. */
  readonly pass: () => Promise<HeldAnswer>;
  /** How long the functions wait for an answer. */
  readonly patienceMs: number;
  /** At least 0 and below 1: how much of it, where that is open. */
  readonly portion: number;
}

type Fault = (call: FaultyCall) => unknown;

/** What can go wrong with a request, or with its answer. */
export const faults = {
  /** The answer takes longer than usual. */
  slow: async (call) => {
    await wait(call.portion * 25);
    await handOn(call);
  },
  /** The request is carried out when nobody waits for it any more. */
  late: async (call) => {
    await wait(call.patienceMs * (1 + call.portion));
    await handOn(call);
  },
  refused: ({ outgoing }) => outgoing.destroy(),
  reset: ({ outgoing }) => outgoing.socket?.resetAndDestroy(),
  exhausted: failure('ProvisionedThroughputExceededException'),
  throttled: failure('ThrottlingException'),
  broken: answer({ __type: 'InternalServerError', message: 'try again' }, 500),
  unavailable: ({ outgoing }) => outgoing.writeHead(503).end('<html>unavailable</html>'),
  hanging: () => {},
  /** Nothing is carried out, and the answer is that of a success which says nothing. */
  hollow: answer({}),
  /** Carried out, and the answer is lost. */
  lost: async ({ pass, outgoing }) => {
    await pass();
    outgoing.socket?.resetAndDestroy();
  },
  /** Carried out, and the answer never comes. */
  swallowed: async ({ pass }) => {
    await pass();
  },
  /** Carried out, and the answer breaks off. */
  truncated: async (call) => {
    const { whole, part } = await begin(call, ({ length }) => length);
    if (whole.length > 0) call.outgoing.write(part, () => call.outgoing.destroy());
    else call.outgoing.destroy();
  },
  /** Carried out, and the answer stops coming half-way. */
  stalled: async (call) => {
    const { part } = await begin(call, ({ length }) => length);
    call.outgoing.write(part);
  },
  /** Carried out, and the answer has lost its end, but says that it is whole. */
  shortened: async (call) => {
    const { part } = await begin(call, (_, part) => part.length);
    call.outgoing.end(part);
  },
  /** Carried out, and the answer has lost what was in it. */
  emptied: async (call) => {
    await begin(call, () => 0);
    call.outgoing.end();
  },
} satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faults;

export const faultKinds = Object.keys(faults) as FaultKind[];

/** Hands the database's own answer on. */
export async function handOn({ pass, outgoing }: FaultyCall): Promise<void> {
  const { status, body } = await pass();
  outgoing.writeHead(status, { ...contentType, 'content-length': body.length }).end(body);
}

/** Sends the head of the database's answer. @param lengthOf what the head says of its length */
async function begin(
  { pass, outgoing, portion }: FaultyCall,
  lengthOf: (whole: Buffer, part: Buffer) => number,
) {
  const { status, body: whole } = await pass();
  const part = whole.subarray(0, Math.floor(portion * whole.length));
  outgoing.writeHead(status, { ...contentType, 'content-length': lengthOf(whole, part) });
  return { whole, part };
}
