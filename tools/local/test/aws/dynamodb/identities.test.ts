import { describe, expect, it } from '@jest/globals';
import { createIdentities, denialOf } from '../../../aws/dynamodb/identities.ts';
import { createTemplate, lambda, type Resources } from '../small-template.ts';

const tables = 'arn:aws:dynamodb:eu-central-1:123456789012:table';
const orders = `${tables}/Orders`;
const call = Buffer.from('{"TableName":"Orders"}');

const allow = (Resource: unknown, Action: unknown = 'dynamodb:UpdateItem') => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const allowing = (...statements: object[]) => lambda('List', {}, statements);
/** The role of `lambda('List')` with other properties. */
function changed(properties: object): Resources {
  const { List, ListRole } = lambda('List');
  return {
    List: List!,
    ListRole: { ...ListRole!, Properties: { ...ListRole!.Properties, ...properties } },
  };
}

const identityOf = (resources: Resources) =>
  createIdentities(createTemplate(resources)).functions.get('List')!;

describe("a function's role", () => {
  it.each<[string, boolean, object[]]>([
    ['one of several actions', true, [allow(orders, ['dynamodb:Scan', 'dynamodb:UpdateItem'])]],
    ['one of several tables', true, [allow([`${tables}/Keys`, orders])]],
    ['it in a second statement', true, [allow(orders, 'dynamodb:Scan'), allow(orders)]],
    ['it beside all resources of another service', true, [allow('*', 'xray:Put*'), allow(orders)]],
    ['nothing', false, []],
    ['another action', false, [allow(orders, 'dynamodb:GetItem')]],
    ['another table', false, [allow(`${tables}/Keys`)]],
    ['a table whose name begins like it', false, [allow(`${tables}/Order`)]],
  ])('that allows %s: %s', (_, expected, statements) => {
    const denial = denialOf(identityOf(allowing(...statements)), 'UpdateItem', call);

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
    const identity = identityOf({ ...lambda('Other'), ...allowing(), Policy: policy });

    expect(denialOf(identity, 'UpdateItem', call) === undefined).toBe(isAllowed);
  });

  it.each<[string, Resources, string]>([
    [
      'is not in the template',
      lambda('List', { Role: 'arn:aws:iam::1:role/x' }),
      'List: its role arn:aws:iam::1:role/x is not in the template',
    ],
    [
      'has managed policies',
      changed({ ManagedPolicyArns: ['arn:aws:iam::aws:policy/AmazonDynamoDBFullAccess'] }),
      'ListRole: ManagedPolicyArns of a function is not supported locally',
    ],
    [
      'has a statement that denies',
      allowing({ ...allow(orders), Effect: 'Deny' }),
      'ListRole: Effect Deny in a statement is not supported locally',
    ],
    [
      'has a statement with a condition',
      allowing({ ...allow(orders), Condition: {} }),
      'ListRole: Condition in a statement is not supported locally',
    ],
    [
      'has a pattern of actions',
      allowing(allow(orders, ['dynamodb:Scan', 'dynamodb:?etItem'])),
      'ListRole: the pattern dynamodb:?etItem in a statement is not supported',
    ],
    [
      'has a pattern of tables',
      allowing(allow(`${tables}/*`)),
      `ListRole: the pattern ${tables}/* in a statement is not supported`,
    ],
  ])('stops the run when it %s', (_, resources, message) => {
    expect(() => identityOf(resources)).toThrow(message);
  });
});
