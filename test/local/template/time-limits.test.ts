import { expect, it } from '@jest/globals';
import { liftedTimeoutMs, withoutTimeLimits } from '../../../local/template/time-limits.ts';

it('lifts the time limits of functions and of the integrations that wait for them, and of nothing else', () => {
  const Integration = { Type: 'AWS_PROXY' };
  const rest = { Type: 'AWS::DynamoDB::Table', Properties: { Timeout: 3, Integration } };
  const bare = { Type: 'AWS::ApiGateway::Method', Properties: { HttpMethod: 'GET' } };
  const mock = { Type: 'AWS::ApiGateway::Method', Properties: { Integration: { Type: 'MOCK' } } };
  const method = (integration: object) => ({
    Type: 'AWS::ApiGateway::Method',
    Properties: { HttpMethod: 'GET', Integration: { Type: 'AWS_PROXY', ...integration } },
  });
  const fn = { Type: 'AWS::Lambda::Function', Properties: { Handler: 'index.handler' } };

  const { Resources } = withoutTimeLimits({
    Resources: { rest, bare, mock, fn, method: method({ TimeoutInMillis: 3_000 }) },
  });

  expect(Resources).toEqual({
    rest,
    bare,
    mock,
    fn: { ...fn, Properties: { ...fn.Properties, Timeout: liftedTimeoutMs / 1000 } },
    method: method({ TimeoutInMillis: liftedTimeoutMs }),
  });
});
