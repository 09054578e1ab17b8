import { expect, it } from '@jest/globals';
import { startLocalService } from '../../aws/local-service.ts';
import { api, lambda, method, proxy, writeAssembly } from './small-template.ts';

it('a function whose result API Gateway refuses is answered with 502 and logged', async () => {
  const uri = { 'Fn::Join': ['', ['/functions/', { 'Fn::GetAtt': ['List', 'Arn'] }, '/']] };
  const assembly = writeAssembly(
    { ...api, ...lambda('List'), ...method('GET /', proxy(uri)) },
    {
      List: `exports.handler = awslambda.streamifyResponse(async (event, output) => {
      output.end('{}' + '\\0'.repeat(8)); });`,
    },
  );
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const service = await startLocalService({ ...assembly, stackName: 'Small', log });

  const { status } = await fetch(`${service.origin}/test`);

  await service.close();
  assembly.remove();
  const reason = 'the function streams and its integration does not';
  expect([status, ...lines]).toEqual([
    502,
    expect.stringMatching(`^gateway: \\S+ INTEGRATION_FAILURE: [^]*${reason}`),
  ]);
});

it('a DynamoDB that does not answer is named without its password', async () => {
  const table = { Type: 'AWS::DynamoDB::Table', Properties: { KeySchema: [] } };
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
