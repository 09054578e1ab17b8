import { describe, expect, it } from '@jest/globals';
import { requiredPermissions } from '../../../local/dynamodb/required-permissions.ts';

const tablesArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/';
const other = 'arn:aws:dynamodb:eu-west-1:111111111111:table/Far';

const permissions = (operation: string, input: unknown) =>
  requiredPermissions(operation, input, tablesArn).map(
    ({ action, resource }) => `${action} ${resource.replace(tablesArn, '')}`,
  );

describe('the permissions of a call', () => {
  it.each<[string, string, unknown, string[]]>([
    ['a table by its name', 'UpdateItem', { TableName: 'Orders' }, ['dynamodb:UpdateItem Orders']],
    ['a table by its ARN', 'Scan', { TableName: other }, [`dynamodb:Scan ${other}`]],
    [
      'an index',
      'Query',
      { TableName: 'Keys', IndexName: 'byId' },
      ['dynamodb:Query Keys/index/byId'],
    ],
    [
      'a table with its tags',
      'TagResource',
      { ResourceArn: other },
      [`dynamodb:TagResource ${other}`],
    ],
    ['no table', 'ListTables', {}, ['dynamodb:ListTables *']],
    [
      'several tables to read',
      'BatchGetItem',
      { RequestItems: { Orders: {}, [other]: {} } },
      ['dynamodb:BatchGetItem Orders', `dynamodb:BatchGetItem ${other}`],
    ],
    [
      'several tables to write',
      'BatchWriteItem',
      { RequestItems: { Orders: [], Keys: [] } },
      ['dynamodb:BatchWriteItem Orders', 'dynamodb:BatchWriteItem Keys'],
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
        'dynamodb:PutItem Orders',
        'dynamodb:UpdateItem Keys',
        'dynamodb:DeleteItem Orders',
        'dynamodb:ConditionCheckItem Keys',
      ],
    ],
    [
      'a transaction that reads',
      'TransactGetItems',
      { TransactItems: [{ Get: { TableName: 'Orders' } }] },
      ['dynamodb:GetItem Orders'],
    ],
  ])('to %s are those of every table that it names', (_, operation, input, expected) => {
    expect(permissions(operation, input)).toEqual(expected);
  });

  it.each<[string, string, unknown]>([
    ['a statement in PartiQL', 'ExecuteStatement', { Statement: 'SELECT * FROM "Orders"' }],
    ['statements in PartiQL', 'BatchExecuteStatement', { Statements: [{ Statement: 'x' }] }],
    ['a call without a table', 'UpdateItem', {}],
    ['a table that is no text', 'UpdateItem', { TableName: ['Orders'] }],
    ['a body that is no JSON', 'UpdateItem', undefined],
    ['an empty batch', 'BatchGetItem', { RequestItems: {} }],
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
