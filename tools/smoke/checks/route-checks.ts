import { operationOf, operations } from '../../../lib/contract/contract.ts';
import { headerOf } from '../stage/rate-limit.ts';
import { CheckFailed, type Stage } from '../stage/stage.ts';
import { checksOf } from './check.ts';

/*
 * `ANY` takes each method that its resource does not name, and `{proxy+}` each path without a resource,
 * with any Authorization header (recorded on AWS: LocalStack's test_apigateway_common.py,
 * TestApigatewayRouting, and test_apigateway_lambda.py). HEAD is one of these methods: the method GET
 * does not answer it (AWS's developer guide, x-amazon-apigateway-any-method; serverless-offline, issue
 * 704). Its response has the headers (recorded: propublica/congress-api-docs, issue 129).
 */

/** Paths and methods that are not in the contract must get 404, with and without a key. */
export const unknownRouteChecks = checksOf('Unknown paths', {
  'answers 404 to paths and methods that are not in the contract': async (stage) => {
    for (const route of unknownRoutes()) await expectNotFound(stage, route);
  },
  'answers 404 to HEAD on every path': async (stage) => {
    for (const path of pathsOf()) await expectNotFound(stage, `HEAD ${path}`);
  },
});

async function expectNotFound(stage: Stage, route: string): Promise<void> {
  const [method = '', path = ''] = route.replaceAll(/\{\w+\}/g, '1').split(' ');
  for (const options of [{}, { authorization: null }, { authorization: 'Bearer none' }]) {
    await stage.expectNotFound(method, path, options);
  }
}

/** Methods that a path lacks, paths that the contract lacks, and an empty path parameter. */
function unknownRoutes(): string[] {
  const known = operations.map(({ method, path }) => `${method} ${path}`);
  const paths = pathsOf();
  const routes = paths.flatMap((path) => [`GET ${path}`, `PUT ${path}`]);
  const ends = paths.filter((path) => !paths.some((other) => other.startsWith(`${path}/{`)));
  return [
    ...routes.filter((route) => !known.includes(route)),
    ...ends.map((path) => `GET ${path}/unknown`),
    'DELETE /store/orders/',
  ];
}

/** The paths of the contract and their parents: the base address, `/store`, `/store/orders`, … */
function pathsOf(): string[] {
  const parts = operations.map(({ path }) => path.split('/'));
  const paths = parts.flatMap((names) => names.map((_, end) => names.slice(0, end + 1).join('/')));
  return [...new Set(paths)];
}

export const retiredOperationChecks = checksOf('Deprecated pet operation', {
  'answers 410 gone, with the documented sunset date': async (stage) => {
    const answer = await stage.expect('getPet', {}, { status: 410, code: 'gone' });
    const sunset = headerOf(answer, 'sunset');
    const documented = new Date(`${operationOf('getPet')['x-sunset']}T00:00:00Z`);
    if (sunset === documented.toUTCString()) return;
    throw new CheckFailed(`sunset is ${sunset}, expected ${documented.toUTCString()}`);
  },
});
