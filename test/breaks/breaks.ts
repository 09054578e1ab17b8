/** A change of the code that breaks a property on purpose, and the test that has to fail then. */
export interface Break {
  /** The property, as a sentence that the change makes false. */
  readonly property: string;
  readonly file: string;
  /** The code that is replaced. It stands in the file once. */
  readonly code: string;
  readonly replacement: string;
  /** The arguments of `npm run`. */
  readonly command: readonly string[];
}

const faults = ['test:adversity', '--', 'test/adversity/faults/faults.test.ts'];
const races = ['test:adversity', '--', 'test/adversity/races'];
const input = ['test:adversity', '--', 'test/adversity/input'];
const secrets = ['test:adversity', '--', 'test/adversity/secrets'];
const costs = ['test', '--', 'test/e2e/limiter-costs.test.ts'];

const cancellation = 'lambdas/cancel-order.ts';
const limiterWrites = 'lambdas/authorizer/owner-updates.ts';

/** At least one for each attack of `test/adversity` and for each property that it checks. */
export const breaks: readonly Break[] = [
  {
    property: 'An order is cancelled by one request, whatever fails.',
    file: cancellation,
    code: "ConditionExpression: '#status = :pending',",
    replacement: "ConditionExpression: 'attribute_exists(#status) AND :pending = :pending',",
    command: faults,
  },
  {
    property: 'An order is cancelled by one of many requests at once.',
    file: cancellation,
    code: "ConditionExpression: '#status = :pending',",
    replacement: "ConditionExpression: 'attribute_exists(#status) AND :pending = :pending',",
    command: races,
  },
  {
    property: 'An answer of the database that does not say what was written is no success.',
    file: cancellation,
    code: 'if (isCancelledBy(cancellation, Attributes)) return;',
    replacement: 'return void Attributes;',
    command: faults,
  },
  {
    property: 'A list that ends well has every order.',
    file: 'lambdas/list-orders/orders-page.ts',
    code: 'if (stated === found) return;',
    replacement: 'if (stated === found || found < Infinity) return;',
    command: faults,
  },
  {
    property: 'A failure is answered as the contract documents it.',
    file: 'lambdas/shared/api-middleware.ts',
    code: 'body: JSON.stringify({ code, message, status }),',
    replacement: 'body: JSON.stringify({ code, message }),',
    command: faults,
  },
  {
    property: 'A request that was given up does not begin.',
    file: 'local/functions/environment-pool.ts',
    code: 'if (this.#pending.delete(pending)) pending.resolve({ error });',
    replacement: 'if (this.#pending.has(pending)) pending.resolve({ error });',
    command: ['test:adversity', '--', 'test/adversity/faults/hanging-table.test.ts'],
  },
  {
    property: 'No owner is admitted beyond its limit, however many requests come at once.',
    file: limiterWrites,
    code: 'BETWEEN :${name} AND :newest AND ${own}Count < ${limit}`',
    replacement: 'BETWEEN :${name} AND :newest AND ${limit} = ${limit}`',
    command: races,
  },
  {
    property: 'Ten keys of one owner share its limit.',
    file: limiterWrites,
    code: 'BETWEEN :${name} AND :newest AND ${own}Count < ${limit}`',
    replacement: 'BETWEEN :${name} AND :newest AND ${limit} = ${limit}`',
    command: costs,
  },
  {
    property: 'A ban that an operator has set holds from then on, also for keys that are in use.',
    file: limiterWrites,
    code: '`NOT ${entry}.bannedUntil BETWEEN :nextSecond AND :latestBan)`;',
    replacement: '`NOT ${entry}.bannedUntil BETWEEN :latestBan AND :nextSecond)`;',
    command: races,
  },
  {
    property: 'A request of a banned key is refused after a look at what is stored.',
    file: 'lambdas/authorizer/limiter.ts',
    code: 'if (!isUsable || isBanned || isVoid) return undefined;',
    replacement: 'if (!isUsable || isVoid) return undefined;',
    command: costs,
  },
  {
    property: 'A request that Node cannot parse is answered with an Error.',
    file: 'local/http-server.ts',
    code: 'void rawAnswers.end(socket, unfinished ? undefined : () => refusal(error, socket, options));',
    replacement: 'void rawAnswers.end(socket, unfinished ? undefined : undefined);',
    command: input,
  },
  {
    property: 'The requests of a connection are answered before it is closed.',
    file: 'local/raw-answers.ts',
    code: 'if (socket.writable) await this.#settled(socket);',
    replacement: 'if (!socket.writable) await this.#settled(socket);',
    command: input,
  },
  {
    property: 'Nothing that a socket does ends the service.',
    file: 'local/raw-answers.ts',
    code: "socket.on('error', () => socket.destroy());",
    replacement: '',
    command: input,
  },
  {
    property: 'A key is not logged when the authorizer refuses it.',
    file: 'lambdas/authorizer.ts',
    code: 'recordFailure(error, requestId);',
    replacement: 'recordFailure(error, event.authorizationToken);',
    command: secrets,
  },
  {
    property: 'The headers of a request are not logged.',
    file: cancellation,
    code: "return { statusCode: 204, headers: {}, body: '' };",
    replacement:
      "console.log(JSON.stringify(event.headers));\n  return { statusCode: 204, headers: {}, body: '' };",
    command: secrets,
  },
  {
    property: 'Every error that the service answers is documented.',
    file: 'lambdas/shared/errors.ts',
    code: "super(404, 'order_not_found',",
    replacement: "super(404, 'no_such_order',",
    command: ['test', '--', 'test/e2e/cancel.test.ts'],
  },
  {
    property: 'A soak notices an order that is cancelled twice.',
    file: cancellation,
    code: "ConditionExpression: '#status = :pending',",
    replacement: "ConditionExpression: 'attribute_exists(#status) AND :pending = :pending',",
    command: ['soak', '--', '--minutes', '0.5'],
  },
];
