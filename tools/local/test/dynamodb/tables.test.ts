import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { provideTables } from '../../dynamodb/tables.ts';
import { createTemplate } from '../small-template.ts';

const key = (AttributeName: string) => [{ AttributeName, KeyType: 'HASH' as const }];
const definition = {
  KeySchema: key('id'),
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' as const }],
};
const template = createTemplate({
  Orders: {
    Type: 'AWS::DynamoDB::Table',
    Properties: { ...definition, DeletionProtectionEnabled: true },
  },
});
const name = template.ofType('AWS::DynamoDB::Table')[0]!.ref;
const exists = new ResourceInUseException({ message: 'exists', $metadata: {} });

describe('a table of a template', () => {
  /** What a server answers to each call, an error or a table's description. */
  let answers: (Error | object)[];
  let created: unknown[];

  beforeEach(() => {
    created = [];
  });

  const provide = () => {
    const send = async (command: CreateTableCommand) => {
      if (command instanceof CreateTableCommand) created.push(command.input);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return { TableDescription: answer, Table: answer };
    };
    return provideTables(template, { send } as unknown as DynamoDBClient);
  };

  it.each<[string, (Error | object)[]]>([
    ['is created with its key, and without what has no effect here', [{ TableStatus: 'ACTIVE' }]],
    ['may exist', [exists, { KeySchema: key('id') }]],
  ])('%s', async (_, given) => {
    answers = [...given];

    await provide();

    expect(created).toEqual([{ TableName: name, ...definition, BillingMode: 'PAY_PER_REQUEST' }]);
    expect(answers).toEqual([]);
  });

  it('is refused where one of an earlier version has another key', async () => {
    answers = [exists, { KeySchema: [...key('id'), ...key('owner')] }];

    await expect(provide()).rejects.toThrow(
      `the table ${name} exists with the key id,owner, but this version needs id: use an empty data directory`,
    );
  });
});
