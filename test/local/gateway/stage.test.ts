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

  it('refuses settings that it does not know, and canaries', () => {
    const cached = { ResourcePath: '/*', HttpMethod: '*', CachingEnabled: true };

    expect(() => read({ MethodSettings: [cached] })).toThrow(
      'Stage: the property MethodSettings.Cach',
    );
    expect(() => read({ CanarySetting: {} })).toThrow('Stage: the property CanarySetting');
  });

  it('must be there, and alone', () => {
    const { Stage, ...others } = api;
    const two = createTemplate({ ...api, Second: Stage! });

    expect(() => readStage(createTemplate(others))).toThrow('there is no AWS::ApiGateway::Stage');
    expect(() => readStage(two)).toThrow('Second: more than one stage');
  });
});
