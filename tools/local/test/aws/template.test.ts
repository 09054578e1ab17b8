import { describe, expect, it } from '@jest/globals';
import { createTemplate, lambda } from './small-template.ts';

const table = { Table: { Type: 'AWS::DynamoDB::Table' } };
const functionArn = 'arn:aws:lambda:us-east-1:000000000000:function:Small-List';

/** Resolves a value beside a table, a function and its alias. */
function resolve(value: unknown): unknown {
  const alias = {
    Type: 'AWS::Lambda::Alias',
    Properties: { FunctionName: { Ref: 'List' }, Name: 'live' },
  };
  const template = createTemplate({
    ...lambda('List', { Description: value }),
    ...table,
    Live: alias,
  });
  return template.ofType('AWS::Lambda::Function')[0]!.property('Description');
}

describe('a template', () => {
  it('is refused for an unknown type, in an error that names the logical id', () => {
    expect(() => createTemplate({ Queue: { Type: 'AWS::SQS::Queue' } })).toThrow(
      /^Queue: the type AWS::SQS::Queue \(see .*template.ts\) is not supported locally$/,
    );
  });

  it.each<[string, unknown, unknown]>([
    ['a resource', { Ref: 'Table' }, 'Small-Table'],
    ['a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['an alias', { Ref: 'Live' }, `${functionArn}:live`],
    ['the ARN of a function', { 'Fn::GetAtt': ['List', 'Arn'] }, functionArn],
    [
      'the ARN of a table',
      { 'Fn::GetAtt': ['Table', 'Arn'] },
      'arn:aws:dynamodb:us-east-1:000000000000:table/Small-Table',
    ],
    ['a joined text', { 'Fn::Join': ['-', ['a', { Ref: 'Table' }, 1]] }, 'a-Small-Table-1'],
    [
      'functions within lists and objects',
      { a: [1, true, null, { b: { Ref: 'Table' } }], c: {} },
      { a: [1, true, null, { b: 'Small-Table' }], c: {} },
    ],
  ])('resolves %s', (_, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['the function Fn::If', { 'Fn::If': ['x', 1, 2] }],
    ['a reference to Nobody', { Ref: 'Nobody' }],
    ['a reference to Nobody', { 'Fn::GetAtt': ['Nobody', 'Arn'] }],
  ])('is refused for %s, in an error that names the logical id', (fault, value) => {
    expect(() => resolve(value)).toThrow(`List: ${fault} is not supported locally`);
  });
});
