import { globSync } from 'node:fs';

const orderBytes = 'test/lambdas/list-orders/page-transcoder.test.ts';

/** Files whose tests are not named after them, or not only. */
const others: Readonly<Record<string, readonly string[]>> = {
  'lambdas/authorizer/key-state.ts': ['test/lambdas/authorizer/limiter*.test.ts'],
  'lambdas/authorizer/owner-updates.ts': ['test/lambdas/authorizer/limiter*.test.ts'],
  'lambdas/authorizer/owner-item.ts': [
    'test/lambdas/authorizer-over-http.test.ts',
    'test/lambdas/authorizer/limiter*.test.ts',
  ],
  'lambdas/authorizer/decision.ts': [
    'test/lambdas/authorizer.test.ts',
    'test/lambdas/authorizer/limiter*.test.ts',
  ],
  'lambdas/list-orders/order-copier.ts': [orderBytes],
  'lambdas/list-orders/order-layout.ts': [orderBytes],
  'lambdas/list-orders/stream-limits.ts': ['test/lambdas/list-orders/send-body.test.ts'],
  'lambdas/shared/errors.ts': [
    'test/lambdas/authorizer.test.ts',
    'test/lambdas/cancel-order.test.ts',
    'test/lambdas/shared/api-middleware.test.ts',
    'test/lambdas/shared/order-id.test.ts',
  ],
  'lambdas/shared/order-fields.ts': [
    'test/contract/order-fields.test.ts',
    'test/lambdas/list-orders/order-json.test.ts',
  ],
  'lambdas/shared/dynamodb.ts': ['test/lambdas/authorizer-over-http.test.ts'],
  'local/exchange/gateway-fault.ts': [
    'test/local/gateway/authorizer.test.ts',
    'test/local/gateway/gateway-responses.test.ts',
  ],
  'local/exchange/response-headers.ts': [
    'test/local/gateway/gateway-responses.test.ts',
    'test/local/integrations/proxy-result.test.ts',
  ],
  'local/gateway/token-bucket.ts': ['test/local/gateway/usage-plan.test.ts'],
};

/**
 * The tests of a file: those that have its name, alone or before a hyphen, or else those of its folder.
 *
 * @param file such as `lambdas/cancel-order.ts`
 * @returns paths of test files
 */
export function testsOf(file: string): string[] {
  const path = file.replace(/\.[jt]s$/, '');
  const named = [`test/${path}.test.ts`, `test/${path}-*.test.ts`];
  const own = globSync([...named, ...(others[file] ?? [])]);
  const folder = path.replace(/\/[^/]+$/, '');
  const tests = own.length > 0 ? own : globSync([`test/${folder}/*.test.ts`]);
  return tests.filter((test) => !slowTests.test(test) || others[file]?.some(isOverHttp)).sort();
}

/** They explore more than a mutant needs, or start servers, and take longer than all others together. */
const slowTests = /limiter-properties\.test\.ts$|-over-http\.test\.ts$|\.command\.test\.ts$/;
const isOverHttp = (pattern: string) => pattern.includes('-over-http');
