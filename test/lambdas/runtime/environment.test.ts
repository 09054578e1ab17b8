import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { optionalVariable, requiredVariable } from '../../../lambdas/runtime/environment.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';

beforeEach(() => {
  Object.assign(process.env, functionEnvironment);
  jest.resetModules();
});

describe('a cold start', () => {
  it.each([
    ['authorizer', 'API_KEYS_TABLE'],
    ['cancel-order', 'ORDERS_TABLE'],
    ['cancel-order', 'AWS_REGION'],
    ['runtime/metrics', 'STAGE'],
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
