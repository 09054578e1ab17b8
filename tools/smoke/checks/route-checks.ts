import { operationOf, operations } from '../../../test/contract/contract.ts';
import { headerOf } from '../stage/rate-limit.ts';
import { CheckFailed } from '../stage/stage.ts';
import { checksOf } from './check.ts';

// `ANY` takes each method that its resource does not name, and `{proxy+}` takes each path without a resource, with
// any Authorization header (recorded on AWS: LocalStack's test_apigateway_common.py, TestApigatewayRouting, and
// test_apigateway_lambda.py). `ANY` also takes HEAD, because the method GET does not answer HEAD (AWS's developer
// guide, x-amazon-apigateway-any-method; serverless-offline, issue 704). The response to HEAD has the headers
// (recorded: propublica/congress-api-docs, issue 129).

/** Variants of a request: with and without a key, and with an unknown content type. */
const variants = [
  {},
  { authorization: null },
  { authorization: 'Bearer none' },
  { body: '{}', headers: { 'content-type': 'application/vnd.acme+json' } },
];

/** Checks that requests outside the contract are refused, with and without a key. */
export const unknownRouteChecks = checksOf('R27, I10: Unknown paths', {
  'answers 404 to paths that are not in the contract, whatever their content type': async (
    stage,
  ) => {
    for (const path of unknownPaths()) {
      for (const method of ['GET', 'PUT', 'HEAD']) {
        for (const options of variants) await stage.expectUnknown(method, path, [], options);
      }
    }
  },
  'answers 405 to methods that a path of the contract lacks, and names those that it has': async (
    stage,
  ) => {
    for (const [path, those] of Map.groupBy(operations, (operation) => operation.path)) {
      const known = those.map(({ method }) => method);
      for (const method of ['GET', 'PUT', 'HEAD'].filter((each) => !known.includes(each))) {
        for (const options of variants.slice(0, 3)) {
          await stage.expectUnknown(method, filled(path), known, options);
        }
      }
    }
  },
});

/** The base address, `/store` and other parents without operations, and paths below an operation. */
function unknownPaths(): string[] {
  const paths = operations.map(({ path }) => path);
  const parents = paths.flatMap((path) => {
    const names = path.split('/');
    return names.map((_, end) => names.slice(0, end).join('/'));
  });
  const below = paths.map((path) => `${filled(path)}/1/unknown`);
  return [...new Set([...parents, ...below])].filter((path) => !paths.includes(path));
}

function filled(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '1');
}

export const retiredOperationChecks = checksOf('R28, I27: Deprecated pet operation', {
  'answers 410 gone, with the documented sunset date': async (stage) => {
    const answer = await stage.expect('getPet', {}, { status: 410, code: 'gone' });
    const sunset = headerOf(answer, 'sunset');
    const documented = new Date(`${operationOf('getPet')['x-sunset']}T00:00:00Z`);
    if (sunset === documented.toUTCString()) return;
    throw new CheckFailed(`sunset is ${sunset}, expected ${documented.toUTCString()}`);
  },
});
