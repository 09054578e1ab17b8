import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import {
  answer,
  contentType,
  DynamodbProxy,
  lost,
  type Reply,
  unanswered,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { callLimitSettings, defaultCallLimits, withCallLimits } from '../../stage/call-limits.ts';
import { failureOf } from '../../stage/service-failure.ts';

const shortLimits = {
  connectionTimeoutMs: 200,
  answerTimeoutMs: 60,
  wholeAnswerTimeoutMs: 150,
  maxAttempts: 2,
};

/** The answer begins, and does not go on. */
const stalled: Reply = ({ outgoing }) =>
  void outgoing.writeHead(200, contentType).write('{"Table":');

/** The answer comes byte by byte, so that the connection is never idle. */
const dripping: Reply = ({ outgoing }) => {
  outgoing.writeHead(200, contentType);
  const drip = setInterval(() => outgoing.write(' '), 10);
  outgoing.on('close', () => clearInterval(drip));
};

async function failureOfCall(reply: Reply, answerTimeoutMs = shortLimits.answerTimeoutMs) {
  const limits = { ...shortLimits, answerTimeoutMs };
  await using dynamodb = await DynamodbProxy.start(reply);
  const settings = {
    ...callLimitSettings(limits),
    endpoint: dynamodb.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  const client = withCallLimits(new DynamoDBClient(settings), limits);
  const error = await client
    .send(new DescribeTableCommand({ TableName: 'Orders' }))
    .catch((thrown: unknown) => thrown);
  client.destroy();
  // As the client counts: an attempt can be over before the server has seen it.
  return { failure: failureOf(error), attempts: Object(error).$metadata?.attempts };
}

describe('a client with call limits', () => {
  it.each([
    ['hangs', unanswered, 60],
    ['stalls within its answer', stalled, 60],
    // On a busy machine, a byte can come late.
    ['sends its answer byte by byte', dripping, 60_000],
    ['loses the connection', lost, 60],
  ])(
    'gives up after its attempts, and names the call, where DynamoDB %s',
    async (_, reply, answerTimeoutMs) => {
      const { failure, attempts } = await failureOfCall(reply, answerTimeoutMs);

      expect(failure).toMatchObject({
        kind: 'noAnswer',
        problem: expect.stringMatching(/^DynamoDB DescribeTable got no answer in time \(/),
      });
      expect(attempts).toBe(shortLimits.maxAttempts);
    },
  );

  it('tells what a DynamoDB says that fails', async () => {
    const __type = 'com.amazon.coral.service#ServiceUnavailable';
    const { failure } = await failureOfCall(
      answer({ __type, Message: '127.0.0.1:8000 does not answer (ECONNREFUSED)' }, 503),
    );

    expect(failure!.problem).toContain('127.0.0.1:8000 does not answer (ECONNREFUSED)');
  });

  it('takes less than a minute for a call in all', () => {
    const { wholeAnswerTimeoutMs, maxAttempts } = defaultCallLimits;

    expect(wholeAnswerTimeoutMs * maxAttempts).toBeLessThan(60_000);
  });
});
