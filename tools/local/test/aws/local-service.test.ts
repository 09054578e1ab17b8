import { expect, it } from '@jest/globals';
import { startLocalService } from '../../aws/local-service.ts';
import { api, lambda, method, proxy, writeAssembly } from './small-template.ts';

it('a function that returns rubbish is answered with 502, its reason is logged, and other functions are served', async () => {
  const resources = {
    ...api,
    ...lambda('Rubbish'),
    ...lambda('Whole'),
    ...method('GET /rubbish', proxy('Rubbish')),
    ...method('GET /whole', proxy('Whole')),
  };
  const assembly = writeAssembly(resources, {
    Rubbish: 'exports.handler = async () => "rubbish";',
    Whole: 'exports.handler = async () => ({ statusCode: 200, body: "whole" });',
  });
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const service = await startLocalService({ ...assembly, stackName: 'Small', log });
  const get = (path: string) => fetch(`${service.origin}/test/${path}`);

  const [rubbish, whole] = [await get('rubbish'), await get('whole')];

  await service.close();
  assembly.remove();
  expect(rubbish.status).toBe(502);
  expect(await whole.text()).toBe('whole');
  const reason = /^gateway: \S+ INTEGRATION_FAILURE: .*the result is not an object/s;
  expect(lines).toEqual([expect.stringMatching(reason)]);
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
