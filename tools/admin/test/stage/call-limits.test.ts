import { DeleteItemCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it, jest } from '@jest/globals';
import {
  answer,
  contentType,
  DynamodbProxy,
  failure as failureNamed,
  lost,
  type Reply,
  refused,
  throttled,
  unanswered,
  unreadable,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { callLimitSettings, withCallLimits } from '../../stage/call-limits.ts';

/** Time limits that no test reaches, even on a busy machine. */
const patient = {
  connectionTimeoutMs: 60_000,
  answerTimeoutMs: 60_000,
  maxAttempts: 2,
};
const impatient = { ...patient, answerTimeoutMs: 60 };

/** The response begins and does not continue. */
const stalled: Reply = ({ outgoing }) =>
  void outgoing.writeHead(200, contentType).write('{"Table":');

interface CallOptions {
  readonly limits?: typeof patient | undefined;
  readonly isWrite?: boolean;
}

async function failureOfCall(reply: Reply, options: CallOptions = {}) {
  const { limits = patient, isWrite } = options;
  await using dynamodb = await DynamodbProxy.start(reply);
  const settings = {
    ...callLimitSettings(limits),
    endpoint: dynamodb.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  const client = withCallLimits(new DynamoDBClient(settings));
  const input = { TableName: 'Orders' };
  const Key = { id: { N: '1' } };
  const sent = isWrite
    ? client.send(new DeleteItemCommand({ ...input, Key }))
    : client.send(new DescribeTableCommand(input));
  const error = await sent.then(
    () => ({}),
    (thrown) => thrown,
  );
  client.destroy();
  // The client counts the attempts. An attempt can end before the server has seen it.
  const { $metadata = Object(error.cause).$metadata } = error;
  return { ...error, problem: error.problem ?? error.message, attempts: $metadata.attempts };
}

afterEach(() => {
  jest.restoreAllMocks();
});

const cancelled = (message: string) => failureNamed('TransactionCanceledException', { message });
const read = /^DynamoDB DescribeTable got no response \(/;
const unconfirmed = (reason: string) =>
  new RegExp(`^DynamoDB DeleteItem may or may not have been done \\(.*${reason}`);

it.each<[string, Reply, RegExp, attempts: number, typeof patient?]>([
  ['hangs', unanswered, read, 2, impatient],
  ['stalls within its response', stalled, read, 2, impatient],
  ['loses the connection', lost, read, 2],
])('a read fails after its attempts, and names the call, if DynamoDB %s', async (...given) => {
  const [, reply, problem, attempts, limits] = given;

  const call = await failureOfCall(reply, { limits });

  expect(call).toMatchObject({ code: 'noResponse', attempts });
  expect(call.problem).toMatch(problem);
});

it.each<[string, Reply, string | RegExp, attempts: number, typeof patient?]>([
  ['hangs', unanswered, unconfirmed('a request has exceeded'), 1, impatient],
  ['loses the connection', lost, unconfirmed('socket hang up'), 1],
  ['sends half of its response', unreadable, unconfirmed('JSON'), 1],
  ['fails', answer({}, 500), unconfirmed('Unknown'), 1],
  ['is behind a proxy that reports a timeout', answer({}, 408), unconfirmed('Unknown'), 1],
  ['throttles', throttled, /is throttled/, 2],
  [
    'refuses it because of another in the same Region',
    failureNamed('ConflictException', { message: 'due to concurrent modification' }),
    /is throttled/,
    2,
  ],
  ['refuses it because of another', cancelled('[None, TransactionConflict]'), /is throttled/, 2],
  [
    'refuses its condition',
    cancelled('[ConditionalCheckFailed, TransactionConflict]'),
    /^\[ConditionalCheckFailed/,
    1,
  ],
  ['does not find it', failureNamed('NotFoundException', { message: 'no key' }), /^no key$/, 1],
  ['refuses it', refused, /DeleteItem failed/, 1],
])(
  'a write is repeated only if AWS has not done it because of others: if DynamoDB %s',
  async (...given) => {
    const [, reply, problem, attempts, limits] = given;
    // The SDK's delay before it repeats a call is random, up to a limit.
    jest.spyOn(Math, 'random').mockReturnValue(0);

    const call = await failureOfCall(reply, { limits, isWrite: true });

    expect(call.problem).toMatch(problem);
    expect(call.attempts).toBe(attempts);
  },
);
