import { describe, expect, it } from '@jest/globals';
import { readCallers } from '../../../aws/dynamodb/callers.ts';
import { createTemplate, lambda, type Resources } from '../small-template.ts';

const tables = 'arn:aws:dynamodb:us-east-1:000000000000:table';
const orders = `${tables}/Orders`;

const allow = (Resource: unknown, Action: unknown = 'dynamodb:UpdateItem') => ({
  Effect: 'Allow',
  Action,
  Resource,
});

const denialOf = (resources: Resources, operation = 'UpdateItem', table?: string) =>
  readCallers(createTemplate(resources)).get('List')!.denialOf(operation, table);

describe("a function's role", () => {
  it.each<[string, boolean, object[]]>([
    ['one of several actions', true, [allow(orders, ['dynamodb:Scan', 'dynamodb:UpdateItem'])]],
    ['one of several tables', true, [allow([`${tables}/Keys`, orders])]],
    ['all tables', true, [allow(`${tables}/*`)]],
    ['it in a second statement', true, [allow(orders, 'dynamodb:Scan'), allow(orders)]],
    ['nothing', false, []],
    ['another table', false, [allow(`${tables}/Keys`)]],
    ['a table whose name begins like it', false, [allow(`${tables}/Order`)]],
    ['it, and denies it', false, [allow(orders), { ...allow('*'), Effect: 'Deny' }]],
  ])('that allows %s: %s', (_, expected, statements) => {
    const denial = denialOf(lambda('List', {}, statements), 'UpdateItem', 'Orders');

    expect(denial === undefined).toBe(expected);
  });

  it.each([
    ['its own', 'ListRole', true],
    ["another function's", 'OtherRole', false],
  ])('has the permissions of a policy of %s role: %s', (_, role, isAllowed) => {
    const policy = {
      Type: 'AWS::IAM::Policy',
      Properties: { PolicyDocument: { Statement: [allow(orders)] }, Roles: [{ Ref: role }] },
    };
    const resources = { ...lambda('Other'), ...lambda('List'), Policy: policy };

    expect(denialOf(resources, 'UpdateItem', 'Orders') === undefined).toBe(isAllowed);
  });

  it('that has a policy for one table allows no call for several', () => {
    const resources = lambda('List', {}, [allow(orders, 'dynamodb:TransactWriteItems')]);

    expect(denialOf(resources, 'TransactWriteItems')).toBe(
      'User: arn:aws:sts::000000000000:assumed-role/Small-ListRole/Small-List is not authorized to perform: ' +
        'dynamodb:TransactWriteItems on resource: * because no identity-based policy allows the ' +
        'dynamodb:TransactWriteItems action',
    );
  });

  it('stops the run when it has a condition', () => {
    const resources = lambda('List', {}, [{ ...allow(orders), Condition: {} }]);

    expect(() => denialOf(resources)).toThrow('ListRole: a condition in a statement');
  });
});
