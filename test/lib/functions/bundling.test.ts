import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { builtinModules } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalhostCertificate } from '../../../bench/doubles/certificate.ts';
import { bundleLimitsKb, type FunctionName } from '../../../lib/functions/bundling.ts';
import { exampleToken, ownerItem } from '../../helpers/key-items.ts';
import { assemblyDirectory, assetsManifestFile, template } from '../../helpers/synthesized.ts';

const functionNames = Object.keys(bundleLimitsKb) as FunctionName[];

describe.each(functionNames)('bundle of %s', (name) => {
  it('is no larger than it was measured to start fast with', () => {
    const { size } = statSync(bundleFile(name));

    expect(bundleLimitsKb[name]).toBeLessThan(200);
    expect(size / 1024).toBeLessThanOrEqual(bundleLimitsKb[name]);
    // Where a bundle has become much smaller, so should its limit.
    expect(size / 1024).toBeGreaterThan(0.85 * bundleLimitsKb[name]);
  });

  it('needs nothing beside it but Node', () => {
    const code = readFileSync(bundleFile(name), 'utf8');

    const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, module]) => module!);

    expect(required).not.toEqual([]);
    const external = required.filter(
      (module) => !builtinModules.includes(module.replace(/^node:/, '')),
    );
    expect(external).toEqual([]);
  });

  it('has its source map elsewhere', () => {
    const code = readFileSync(bundleFile(name), 'utf8');

    expect(readdirSync(join(bundleFile(name), '..'))).toEqual(['index.js']);
    expect(code).not.toContain('sourceMappingURL');
    const map = JSON.parse(readFileSync(sourceMapFile(name), 'utf8'));
    expect(map.sources.join()).toContain('lambdas/');
  });

  it('is the asset that the template names', () => {
    const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}Function`;
    const [, { Properties }] = Object.entries(template('staging').Resources).find(
      ([logicalId, { Type }]) => Type === 'AWS::Lambda::Function' && logicalId.startsWith(id),
    )!;
    const { files } = JSON.parse(readFileSync(assetsManifestFile('staging'), 'utf8'));

    const { source } = files[Properties.Code.S3Key.replace('.zip', '')];

    expect(source.packaging).toBe('zip');
    const asset = readFileSync(join(assemblyDirectory(), source.path, 'index.js'));
    expect(asset.equals(readFileSync(bundleFile(name)))).toBe(true);
  });
});

interface Input {
  ExpressionAttributeValues: Record<string, object>;
}

const certificate = await createLocalhostCertificate();

describe('what is left out of the bundles is not needed', () => {
  const home = mkdtempSync(join(tmpdir(), 'store-orders-'));
  const certificateFile = join(home, 'certificate.pem');
  const requests: { operation: string; authorization: string; token: string }[] = [];
  let answers: { status: number; body: object | ((input: Input) => object) }[] = [];
  /** What DynamoDB says of a cancellation that it has written. */
  const written = ({ ExpressionAttributeValues: values }: Input) => ({
    Attributes: { status: values[':cancelled'], cancelRequestId: values[':cancelRequestId'] },
  });

  const dynamodb = createServer(certificate, async (request, response) => {
    const input = (await json(request)) as Input;
    requests.push({
      operation: String(request.headers['x-amz-target']).replace('DynamoDB_20120810.', ''),
      authorization: String(request.headers.authorization),
      token: String(request.headers['x-amz-security-token']),
    });
    const { status, body } = answers.shift()!;
    const text = JSON.stringify(typeof body === 'function' ? body(input) : body);
    response.writeHead(status, {
      'Content-Type': 'application/x-amz-json-1.0',
      'Content-Length': Buffer.byteLength(text),
    });
    response.end(text);
  });

  beforeAll(async () => {
    writeFileSync(certificateFile, certificate.cert);
    dynamodb.listen(0, '127.0.0.1');
    await once(dynamodb, 'listening');
  });

  afterAll(async () => {
    dynamodb.closeAllConnections();
    dynamodb.close();
    await once(dynamodb, 'close');
  });

  it.each([
    [
      'authorizer',
      authorizerEvent(),
      { GetItem: { Item: ownerOfKey() }, UpdateItem: { Attributes: ownerOfKey() } },
      'Allow',
    ],
    ['cancelOrder', cancelEvent(), { UpdateItem: written }, '"statusCode":204'],
    [
      'listOrders',
      listEvent(),
      { Scan: { Items: [{ id: { N: '7' } }], Count: 1 } },
      '[{\\"id\\":7}]',
    ],
  ] as const)(
    '%s: answers over TLS, signed with credentials from the environment alone',
    async (name, event, operations, expected) => {
      answers = Object.values(operations).map((body) => ({ status: 200, body }));
      requests.length = 0;

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
    const failure = { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError' };
    answers = [
      { status: 500, body: failure },
      { status: 200, body: written },
    ];
    requests.length = 0;

    const result = await invoke('cancelOrder', cancelEvent());

    expect(result).toContain('"statusCode":204');
    expect(requests).toHaveLength(2);
  });

  it('errors are kept: a failed condition is told apart, with the item found', async () => {
    const type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
    answers = [{ status: 400, body: { __type: type, Item: { status: { S: 'shipped' } } } }];

    const result = await invoke('cancelOrder', cancelEvent());

    expect(result).toContain('order_already_shipped');
  });

  async function invoke(name: FunctionName, event: object): Promise<string> {
    const { port } = dynamodb.address() as AddressInfo;
    const parameters = [join(import.meta.dirname, 'invoke-bundle.ts'), bundleFile(name)];
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [...parameters, JSON.stringify(event)],
      {
        // All that there is: no home with profiles, no metadata service, no further variables.
        env: {
          HOME: home,
          NODE_EXTRA_CA_CERTS: certificateFile,
          AWS_REGION: 'eu-central-1',
          AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
          AWS_SECRET_ACCESS_KEY: 'secret',
          AWS_SESSION_TOKEN: 'session-token',
          AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${port}`,
          STAGE: 'staging',
          API_KEYS_TABLE: 'ApiKeys',
          API_KEY_PREFIX: 'so_test_',
          BAN_RULES: '{"free":{"toleratedRejectionsPerMinute":180,"banSeconds":300}}',
          ORDERS_TABLE: 'Orders',
        },
      },
    );
    return stderr;
  }
});

function bundleFile(name: FunctionName): string {
  return join(assemblyDirectory(), 'bundles', name, 'index.js');
}

function sourceMapFile(name: FunctionName): string {
  return join(assemblyDirectory(), 'bundles/source-maps', `${name}.js.map`);
}

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
