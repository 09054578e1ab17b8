import { describe, expect, it } from '@jest/globals';
import { createTemplate, lambda } from './small-template.ts';

/* The tests in e2e/ notice a value of the service's template that is resolved wrongly. */

describe('a template', () => {
  it('is refused for an unknown type, in an error that names the logical id', () => {
    expect(() => createTemplate({ Queue: { Type: 'AWS::SQS::Queue' } })).toThrow(
      /^Queue: the type AWS::SQS::Queue \(see .*template.ts\) is not supported locally$/,
    );
  });

  it.each<[string, unknown]>([
    ['the function Fn::If', { 'Fn::If': ['x', 1, 2] }],
    ['a reference to Nobody', { Ref: 'Nobody' }],
    ['a reference to Nobody', { 'Fn::GetAtt': ['Nobody', 'Arn'] }],
  ])('is refused for %s, in an error that names the logical id', (fault, value) => {
    const template = createTemplate(lambda('List', { Description: value }));
    const [list] = template.ofType('AWS::Lambda::Function');

    expect(() => list!.property('Description')).toThrow(`List: ${fault} is not supported locally`);
  });
});
