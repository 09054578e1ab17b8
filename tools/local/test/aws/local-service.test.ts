import { expect, it } from '@jest/globals';
import { startLocalService } from '../../aws/local-service.ts';
import { api, writeAssembly } from './small-template.ts';

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
