import type { CallOptions, Stage } from '../stage/stage.ts';
import { checksOf } from './check.ts';

/** Paths and methods that are not in the contract have to be answered 404, with and without a key. */
export const pathChecks = checksOf('Unknown paths', {
  'answers 404 to an unknown path': (stage) => expectNotFound(stage, 'GET', '/store/unknown'),
  'answers 404 to an unknown path without a key': (stage) =>
    expectNotFound(stage, 'GET', '/store/unknown', { authorization: null }),
  'answers 404 to an unknown method': (stage) => expectNotFound(stage, 'PUT', '/store/orders'),
  'answers 404 to an empty order id': (stage) => expectNotFound(stage, 'DELETE', '/store/orders/'),
});

async function expectNotFound(
  stage: Stage,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<string[]> {
  const answer = await stage.callPath(method, path, options);
  const expected = { status: 404, code: 'not_found' };
  return stage.compareGateway('MISSING_AUTHENTICATION_TOKEN', answer, expected);
}
