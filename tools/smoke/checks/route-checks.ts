import { headerOf } from '../stage/rate-limit.ts';
import { CheckFailed, type Stage } from '../stage/stage.ts';
import { checksOf } from './check.ts';

/*
 * A resource's `ANY` takes each method that the resource does not name, and `{proxy+}` each path that has
 * no resource of its own, with any Authorization header (recorded on AWS: LocalStack's
 * test_apigateway_common.py, TestApigatewayRouting, and test_apigateway_lambda.py). HEAD is one of these
 * methods: API Gateway does not answer it by the method GET (AWS's developer guide,
 * x-amazon-apigateway-any-method; serverless-offline, issue 704), and it keeps the headers
 * (recorded: propublica/congress-api-docs, issue 129).
 */
const unknownRoutes = [
  'GET /store/unknown',
  'GET ',
  'GET /store',
  'GET /store/orders/1',
  'GET /store/orders/1/items',
  'GET /pets',
  'PUT /store/orders',
  'PATCH /store/orders/1',
  'POST /pets/7',
  'DELETE /pets/7',
  'DELETE /store/orders/',
  'HEAD /store/orders',
  'HEAD /store/unknown',
];

/** Paths and methods that are not in the contract have to be answered 404, whatever the key. */
export const unknownRouteChecks = checksOf(
  'Unknown paths',
  Object.fromEntries(
    unknownRoutes.map((route) => [
      `answers 404 to ${route || '/'}`,
      async (stage: Stage) => {
        const [method = '', path = ''] = route.split(' ');
        for (const options of [{}, { authorization: null }, { authorization: 'Bearer none' }]) {
          await stage.expectNotFound(method, path, options);
        }
      },
    ]),
  ),
);

export const retiredOperationChecks = checksOf('Deprecated pet operation', {
  'answers 410 gone, with the documented sunset date': async (stage) => {
    const answer = await stage.expect('getPet', {}, { status: 410, code: 'gone' });
    const sunset = headerOf(answer, 'sunset');
    const documented = new Date(`${stage.contract.operation('getPet')['x-sunset']}T00:00:00Z`);
    if (sunset === documented.toUTCString()) return;
    throw new CheckFailed(`sunset is ${sunset}, documented is ${documented.toUTCString()}`);
  },
});
