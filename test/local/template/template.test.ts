import { describe, expect, it } from '@jest/globals';
import { readTemplate, type Template } from '../../../local/template/template.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';
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

    expect(template.outputs().Arn).toMatch(
      /^arn:aws:local:eu-central-1:123456789012:Small-Topic-[0-9A-Z]{12}$/,
    );
  });

  it.each([
    ['AWS::AccountId', '123456789012'],
    ['AWS::Partition', 'aws'],
    ['AWS::Region', 'eu-central-1'],
    ['AWS::StackId', 'arn:aws:cloudformation:eu-central-1:123456789012:stack/Small/local'],
    ['AWS::StackName', 'Small'],
    ['AWS::URLSuffix', 'amazonaws.com'],
    ['Size', '3'],
  ])('knows the parameter %s', (name, value) => {
    const Parameters = { Size: { Default: 3 } };

    const template = createTemplate({}, { Parameters, Outputs: { Out: { Value: { Ref: name } } } });

    expect(template.outputs()).toEqual({ Out: value });
  });

  it('knows its mappings and its environment', () => {
    const Mappings = { Stages: { test: { name: 'small' } } };
    const Value = { 'Fn::FindInMap': ['Stages', 'test', 'name'] };

    const template = createTemplate({}, { Mappings, Outputs: { Name: { Value } } });

    expect(template.outputs().Name).toBe('small');
    expect(template.environment.region).toBe('eu-central-1');
  });

  it.each([
    [{ Ref: 'Nobody' }, 'Ref "Nobody"'],
    [{ 'Fn::GetAtt': ['Nobody', 'Arn'] }, 'Fn::GetAtt "Nobody.Arn"'],
  ])('refuses an output that refers to nothing, and says which: %j', (Value, message) => {
    const template = createTemplate({}, { Outputs: { Name: { Value } } });

    expect(() => template.outputs()).toThrow(`output Name: ${message}`);
  });

  it('has neither outputs nor values that nothing defines', () => {
    const template = createTemplate({ T: table });
    const [resource] = template.ofType(table.Type);

    expect(template.outputs()).toEqual({});
    expect(resource!.property('TableName')).toBeUndefined();
    expect(resource!.attribute('StreamArn')).toBeUndefined();
    expect(() => createTemplate({ T: { ...table, Condition: 'Never' } })).toThrow(
      expect.objectContaining({ name: 'TemplateError', logicalId: 'T' }),
    );
  });

  it('is read from a file, and may be changed before', () => {
    const { write, remove } = temporaryDirectory();
    const file = write('template.json', JSON.stringify({ Resources: { T: table } }));
    const environment = { stackName: 'Small', region: 'eu-central-1', accountId: '123456789012' };

    const asItIs = readTemplate(file, environment);
    const changed = readTemplate(file, environment, ({ Resources }) => ({
      Resources: { Other: Resources.T! },
    }));
    remove();

    const idsOf = (template: Template) =>
      template.ofType(table.Type).map(({ logicalId }) => logicalId);
    expect([idsOf(asItIs), idsOf(changed)]).toEqual([['T'], ['Other']]);
  });
});
