import { expect, it } from '@jest/globals';
import { startLocalService } from '../../aws/local-service.ts';
import { api, lambda, method, proxy, writeAssembly } from './small-template.ts';

/** The integration of a function. */
const integrationOf = (name: string) =>
  proxy({ 'Fn::Join': ['', ['/functions/', { 'Fn::GetAtt': [name, 'Arn'] }, '/invocations']] });

it('functions whose results API Gateway refuses are answered with 502 and logged, and other functions are served', async () => {
  const resources = {
    ...api,
    ...lambda('Rubbish'),
    ...lambda('Streaming'),
    ...lambda('Whole'),
    ...method('GET /rubbish', integrationOf('Rubbish')),
    ...method('GET /streaming', integrationOf('Streaming')),
    ...method('GET /whole', integrationOf('Whole')),
  };
  const assembly = writeAssembly(resources, {
    Rubbish: 'exports.handler = async () => "rubbish";',
    Streaming: `exports.handler = awslambda.streamifyResponse(async (event, output) => {
      output.end('{}' + '\\0'.repeat(8)); });`,
    Whole: 'exports.handler = async () => ({ statusCode: 200, body: "whole" });',
  });
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const service = await startLocalService({ ...assembly, stackName: 'Small', log });
  const get = (path: string) => fetch(`${service.origin}/test/${path}`);

  const [rubbish, streaming] = [await get('rubbish'), await get('streaming')];
  const whole = await get('whole');

  await service.close();
  assembly.remove();
  expect([rubbish.status, streaming.status]).toEqual([502, 502]);
  expect(await whole.text()).toBe('whole');
  const reasons = [
    'the result is not an object',
    'the function streams and its integration does not',
  ];
  const logged = reasons.map((reason) => `^gateway: \\S+ INTEGRATION_FAILURE: [^]*${reason}`);
  expect(lines).toEqual(logged.map((line) => expect.stringMatching(line)));
});

it('a DynamoDB that does not answer is named without its password', async () => {
  const keys = { AttributeName: 'id', KeyType: 'HASH' };
  const table = {
    Type: 'AWS::DynamoDB::Table',
    Properties: { KeySchema: [keys], AttributeDefinitions: [] },
  };
  const assembly = writeAssembly({ ...api, Table: table }, {});
  const dynamodbEndpoint = 'http://user:secret@127.0.0.1:9';

  const starting = startLocalService({
    ...assembly,
    ...{ stackName: 'Small', log: () => {}, dynamodbEndpoint },
  });

  const message = /^DYNAMODB_ENDPOINT: http:\/\/127.0.0.1:9 fails \(.*ECONNREFUSED.*\): check/;
  await expect(starting).rejects.toThrow(message);
  assembly.remove();
});
