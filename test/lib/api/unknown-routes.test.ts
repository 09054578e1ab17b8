import { describe, expect, it } from '@jest/globals';
import { deployedMethods } from '../../contract/template-api.ts';
import { stageNames } from '../../helpers/synthesized.ts';

const methodsOf = (stage: (typeof stageNames)[number]) =>
  deployedMethods(stage).filter(({ method }) => method === 'ANY');

describe.each(stageNames)('paths and methods that %s does not have', (stage) => {
  it('are a route on every resource and below each that has no path parameter', () => {
    const paths = deployedMethods(stage).map(({ path }) => path);
    const every = new Set(paths.flatMap(prefixes));

    const caught = new Set(methodsOf(stage).map(({ path }) => path));

    for (const path of every) {
      expect(caught).toContain(path);
      const hasParameter = [...every].some((other) => isChild(other, path) && other.endsWith('}'));
      if (!path.endsWith('{proxy+}')) expect(hasParameter).toBe(true);
    }
  });

  it.each(methodsOf(stage))(
    'answer 404 without an authorizer, whatever the request carries: $path',
    ({ properties }) => {
      const { Integration, AuthorizationType, ApiKeyRequired, AuthorizerId } = properties;
      const [answer] = Integration.IntegrationResponses;

      expect({ AuthorizationType, ApiKeyRequired, AuthorizerId }).toEqual({
        AuthorizationType: 'NONE',
        ApiKeyRequired: false,
      });
      expect(new Set(Object.values(Integration.RequestTemplates))).toEqual(
        new Set(['{"statusCode":404}']),
      );
      expect(answer.StatusCode).toBe('404');
      expect(JSON.parse(answer.ResponseTemplates['application/json'])).toMatchObject({
        status: 404,
        code: 'not_found',
      });
      expect(answer.ResponseParameters).toMatchObject({
        'method.response.header.X-RateLimit-Limit': "'0'",
        'method.response.header.X-RateLimit-Remaining': "'0'",
        'method.response.header.X-RateLimit-Reset': "'0'",
      });
    },
  );
});

/** The resources of a path: the root, `/a` and `/a/b` for `/a/b`. */
function prefixes(path: string): string[] {
  const parts = path.split('/').slice(1).filter(Boolean);
  return ['', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)];
}

function isChild(path: string, parent: string): boolean {
  return path.startsWith(`${parent}/`) && !path.slice(parent.length + 1).includes('/');
}
