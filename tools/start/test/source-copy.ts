import { cpSync, type DisposableTempDir, mkdtempDisposableSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

// The code of `npm start`, and the files that it reads.
const copied = [
  ...['bin', 'lambdas', 'lib', 'tools'],
  ...['cdk.json', 'openapi.yaml', 'package.json'],
];

/** Copies the sources to a folder in which they can be changed, with a link to the installed packages. */
export function copySources(): DisposableTempDir {
  const copy = mkdtempDisposableSync(join(tmpdir(), 'store-orders-'));
  for (const name of copied) cpSync(join(root, name), join(copy.path, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy.path, 'node_modules'));
  return copy;
}

/** The handler that is changed while it runs, below the folder with the copied sources. */
export const changedHandler = 'lambdas/cancel-order.ts';

const place = '  await cancelPendingOrder({\n';

/** Adds a statement for the order 0 to the handler. @throws Error if the handler has no place for it */
export function withStatement(source: string, statement: string): string {
  if (!source.includes(place)) throw new Error(`${changedHandler} has no line ${place}`);
  const condition = "if (event.pathParameters?.orderId === '0')";
  return source.replace(place, `  ${condition} ${statement};\n${place}`);
}

/** Has the handler answer with an error message for the order 0. */
export function answering(source: string, message: string): string {
  const error = `Object.assign(new OrderNotFoundError(), { message: '${message}' })`;
  return withStatement(source, `throw ${error}`);
}
