import { describe, expect, it } from '@jest/globals';
import { requiredPermissions } from '../../dynamodb/required-permissions.ts';

const tablesArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/';
const other = 'arn:aws:dynamodb:eu-west-1:111111111111:table/Far';

const permissions = (operation: string, input: unknown) =>
  requiredPermissions(operation, input, tablesArn).map(
    ({ action, resource }) => `${action} ${resource.replace(tablesArn, 'own:')}`,
  );

describe('the permissions of a call', () => {
  it.each<[string, string, unknown, string[]]>([
    [
      'a table by its name',
      'UpdateItem',
      { TableName: 'Orders' },
      ['dynamodb:UpdateItem own:Orders'],
    ],
    ['a table by its ARN', 'Scan', { TableName: other }, [`dynamodb:Scan ${other}`]],
    [
      'an index',
      'Query',
      { TableName: 'Keys', IndexName: 'byId' },
      ['dynamodb:Query own:Keys/index/byId'],
    ],
    [
      'several tables to read',
      'BatchGetItem',
      { RequestItems: { Orders: {}, [other]: {} } },
      ['dynamodb:BatchGetItem own:Orders', `dynamodb:BatchGetItem ${other}`],
    ],
    [
      'several tables to write',
      'BatchWriteItem',
      { RequestItems: { Orders: [], Keys: [] } },
      ['dynamodb:BatchWriteItem own:Orders', 'dynamodb:BatchWriteItem own:Keys'],
    ],
    [
      'a transaction that writes',
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'Orders' } },
          { Update: { TableName: 'Keys' } },
          { Delete: { TableName: 'Orders' } },
          { ConditionCheck: { TableName: 'Keys' } },
        ],
      },
      [
        'dynamodb:PutItem own:Orders',
        'dynamodb:UpdateItem own:Keys',
        'dynamodb:DeleteItem own:Orders',
        'dynamodb:ConditionCheckItem own:Keys',
      ],
    ],
    [
      'a transaction that reads',
      'TransactGetItems',
      { TransactItems: [{ Get: { TableName: 'Orders' } }] },
      ['dynamodb:GetItem own:Orders'],
    ],
  ])('to %s are those of every table that it names', (_, operation, input, expected) => {
    expect(permissions(operation, input)).toEqual(expected);
  });

  it.each<[string, string, unknown]>([
    ['a statement in PartiQL', 'ExecuteStatement', { Statement: 'SELECT * FROM "Orders"' }],
    ['a call without a table', 'ListTables', {}],
    ['a table without a name', 'UpdateItem', { TableName: '' }],
    ['a table that is no text', 'UpdateItem', { TableName: ['Orders'] }],
    ['a body that is no JSON', 'UpdateItem', undefined],
    ['an empty batch', 'BatchGetItem', { RequestItems: {} }],
    ['a transaction that is no list', 'TransactGetItems', { TransactItems: {} }],
    [
      'a transaction with nothing in a part',
      'TransactGetItems',
      { TransactItems: [{ Get: null }] },
    ],
    [
      'a transaction with an unknown part',
      'TransactWriteItems',
      { TransactItems: [{ Put: { TableName: 'Orders' } }, { Append: { TableName: 'Keys' } }] },
    ],
    [
      'a transaction with a part without a table',
      'TransactWriteItems',
      { TransactItems: [{ Put: {} }] },
    ],
  ])('of %s cannot be told', (_, operation, input) => {
    expect(permissions(operation, input)).toEqual([]);
  });
});
