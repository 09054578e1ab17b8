import { describe, expect, it } from '@jest/globals';
import { createTemplate, lambda, type Resources } from '../small-template.ts';

const table: Resources = {
  Table: {
    Type: 'AWS::DynamoDB::Table',
    Properties: { KeySchema: [], AttributeDefinitions: [] },
  },
};
const tableName = createTemplate(table).ofType('AWS::DynamoDB::Table')[0]!.ref;

function resource(Type: string, Properties: Record<string, unknown> = {}, logicalId = 'X') {
  return createTemplate({ [logicalId]: { Type, Properties } }).ofType(Type)[0]!;
}

describe('a template', () => {
  const list = 'see tools/local/aws/template/resource-types.ts';

  it('is refused for an unknown type', () => {
    expect(() => resource('AWS::SQS::Queue')).toThrow(
      `X: the type AWS::SQS::Queue is not supported locally: ${list}`,
    );
  });

  it('is refused for a condition', () => {
    const conditional = { Topic: { Type: 'AWS::SNS::Topic', Condition: 'IsLarge' } };

    expect(() => createTemplate(conditional)).toThrow(
      'Topic: the condition IsLarge is not supported locally',
    );
  });

  it.each<[string, unknown, unknown]>([
    ['Ref of a resource', { Ref: 'Table' }, tableName],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'eu-central-1'],
    [
      'Fn::GetAtt',
      { 'Fn::GetAtt': ['Table', 'Arn'] },
      `arn:aws:dynamodb:eu-central-1:123456789012:table/${tableName}`,
    ],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'Table' }, 1]] }, `a-${tableName}-1`],
    ['an object with more keys than a function', { Ref: 'x', a: 1 }, { Ref: 'x', a: 1 }],
    [
      'a function within lists and objects',
      { a: [1, true, null, { b: { Ref: 'Table' } }], c: {} },
      { a: [1, true, null, { b: tableName }], c: {} },
    ],
  ])('has %s resolved', (_, Description, expected) => {
    const template = createTemplate({
      ...table,
      ...lambda('Fn', { Description }),
    });

    expect(template.ofType('AWS::Lambda::Function')[0]!.property('Description')).toEqual(expected);
  });

  it.each<[string, unknown, string]>([
    ['a function', { 'Fn::If': ['x', 1, 2] }, 'Fn: the function Fn::If is not supported locally'],
    ['a Ref', { Ref: 'Nobody' }, 'Fn: a reference to Nobody is not supported locally'],
    [
      'an attribute',
      { 'Fn::GetAtt': ['Table', 'TableId'] },
      'Fn: a reference to Table.TableId is not supported locally',
    ],
    ['a dynamic reference', '{{resolve:ssm:name}}', 'Fn: the dynamic reference {{'],
  ])('is refused for %s that is not supported', (_, Description, message) => {
    const template = createTemplate({ ...table, ...lambda('Fn', { Description }) });
    const [fn] = template.ofType('AWS::Lambda::Function');

    expect(() => fn!.property('Description')).toThrow(message);
  });
});

describe('a resource', () => {
  const arn = (service: string, rest: string) =>
    `arn:aws:${service}:eu-central-1:123456789012:${rest}`;

  const name = 'Small-X-U31GV6LDBZ5K';
  const role = 'arn:aws:iam::123456789012:role';
  const live = { FunctionName: 'list', Name: 'live' };

  // Data of an earlier run are stored under these names.
  it.each<[string, Record<string, unknown>, string, Record<string, string>]>([
    ['AWS::ApiGateway::RestApi', {}, '1gv6ldbz5k', { RootResourceId: 'jn290ko459' }],
    ['AWS::ApiGateway::Stage', { StageName: 'test' }, 'test', {}],
    ['AWS::ApiGateway::UsagePlan', {}, 'ldbz5k', {}],
    ['AWS::Lambda::Function', {}, name, { Arn: arn('lambda', `function:${name}`) }],
    [
      'AWS::Lambda::Version',
      { FunctionName: 'list' },
      arn('lambda', 'function:list:1'),
      { Version: '1' },
    ],
    ['AWS::Lambda::Alias', live, arn('lambda', 'function:list:live'), {}],
    ['AWS::DynamoDB::Table', {}, name, { Arn: arn('dynamodb', `table/${name}`) }],
    ['AWS::IAM::Role', {}, name, { Arn: `${role}/${name}` }],
  ])('has the same names in every run: %s with %j', (type, given, ref, attributes) => {
    const found = resource(type, given);

    const names = Object.keys(attributes);
    const values = names.map((name) => found.attribute(name));
    expect([found.ref, ...values]).toEqual([ref, ...Object.values(attributes)]);
  });

  it('has a name of at most 64 characters', () => {
    expect(resource('AWS::Lambda::Function', {}, 'L'.repeat(300)).ref).toHaveLength(64);
  });
});
