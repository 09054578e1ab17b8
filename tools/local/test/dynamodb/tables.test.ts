import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createTables, readTables } from '../../dynamodb/tables.ts';
import { createTemplate } from '../small-template.ts';

const key = (AttributeName: string) => [{ AttributeName, KeyType: 'HASH' as const }];
const AttributeDefinitions = [{ AttributeName: 'id', AttributeType: 'S' as const }];
const index = {
  IndexName: 'by-owner',
  KeySchema: key('owner'),
  Projection: { ProjectionType: 'KEYS_ONLY' as const },
};
const definition = { KeySchema: key('id'), AttributeDefinitions };

describe('the tables of a template', () => {
  it('have their keys and indexes, and nothing that has no effect here', () => {
    const more = { ContributorInsightsSpecification: { Enabled: true } };
    const tables = readTables(
      createTemplate({
        Orders: {
          Type: 'AWS::DynamoDB::Table',
          Properties: {
            TableName: 'orders',
            ...definition,
            GlobalSecondaryIndexes: [{ ...index, ...more }],
            LocalSecondaryIndexes: [{ ...index, ...more }],
            DeletionProtectionEnabled: true,
          },
        },
        Keys: {
          Type: 'AWS::DynamoDB::GlobalTable',
          Properties: { TableName: 'keys', ...definition },
        },
      }),
    );

    const created = { ...definition, BillingMode: 'PAY_PER_REQUEST' };
    const indexes = { GlobalSecondaryIndexes: [index], LocalSecondaryIndexes: [index] };
    expect(tables).toEqual([
      {
        logicalId: 'Orders',
        name: 'orders',
        input: { ...created, TableName: 'orders', ...indexes },
      },
      { logicalId: 'Keys', name: 'keys', input: { ...created, TableName: 'keys' } },
    ]);
  });
});

describe('a table', () => {
  /** What a server answers to each call, an error or a table's description. */
  let answers: (Error | object)[];
  let created: unknown[];
  let described: unknown[];

  beforeEach(() => {
    created = [];
    described = [];
  });

  const send = async (command: CreateTableCommand) => {
    (command instanceof CreateTableCommand ? created : described).push(command.input);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return { TableDescription: answer, Table: answer };
  };
  const input = { TableName: 'orders', ...definition };
  const create = () => {
    const client = { send } as unknown as DynamoDBClient;
    return createTables([{ logicalId: 'Orders', name: 'orders', input }], client);
  };
  const exists = new ResourceInUseException({ message: 'exists', $metadata: {} });

  it.each<[string, (Error | object)[]]>([
    ['is active at once', [{ TableStatus: 'ACTIVE' }]],
    [
      'takes a moment',
      [
        { TableStatus: 'CREATING' },
        { TableStatus: 'CREATING' },
        { TableStatus: 'ACTIVE' },
        { KeySchema: key('id') },
      ],
    ],
    ['exists', [exists, { TableStatus: 'ACTIVE' }, { KeySchema: key('id') }]],
  ])('is created, and waited for, where it %s', async (_, given) => {
    answers = [...given];

    await create();

    expect(created).toEqual([input]);
    expect(described).toEqual(given.slice(1).map(() => ({ TableName: 'orders' })));
    expect(answers).toEqual([]);
  });

  it('is refused where one of an earlier version has another key', async () => {
    answers = [exists, { TableStatus: 'ACTIVE' }, { KeySchema: [...key('id'), ...key('owner')] }];

    await expect(create()).rejects.toThrow(
      'the table orders exists with the key id,owner, but this version needs id: use an empty data directory',
    );
  });

  it('fails with the database', async () => {
    answers = [new Error('disk I/O error')];

    await expect(create()).rejects.toThrow('disk I/O error');
  });
});
