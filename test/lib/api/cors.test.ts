import { describe, expect, it } from '@jest/globals';
import { corsHeaders } from '../../../lambdas/shared/cors.ts';
import { type StageName, stageNames, type Template, template } from '../../helpers/synthesized.ts';
import { synthesize } from '../stack-factory.ts';

const origin = 'https://shop.example.com';
const exposed = corsHeaders(origin)['Access-Control-Expose-Headers'];

const ofType = ({ Resources }: Template, type: string) =>
  Object.values(Resources)
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);

const methodsOf = (stack: Template) => ofType(stack, 'AWS::ApiGateway::Method');

describe.each(stageNames)('template of %s with an allowed origin', (stage: StageName) => {
  const stack = synthesize(stage, {
    corsOrigin: origin,
    firewall: { requestsPerIpPer5Minutes: 400_000 },
  });
  const mocks = methodsOf(stack).filter(({ Integration }) => Integration.Type === 'MOCK');
  const preflights = methodsOf(stack).filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');

  it('names the origin and what scripts may read in every gateway response', () => {
    const responses = ofType(stack, 'AWS::ApiGateway::GatewayResponse');

    const found = new Set(responses.map((one) => corsOf(one.ResponseParameters)));

    expect([...found]).toEqual([corsOf(expectedParameters('gatewayresponse'))]);
  });

  it('names them in every answer that no function gives', () => {
    const answers = mocks.flatMap(({ Integration }) => Integration.IntegrationResponses);

    const found = new Set(answers.map((one) => corsOf(one.ResponseParameters)));

    expect([...found]).toEqual([corsOf(expectedParameters('method.response'))]);
  });

  it('names them where the firewall refuses', () => {
    const [acl] = ofType(stack, 'AWS::WAFv2::WebACL');

    expect(acl?.Rules[0].Action.Block.CustomResponse.ResponseHeaders).toEqual(
      expect.arrayContaining([
        { Name: 'Access-Control-Allow-Origin', Value: origin },
        { Name: 'Access-Control-Expose-Headers', Value: exposed },
      ]),
    );
  });

  it('gives the origin to every function that answers', () => {
    const functions = ofType(stack, 'AWS::Lambda::Function');
    const answering = functions.filter(({ Environment }) => Environment.Variables.ORDERS_TABLE);

    expect(answering).not.toEqual([]);
    for (const { Environment } of answering) {
      expect(Environment.Variables.CORS_ORIGIN).toBe(origin);
    }
  });

  it('I11: answers the preflights of every resource with operations, naming their methods', () => {
    const operations = methodsOf(stack).filter(({ OperationName }) => OperationName);

    const allowed = preflights.map(({ ResourceId, Integration }) => [
      ResourceId.Ref,
      allowedMethods(Integration),
    ]);

    const deployed = Map.groupBy(operations, ({ ResourceId }) => ResourceId.Ref);
    const expected = [...deployed].map(([resource, methods]) => [
      resource,
      `'${methods.map(({ HttpMethod }) => HttpMethod).join(', ')}'`,
    ]);
    expect(Object.fromEntries(allowed)).toEqual(Object.fromEntries(expected));
  });

  it('answers them 204 with an empty body, without a key', () => {
    for (const { Integration, AuthorizationType, ApiKeyRequired } of preflights) {
      const [answer, ...others] = Integration.IntegrationResponses;

      expect({ AuthorizationType, ApiKeyRequired }).toEqual({
        AuthorizationType: 'NONE',
        ApiKeyRequired: false,
      });
      expect([answer.StatusCode, answer.ResponseTemplates, others]).toEqual(['204', undefined, []]);
      expect(answer.ResponseParameters).toMatchObject({
        'method.response.header.Access-Control-Allow-Headers': "'Authorization, Content-Type'",
        'method.response.header.Access-Control-Max-Age': "'7200'",
        'method.response.header.X-RateLimit-Limit': "'0'",
      });
    }
  });
});

describe.each(stageNames)('template of %s as it is', (stage: StageName) => {
  it('I11: has nothing for browsers', () => {
    const text = JSON.stringify(template(stage));

    expect(text).not.toMatch(/Access-Control|CORS_ORIGIN|"OPTIONS"/);
  });
});

function expectedParameters(prefix: string): Record<string, string> {
  return {
    [`${prefix}.header.Access-Control-Allow-Origin`]: `'${origin}'`,
    [`${prefix}.header.Access-Control-Expose-Headers`]: `'${exposed}'`,
  };
}

/** The two CORS headers of a response, as text. */
function corsOf(parameters: Record<string, string>): string {
  const own = Object.entries(parameters).filter(([name]) => /Allow-Origin|Expose/.test(name));
  return JSON.stringify(own.sort());
}

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own shape
function allowedMethods({ IntegrationResponses }: any): string {
  const name = 'method.response.header.Access-Control-Allow-Methods';
  return IntegrationResponses[0].ResponseParameters[name];
}
