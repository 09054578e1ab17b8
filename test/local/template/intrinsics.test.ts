import { describe, expect, it } from '@jest/globals';
import {
  conditionHolds,
  resolveIntrinsics,
  type TemplateScope,
} from '../../../local/template/intrinsics.ts';

const scope: TemplateScope = {
  pseudoParameters: { 'AWS::Region': 'eu-central-1' },
  parameters: { Size: 3, Names: ['a', 'b'] },
  mappings: { Regions: { 'eu-central-1': { code: 'fra' } } },
  conditions: {
    IsLarge: { 'Fn::Equals': [{ Ref: 'Size' }, '3'] },
    IsSmall: { 'Fn::Not': [{ Condition: 'IsLarge' }] },
    Both: { 'Fn::And': [{ Condition: 'IsLarge' }, { Condition: 'IsSmall' }] },
    Either: { 'Fn::Or': [{ Condition: 'IsLarge' }, { Condition: 'IsSmall' }] },
  },
  refOf: (logicalId) => (logicalId === 'Table' ? 'table-1' : undefined),
  attributeOf: (logicalId, name) =>
    logicalId === 'Table' && name === 'Arn' ? 'arn:table-1' : undefined,
};

const resolve = (value: unknown) => resolveIntrinsics(value, scope, 'Owner');

describe('intrinsic functions', () => {
  it.each<[string, unknown, unknown]>([
    ['Ref of a resource', { Ref: 'Table' }, 'table-1'],
    ['Ref of a parameter', { Ref: 'Size' }, 3],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'eu-central-1'],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:table-1'],
    ['Fn::GetAtt as text', { 'Fn::GetAtt': 'Table.Arn' }, 'arn:table-1'],
    ['Fn::Join', { 'Fn::Join': ['-', ['a', { Ref: 'Table' }]] }, 'a-table-1'],
    ['Fn::Join of a list parameter', { 'Fn::Join': [',', { Ref: 'Names' }] }, 'a,b'],
    ['Fn::Split', { 'Fn::Split': [':', 'a:b'] }, ['a', 'b']],
    ['Fn::Select', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b'] }] }, 'b'],
    ['Fn::Select with a textual index', { 'Fn::Select': ['0', ['a', 'b']] }, 'a'],
    ['Fn::Sub', { 'Fn::Sub': '${Table} ${Table.Arn} ${!Kept}' }, 'table-1 arn:table-1 ${Kept}'],
    ['Fn::Sub with variables', { 'Fn::Sub': ['${x}', { x: { Ref: 'Table' } }] }, 'table-1'],
    ['Fn::Base64', { 'Fn::Base64': 'a' }, 'YQ=='],
    ['Fn::FindInMap', { 'Fn::FindInMap': ['Regions', { Ref: 'AWS::Region' }, 'code'] }, 'fra'],
    ['Fn::If that holds', { 'Fn::If': ['IsLarge', 'yes', 'no'] }, 'yes'],
    ['Fn::If that does not hold', { 'Fn::If': ['IsSmall', 'yes', 'no'] }, 'no'],
    ['AWS::NoValue', { a: { Ref: 'AWS::NoValue' }, b: [{ Ref: 'AWS::NoValue' }, 1] }, { b: [1] }],
    ['a policy condition', { Condition: { Bool: {} } }, { Condition: { Bool: {} } }],
    ['AWS::NoValue alone', { Ref: 'AWS::NoValue' }, undefined],
    ['Fn::Base64 of a reference', { 'Fn::Base64': { Ref: 'Table' } }, 'dGFibGUtMQ=='],
    ['Fn::Equals of a number and its text', { 'Fn::Equals': [3, '3'] }, true],
    ['Fn::Equals of different texts', { 'Fn::Equals': ['a', 'b'] }, false],
    ['an object with more keys than a function', { Ref: 'x', a: 1 }, { Ref: 'x', a: 1 }],
    ['nothing', {}, {}],
    ['plain values', { a: [1, true, null, 'x'] }, { a: [1, true, null, 'x'] }],
  ])('resolves %s', (_, value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it.each([
    ['IsLarge', true],
    ['IsSmall', false],
    ['Both', false],
    ['Either', true],
  ])('evaluates the condition %s', (name, expected) => {
    expect(conditionHolds(name, scope, 'Owner')).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ['an unknown function', { 'Fn::ImportValue': 'x' }, 'Owner: the function Fn::ImportValue'],
    ['a Ref to nothing', { Ref: 'Nobody' }, 'Owner: Ref "Nobody"'],
    [
      'an unknown attribute',
      { 'Fn::GetAtt': ['Table', 'StreamArn'] },
      'Owner: Fn::GetAtt "Table.Str',
    ],
    ['a dynamic reference', '{{resolve:ssm:name}}', 'Owner: dynamic references'],
    [
      'an unknown mapping',
      { 'Fn::FindInMap': ['Regions', 'mars', 'code'] },
      'Owner: there is no map',
    ],
    [
      'a mapping of nothing',
      { 'Fn::FindInMap': ['Planets', 'mars', 'code'] },
      'Owner: there is no mapping Planets.mars.code',
    ],
    [
      'an unknown attribute as text',
      { 'Fn::GetAtt': 'Table.Outputs.Url' },
      'Owner: Fn::GetAtt "Table.Outputs.Url"',
    ],
    [
      'an unknown attribute within a text',
      { 'Fn::Sub': 'a${Table.Outputs.Url}' },
      'Owner: Fn::GetAtt "Table.Outputs.Url"',
    ],
    ['an unknown condition', { 'Fn::If': ['Unknown', 1, 2] }, 'Owner: there is no condition "Unk'],
    ['an index out of range', { 'Fn::Select': [5, ['a']] }, 'Owner: Fn::Select finds no item 5'],
    ...['Join', 'Split', 'Select', 'FindInMap', 'Equals', 'And', 'Or', 'Not'].map(
      (name): [string, unknown, string] => [
        `a list for Fn::${name} that is none`,
        { [`Fn::${name}`]: 'x' },
        `Owner: Fn::${name} takes a list`,
      ],
    ),
  ])('names the resource when it meets %s', (_, value, message) => {
    expect(() => resolve(value)).toThrow(message);
  });
});
