import { DeleteItemCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
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
import { failureOf } from '../../stage/service-failure.ts';

/** Limits that no test reaches, even on a busy machine. */
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
  readonly limits?: typeof patient;
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
  const error = await sent.catch((thrown: unknown) => thrown);
  client.destroy();
  // The client counts the attempts. An attempt can end before the server has seen it.
  return { failure: failureOf(error), attempts: Object(error).$metadata?.attempts };
}

const noResponse = {
  failure: expect.objectContaining({
    kind: 'noResponse',
    problem: expect.stringMatching(/^DynamoDB DescribeTable got no response \(/),
  }),
  attempts: patient.maxAttempts,
};

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a client with call limits', () => {
  it.each([
    ['hangs', unanswered, impatient],
    ['stalls within its response', stalled, impatient],
    ['loses the connection', lost, patient],
  ])('fails after its attempts, and names the call, if DynamoDB %s', async (...given) => {
    const [, reply, limits] = given;

    expect(await failureOfCall(reply, { limits })).toEqual(noResponse);
  });

  it.each<[string, Reply, typeof patient, RegExp]>([
    ['hangs', unanswered, impatient, /done \(a request has exceeded/],
    ['loses the connection', lost, patient, /done \(socket hang up\)/],
    ['sends half of its response', unreadable, patient, /JSON/],
    ['fails', answer({}, 500), patient, /Unknown/],
    ['reports a timeout', failureNamed('RequestTimeoutException'), patient, /RequestTimeout/],
    ['is behind a proxy that reports one', answer({}, 408), patient, /Unknown/],
  ])(
    'sends a write once, and says that it may have been done, if DynamoDB %s',
    async (...given) => {
      const [, reply, limits, reason] = given;

      const { failure, attempts } = await failureOfCall(reply, { limits, isWrite: true });

      expect([failure!.kind, attempts]).toEqual(['unconfirmed', 1]);
      expect(failure!.problem).toMatch(/^DynamoDB DeleteItem may or may not have been done \(/);
      expect(failure!.problem).toMatch(reason);
    },
  );

  const cancelled = (message: string) => failureNamed('TransactionCanceledException', { message });
  it.each([
    ['throttles', throttled, 'throttled', patient.maxAttempts],
    [
      'refuses because of another in the same Region',
      failureNamed('ConflictException', { message: 'due to concurrent modification' }),
      'throttled',
      patient.maxAttempts,
    ],
    [
      'refuses because of a transaction under way',
      cancelled('[None, TransactionConflict]'),
      'throttled',
      patient.maxAttempts,
    ],
    [
      'refuses because of its condition',
      cancelled('[ConditionalCheckFailed, TransactionConflict]'),
      'throttled',
      1,
    ],
    ['refuses', refused, 'callFailed', 1],
  ])('knows that a write that AWS %s was not done', async (...given) => {
    const [, reply, kind, attempts] = given;
    // The SDK's delay before it repeats a call is random, up to a limit.
    jest.spyOn(Math, 'random').mockReturnValue(0);

    const call = await failureOfCall(reply, { isWrite: true });

    expect([call.failure!.kind, call.attempts]).toEqual([kind, attempts]);
  });
});
