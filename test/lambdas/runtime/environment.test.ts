import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  dynamoDbEndpoint,
  optionalVariable,
  requiredVariable,
} from '../../../lambdas/runtime/environment.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';

beforeEach(() => {
  Object.assign(process.env, functionEnvironment);
  delete process.env.AWS_ENDPOINT_URL;
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  jest.resetModules();
});

describe('a cold start', () => {
  it.each([
    ['authorizer', 'API_KEYS_TABLE'],
    ['cancel-order', 'ORDERS_TABLE'],
    ['cancel-order', 'AWS_REGION'],
    ['cancel-order', 'STAGE'],
  ])('of %s fails without %s, and names it', async (name, variable) => {
    delete process.env[variable];

    const coldStart = import(`../../../lambdas/${name}.ts`);

    await expect(coldStart).rejects.toThrow(`The environment variable ${variable} is missing.`);
  });

  it('treats an empty variable as missing', () => {
    process.env.STAGE = '';

    expect(() => requiredVariable('STAGE')).toThrow('The environment variable STAGE is missing.');
    expect(optionalVariable('STAGE')).toBeUndefined();
  });
});

describe('dynamoDbEndpoint', () => {
  it("prefers the service's variable to the general one, and ignores an empty one", () => {
    process.env.AWS_ENDPOINT_URL = 'http://general';
    expect(dynamoDbEndpoint()).toBe('http://general');

    process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://dynamodb';
    expect(dynamoDbEndpoint()).toBe('http://dynamodb');

    process.env.AWS_ENDPOINT_URL_DYNAMODB = '';
    expect(dynamoDbEndpoint()).toBe('http://general');
  });
});
