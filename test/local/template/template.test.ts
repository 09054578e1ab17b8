import { describe, expect, it } from '@jest/globals';
import { createTemplate, lambda } from '../small-template.ts';

const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: { KeySchema: [], AttributeDefinitions: [] },
};

describe('template', () => {
  it('refuses a resource type that it does not know, by logical id', () => {
    expect(() => createTemplate({ Queue: { Type: 'AWS::SQS::Queue' } })).toThrow(
      'Queue: the type AWS::SQS::Queue is not supported locally',
    );
  });

  it('refuses a property that it does not know, by logical id', () => {
    const resources = lambda('Fn', { FileSystemConfigs: [] });

    expect(() => createTemplate(resources)).toThrow(
      'Fn: the property FileSystemConfigs of AWS::Lambda::Function is not supported locally',
    );
  });

  it('takes resource types that have nothing to do on one machine', () => {
    const template = createTemplate({
      Topic: { Type: 'AWS::SNS::Topic', Properties: { Anything: true } },
      Alarm: { Type: 'AWS::CloudWatch::Alarm' },
    });

    expect(template.ofType('AWS::SNS::Topic')).toHaveLength(1);
  });

  it('leaves out a resource whose condition does not hold', () => {
    const conditions = { Never: { 'Fn::Equals': ['a', 'b'] } };

    const template = createTemplate(
      { T: { ...table, Condition: 'Never' } },
      { Conditions: conditions },
    );

    expect(template.ofType('AWS::DynamoDB::Table')).toEqual([]);
  });

  it('generates the same physical name in every run, and another one per resource', () => {
    const name = () =>
      createTemplate({ A: table, B: table })
        .ofType(table.Type)
        .map(({ ref }) => ref);

    const [first, second] = name();

    expect(name()).toEqual([first, second]);
    expect(first).toMatch(/^Small-A-[0-9A-Z]{12}$/);
    expect(second).not.toBe(first);
  });

  it('keeps a name that the template gives', () => {
    const named = { ...table, Properties: { ...table.Properties, TableName: 'orders' } };

    const [resource] = createTemplate({ T: named }).ofType(table.Type);

    expect([resource?.ref, resource?.attribute('Arn')]).toEqual([
      'orders',
      'arn:aws:dynamodb:eu-central-1:123456789012:table/orders',
    ]);
  });

  it('resolves outputs, also through references to resources further down', () => {
    const resources = { T: table, ...lambda('Fn', { FunctionName: { 'Fn::Sub': '${T}-reader' } }) };

    const template = createTemplate(resources, { Outputs: { Name: { Value: { Ref: 'Fn' } } } });

    expect(template.outputs().Name).toMatch(/^Small-T-.*-reader$/);
  });

  it('knows the ARNs of versions and aliases', () => {
    const template = createTemplate({
      ...lambda('Fn', { FunctionName: 'list' }),
      Version: { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: 'Fn' } } },
      Live: {
        Type: 'AWS::Lambda::Alias',
        Properties: {
          FunctionName: { 'Fn::GetAtt': ['Fn', 'Arn'] },
          FunctionVersion: { 'Fn::GetAtt': ['Version', 'Version'] },
          Name: 'live',
        },
      },
    });

    const arn = 'arn:aws:lambda:eu-central-1:123456789012:function:list';
    const [version] = template.ofType('AWS::Lambda::Version');
    const [live] = template.ofType('AWS::Lambda::Alias');
    expect([version?.ref, live?.ref, live?.property('FunctionVersion')]).toEqual([
      `${arn}:1`,
      `${arn}:live`,
      '1',
    ]);
  });

  it('gives an attribute of a resource without effect some ARN to refer to', () => {
    const template = createTemplate(
      { Topic: { Type: 'AWS::SNS::Topic' } },
      { Outputs: { Arn: { Value: { 'Fn::GetAtt': ['Topic', 'TopicArn'] } } } },
    );

    expect(template.outputs().Arn).toMatch(/^arn:aws:/);
  });
});
