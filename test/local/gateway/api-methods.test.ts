import { describe, expect, it } from '@jest/globals';
import type { InvocationTarget } from '../../../local/functions/lambda-functions.ts';
import { readMethods } from '../../../local/gateway/api-methods.ts';
import type { Authorizer } from '../../../local/gateway/authorizer.ts';
import { api, createTemplate, method, mock, proxy } from '../small-template.ts';

const target = { invokedArn: 'arn:fn', isStreaming: false } as InvocationTarget;
const functions = { all: [], targetOf: () => target };
const authorizer = { id: 'auth1' } as Authorizer;
const authorized = { AuthorizationType: 'CUSTOM', AuthorizerId: 'auth1' };

function read(properties: object) {
  const template = createTemplate({ ...api, ...method('GET /', { ...mock, ...properties }) });
  return readMethods(template, functions, new Map([['auth1', authorizer]])).get('GET /');
}

describe('method', () => {
  it.each<[string, object, object]>([
    ['a name for its operation', { OperationName: 'List' }, { operationName: 'List' }],
    ['no authorizer where it says so', { AuthorizationType: 'NONE' }, { authorizer: undefined }],
    ['no authorizer by default', { AuthorizationType: undefined }, { authorizer: undefined }],
    ['the authorizer that it names', authorized, { authorizer }],
    ['no need of an API key by default', {}, { isApiKeyRequired: false }],
    ['need of an API key where it says so', { ApiKeyRequired: true }, { isApiKeyRequired: true }],
    ['an integration without a backend', mock, { integration: { type: 'MOCK' } }],
    ['an integration with a function', proxy('Fn', { Uri: '' }), { integration: { target } }],
  ])('has %s', (_, properties, expected) => {
    expect(read(properties)).toMatchObject(expected);
  });

  it.each([
    ['another authorization', { AuthorizationType: 'AWS_IAM' }, 'AuthorizationType AWS_IAM is not'],
    ['an unknown authorizer', { ...authorized, AuthorizerId: 'other' }, 'AuthorizerId is not an'],
    [
      'another integration',
      { Integration: { Type: 'HTTP' } },
      'an integration of type HTTP is not',
    ],
    ['no integration', { Integration: undefined }, 'an integration of type undefined is not'],
  ])('is refused with %s', (_, properties, message) => {
    expect(() => read(properties)).toThrow(`GET /: ${message}`);
  });
});
