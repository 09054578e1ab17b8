import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalhostCertificate } from '../../../bench/certificate.ts';
import { type FunctionName, functionNames } from '../../../lib/settings/functions.ts';
import {
  answer,
  DynamodbProxy,
  failure,
  lost,
  type Reply,
} from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { exampleToken, ownerItem } from '../../helpers/dynamodb/key-items.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';
import { assemblyDirectory } from '../../helpers/synthesized.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const certificate = await createLocalhostCertificate();

/** DynamoDB's response to the write of a cancellation. */
const cancelled: Reply = (call) => {
  const values = call.input.ExpressionAttributeValues as Record<string, object>;
  const cancelRequestId = values[':cancelRequestId'];
  answer({ Attributes: { status: { S: 'cancelled' }, cancelRequestId } })(call);
};

/** What a function is asked, what DynamoDB replies to it, by operation, and a part of its answer. */
interface Exchange {
  readonly event: object;
  readonly replies: Readonly<Record<string, Reply>>;
  readonly expected: string;
}

describe('what is left out of the bundles is not needed', () => {
  const home = temporaryDirectory();
  const certificateFile = home.write('certificate.pem', certificate.cert);
  let dynamodb: DynamodbProxy;

  beforeAll(async () => {
    dynamodb = await DynamodbProxy.start(lost, certificate);
  });

  afterAll(async () => {
    await dynamodb[Symbol.asyncDispose]();
    home.remove();
  });

  const exchanges: Readonly<Record<FunctionName, Exchange>> = {
    authorizer: {
      event: authorizerEvent(),
      replies: {
        GetItem: answer({ Item: ownerOfKey() }),
        UpdateItem: answer({ Attributes: ownerOfKey() }),
      },
      expected: 'Allow',
    },
    cancelOrder: {
      event: cancelEvent(),
      replies: { UpdateItem: cancelled },
      expected: '"statusCode":204',
    },
    listOrders: {
      event: listEvent(),
      replies: { Scan: answer({ Items: [{ id: { N: '7' } }], Count: 1 }) },
      expected: '[{\\"id\\":7}]',
    },
  };

  it.each(functionNames)(
    '%s: answers over TLS, signed with credentials from the environment alone',
    async (name) => {
      const { event, replies: operations, expected } = exchanges[name];
      const replies = Object.values(operations);
      const requests: object[] = [];
      dynamodb.reply = (call) => {
        const { authorization, 'x-amz-security-token': token } = call.incoming.headers;
        requests.push({ operation: call.operation, authorization, token });
        return replies.shift()?.(call);
      };

      const result = await invoke(name, event);

      expect(result).toContain(expected);
      expect(requests).toEqual(
        Object.keys(operations).map((operation) => ({
          operation,
          authorization: expect.stringContaining('Credential=AKIDEXAMPLE/'),
          token: 'session-token',
        })),
      );
    },
  );

  it('retries are kept: a request that DynamoDB fails is sent again', async () => {
    const replies = [answer({ __type: 'InternalServerError' }, 500), cancelled];
    dynamodb.reply = (call) => replies.shift()?.(call);

    const result = await invoke('cancelOrder', cancelEvent());

    expect(result).toContain('"statusCode":204');
    expect(replies).toEqual([]);
  });

  it('errors are kept: a failed condition is told apart, with the item found', async () => {
    const Item = { status: { S: 'shipped' } };
    dynamodb.reply = failure('ConditionalCheckFailedException', { Item });

    const result = await invoke('cancelOrder', cancelEvent());

    expect(result).toContain('order_already_shipped');
  });

  async function invoke(name: FunctionName, event: object): Promise<string> {
    const bundle = join(assemblyDirectory(), 'bundles', name, 'index.js');
    const parameters = [join(import.meta.dirname, 'invoke-bundle.ts'), bundle];
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [...parameters, JSON.stringify(event)],
      {
        // The process has no other variables, no profiles in its home, and no metadata service.
        env: {
          ...functionEnvironment,
          HOME: home.path,
          NODE_EXTRA_CA_CERTS: certificateFile,
          AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
          AWS_SECRET_ACCESS_KEY: 'secret',
          AWS_SESSION_TOKEN: 'session-token',
          AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
        },
      },
    );
    return stderr;
  }
});

function authorizerEvent() {
  return {
    type: 'TOKEN',
    authorizationToken: `Bearer ${exampleToken()}`,
    methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:api/staging/GET/v1/store/orders',
  };
}

function ownerOfKey() {
  const now = Math.floor(Date.now() / 1000);
  return ownerItem({
    minuteWindow: now - (now % 60),
    minuteCount: 1,
    dayWindow: now - (now % 86_400),
    dayCount: 1,
  });
}

function cancelEvent() {
  return proxyEvent('DELETE', { orderId: '7' });
}

function listEvent() {
  return proxyEvent('GET', null);
}

function proxyEvent(httpMethod: string, pathParameters: object | null) {
  return {
    httpMethod,
    pathParameters,
    headers: {},
    body: null,
    isBase64Encoded: false,
    requestContext: {
      requestId: 'request',
      authorizer: { keyId: 'key_example', limit: '60', remaining: '59', reset: '1795000000' },
    },
  };
}
