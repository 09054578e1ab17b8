import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
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

async function failureOfCall(reply: Reply, limits = patient) {
  await using dynamodb = await DynamodbProxy.start(reply);
  const settings = {
    ...callLimitSettings(limits),
    endpoint: dynamodb.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  const client = withCallLimits(new DynamoDBClient(settings));
  const error = await client.send(new DescribeTableCommand({ TableName: 'Orders' })).then(
    () => ({}),
    (thrown) => thrown,
  );
  client.destroy();
  // The client counts the attempts. An attempt can end before the server has seen it.
  const { $metadata = Object(error.cause).$metadata } = error;
  return { problem: error.message, attempts: $metadata.attempts };
}

afterEach(() => {
  jest.restoreAllMocks();
});

const cancelled = (message: string) => failureNamed('TransactionCanceledException', { message });
const noResponse = 'DynamoDB DescribeTable got no response (';
const busy = 'DynamoDB DescribeTable is throttled (';
const failed = 'DynamoDB DescribeTable failed (';

it.each<[string, Reply, problem: string, attempts: number, typeof patient?]>([
  ['hangs', unanswered, noResponse, 2, impatient],
  ['stalls within its response', stalled, noResponse, 2, impatient],
  ['loses the connection', lost, noResponse, 2],
  ['sends half of its response', unreadable, noResponse, 1],
  ['fails', answer({}, 500), failed, 2],
  ['throttles', throttled, busy, 2],
  [
    'refuses it because of another in the same Region',
    failureNamed('ConflictException', { message: 'due to concurrent modification' }),
    busy,
    2,
  ],
  ['refuses it because of another', cancelled('[None, TransactionConflict]'), busy, 2],
  [
    'refuses its condition',
    cancelled('[ConditionalCheckFailed, TransactionConflict]'),
    '[ConditionalCheckFailed',
    1,
  ],
  ['does not find it', failureNamed('NotFoundException', { message: 'no key' }), 'no key', 1],
  ['refuses it', refused, failed, 1],
])('a call is repeated unless AWS refuses it for good: if DynamoDB %s', async (...given) => {
  const [, reply, problem, attempts, limits] = given;
  // The SDK's delay before it repeats a call is random, up to a limit.
  jest.spyOn(Math, 'random').mockReturnValue(0);

  const call = await failureOfCall(reply, limits);

  expect(call.problem.slice(0, problem.length)).toBe(problem);
  expect(call.attempts).toBe(attempts);
});
