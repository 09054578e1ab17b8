import { setTimeout as wait } from 'node:timers/promises';
import {
  answer,
  contentType,
  type DynamodbCall,
  failure,
} from '../../helpers/dynamodb/dynamodb-proxy.ts';

/** An answer of the database that has not been forwarded yet. */
export interface HeldAnswer {
  readonly status: number;
  readonly body: Buffer;
}

interface FaultyCall extends DynamodbCall {
  /** Sends the request to the database, which executes it. */
  readonly pass: () => Promise<HeldAnswer>;
  /** The timeout of the functions' calls. */
  readonly answerTimeoutMs: number;
  /** A number from 0 to below 1: the extent of the fault, if it has one. */
  readonly portion: number;
}

type Fault = (call: FaultyCall) => unknown;

/** The faults of a request or its answer. */
export const faults = {
  /** The answer is delayed. */
  slow: async (call) => {
    await wait(call.portion * 25);
    await forwardAnswer(call);
  },
  /** The request is executed after the function's timeout. */
  late: async (call) => {
    await wait(call.answerTimeoutMs * (1 + call.portion));
    await forwardAnswer(call);
  },
  refused: ({ outgoing }) => outgoing.destroy(),
  reset: ({ outgoing }) => outgoing.socket?.resetAndDestroy(),
  exhausted: failure('ProvisionedThroughputExceededException'),
  throttled: failure('ThrottlingException'),
  broken: answer({ __type: 'InternalServerError', message: 'try again' }, 500),
  unavailable: ({ outgoing }) => outgoing.writeHead(503).end('<html>unavailable</html>'),
  hanging: () => {},
  /** The request is not executed, and the answer is a success with an empty object. */
  hollow: answer({}),
  /** The request is executed, and its answer is lost. */
  lost: async ({ pass, outgoing }) => {
    await pass();
    outgoing.socket?.resetAndDestroy();
  },
  /** The request is executed, and its answer never arrives. */
  swallowed: async ({ pass }) => {
    await pass();
  },
  /** The request is executed, and the connection is closed in the middle of its answer. */
  truncated: async (call) => {
    const { whole, part } = await begin(call, ({ length }) => length);
    if (whole.length > 0) call.outgoing.write(part, () => call.outgoing.destroy());
    else call.outgoing.destroy();
  },
  /** The request is executed, and its answer stops in the middle without an end. */
  stalled: async (call) => {
    const { part } = await begin(call, ({ length }) => length);
    call.outgoing.write(part);
  },
  /** The request is executed, and its answer is cut off, with a matching content length. */
  shortened: async (call) => {
    const { part } = await begin(call, (_, part) => part.length);
    call.outgoing.end(part);
  },
  /** The request is executed, and its answer contains no item. */
  emptied: async (call) => {
    await begin(call, () => 0);
    call.outgoing.end();
  },
} satisfies Record<string, Fault>;

export type FaultKind = keyof typeof faults;

export const faultKinds = Object.keys(faults) as FaultKind[];

/** Forwards the database's answer. */
export async function forwardAnswer({ pass, outgoing }: FaultyCall): Promise<void> {
  const { status, body } = await pass();
  outgoing.writeHead(status, { ...contentType, 'content-length': body.length }).end(body);
}

/** Sends the head of the database's answer. @param lengthOf computes its content length */
async function begin(
  { pass, outgoing, portion }: FaultyCall,
  lengthOf: (whole: Buffer, part: Buffer) => number,
) {
  const { status, body: whole } = await pass();
  const part = whole.subarray(0, Math.floor(portion * whole.length));
  outgoing.writeHead(status, { ...contentType, 'content-length': lengthOf(whole, part) });
  return { whole, part };
}
