import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { loadFunctions } from '../../aws/lambda/functions.ts';
import { createTemplate, lambda } from './small-template.ts';

/* The tests in e2e/ notice a wrongly resolved value of the service's template, and invoke its functions. */

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

const directory = temporaryDirectoryOfEachTest();

/** Loads a function without a handler, and returns what finds it. */
function load(properties: Record<string, unknown> = {}) {
  mkdirSync(join(directory.path, 'asset.List'));
  directory.write('asset.List/index.js', '');
  const template = createTemplate(lambda('List', properties));
  return loadFunctions(
    template,
    directory.path,
    () => ({}),
    () => {},
  );
}

const arn = 'arn:aws:lambda:us-east-1:000000000000:function:Small-List';
const uri = (functionArn: string) =>
  `arn:aws:apigateway:eu-central-1:lambda:path/2015-03-31/functions/${functionArn}/invocations`;

describe('functions of a template', () => {
  it.each([uri(`${arn}-other`), 'arn:aws:apigateway:eu-central-1:sqs:path/queue'])(
    'are not found by the URI %s',
    (wrong) => {
      expect(() => load()(wrong, 'Method')).toThrow(`Method: the URI ${wrong}`);
    },
  );

  it('are refused with code without an asset, in an error that names the logical id', () => {
    expect(() => load({ Code: { S3Key: 'unknown.zip' } })).toThrow('List: code without an asset');
  });
});
