import { describe, expect, it } from '@jest/globals';
import { readStage } from '../../../local/gateway/stage.ts';
import { api, createTemplate } from '../small-template.ts';

const read = (properties: object) => {
  const Stage = { ...api.Stage!, Properties: { ...api.Stage!.Properties, ...properties } };
  return readStage(createTemplate({ ...api, Stage }));
};
const throttle = { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 7 };

describe('stage', () => {
  it('has its name, deployment and variables', () => {
    const { name, deploymentId, variables } = read({ DeploymentId: 'd1', Variables: { a: 'b' } });

    expect([name, deploymentId, variables]).toEqual(['test', 'd1', { a: 'b' }]);
  });

  it('throttles all methods alike by default', () => {
    const stage = read({ MethodSettings: [{ ResourcePath: '/*', HttpMethod: '*', ...throttle }] });

    expect(stage.throttleOf('/orders', 'GET')).toEqual({ ratePerSecond: 5, burst: 7 });
  });

  it('throttles a method as its own settings say', () => {
    const own = { ResourcePath: '/~1v1~1orders~1{id}', HttpMethod: 'GET', ...throttle };

    const stage = read({ MethodSettings: [own] });

    expect(stage.throttleOf('/v1/orders/{id}', 'GET')).toEqual({ ratePerSecond: 5, burst: 7 });
    expect(stage.throttleOf('/v1/orders/{id}', 'PUT')).toBeUndefined();
  });

  it('throttles a method that has settings of its own, but no limits, like all others', () => {
    const all = { ResourcePath: '/*', HttpMethod: '*', ...throttle };
    const own = { ResourcePath: '/~1orders', HttpMethod: 'GET', LoggingLevel: 'INFO' };

    const stage = read({ MethodSettings: [own, all] });

    expect(stage.throttleOf('/orders', 'GET')).toEqual({ ratePerSecond: 5, burst: 7 });
  });

  const settings = (own: object) => ({
    MethodSettings: [{ ResourcePath: '/*', HttpMethod: '*', ...own }],
  });

  it.each([
    ['a rate without a burst', settings({ ThrottlingRateLimit: 5 }), 'a rate without a burst'],
    ['a burst without a rate', settings({ ThrottlingBurstLimit: 5 }), 'a burst without a rate'],
    [
      'a setting that it does not know',
      settings({ CachingEnabled: true }),
      'the property MethodSettings.CachingEnabled',
    ],
    ['a canary', { CanarySetting: {} }, 'the property CanarySetting'],
  ])('is refused with %s', (_, properties, message) => {
    expect(() => read(properties)).toThrow(new RegExp(`^Stage: .*${message}`));
  });

  it('must be there, and alone', () => {
    const { Stage, ...others } = api;
    const two = createTemplate({ ...api, Second: Stage! });

    expect(() => readStage(createTemplate(others))).toThrow(
      'template: there is no AWS::ApiGateway::Stage',
    );
    expect(() => readStage(two)).toThrow('Second: more than one stage');
  });
});
