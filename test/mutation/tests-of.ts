import { globSync } from 'node:fs';

const orderBytes = 'test/lambdas/list-orders/page-transcoder.test.ts';
const workers = 'test/local/functions/worker-environment.test.ts';

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
  'lambdas/shared/list-limits.ts': ['test/lambdas/list-orders/send-body.test.ts'],
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
  'local/control-plane/stack-description.ts': ['test/local/control-plane/management.test.ts'],
  'local/dynamodb/guard-worker.ts': ['test/local/dynamodb/guard-thread.test.ts'],
  'local/exchange/gateway-fault.ts': [
    'test/local/gateway/authorizer.test.ts',
    'test/local/gateway/gateway-responses.test.ts',
  ],
  'local/exchange/response-headers.ts': [
    'test/local/gateway/gateway-responses.test.ts',
    'test/local/integrations/proxy-result.test.ts',
  ],
  'local/functions/execution-environment.ts': [workers],
  'local/functions/lambda-bootstrap.ts': [workers],
  'local/gateway/token-bucket.ts': ['test/local/gateway/usage-plan.test.ts'],
  'local/integrations/proxy-event.ts': ['test/local/integrations/proxy-result.test.ts'],
  'local/template/local-run-error.ts': ['test/local/state/data-directory.test.ts'],
  'local/template/template.ts': ['test/local/template/resource-types.test.ts'],
};

/** Files of which a thread of its own runs the code: which tests reach a mutant is not seen there. */
export const filesOfThreads: ReadonlySet<string> = new Set(['local/dynamodb/guard-worker.ts']);

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
  return tests.filter((test) => !slowTests.test(test) || others[file]?.includes(test)).sort();
}

/** They explore more than a mutant needs, or start servers; only a file that names them has them. */
const slowTests =
  /limiter-properties\.test\.ts$|-over-http\.test\.ts$|\.command\.test\.ts$|local\/server\.test\.ts$/;
