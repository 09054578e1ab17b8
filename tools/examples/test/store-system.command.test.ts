import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moduleDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { allows, grantsOf } from '../../admin/test/policies.ts';
import { type RecordingProxy, recordingProxy } from '../../admin/test/recorded-calls.ts';
import { type RunningService, root, startService } from '../../local/test/running-service.ts';
import { errorsOfCompiler } from './compiler.ts';

const run = promisify(execFile);
/** `.ci/run` installs boto3 there. */
const installed = join(root, '.cache/python/bin/python3');
const python = existsSync(installed) ? installed : 'python3';
const directory = moduleDirectoryOfFile();
const examples = ['store-system.ts', 'store_system.py', 'cancellations.ts'];

/** Each creates orders from `FIRST` on, waits, changes and ships them, and prints the state of each. */
const programs = {
  'main.ts': `
import { once } from 'node:events';
import { createOrder, noteWarehouse, shipOrder } from './store-system.ts';
const ids = Array.from({ length: 40 }, (_, index) => BigInt(process.env.FIRST!) + BigInt(index));
for (const id of ids) if (!(await createOrder({ id, petId: 7n, lines: ['a'] }))) throw new Error('exists');
if (await createOrder({ id: ids[0]! })) throw new Error('created twice');
console.log('created');
await once(process.stdin, 'data');
for (const id of ids) {
  await noteWarehouse(id, 'north');
  console.log(String(id), await shipOrder(id, 'dispatch'));
}
process.stdin.destroy();`,
  'main.py': `
import os
from store_system import create_order, note_warehouse, ship_order
ids = range(int(os.environ["FIRST"]), int(os.environ["FIRST"]) + 40)
for id in ids:
    assert create_order({"id": id, "petId": 7, "lines": ["a"]})
assert not create_order({"id": ids[0]})
print("created", flush=True)
input()
for id in ids:
    note_warehouse(id, "north")
    print(id, ship_order(id, "dispatch"))`,
};

let service: RunningService;
let proxy: RecordingProxy;

beforeAll(async () => {
  service = await startService();
  proxy = await recordingProxy(service.dynamodbEndpoint, 'StoreOrders-staging');
  directory.write('package.json', '{"type":"module"}');
  for (const [file, code] of Object.entries(programs)) directory.write(file, code);
  for (const file of examples) {
    copyFileSync(join(root, 'tools/examples', file), join(directory.path, file));
  }
}, 60_000);

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/** The environment of a store's system. */
const environmentOf = (url: string) => ({
  PATH: process.env.PATH,
  ORDERS_TABLE: service.tables.orders,
  AWS_ENDPOINT_URL: url,
  ...{ AWS_REGION: 'us-east-1', AWS_DEFAULT_REGION: 'us-east-1' },
  ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
});

/** Cancels an order. Returns its state. */
async function cancel(id: string): Promise<string> {
  const url = `${service.baseUrl}/store/orders/${id}`;
  const headers = { Authorization: `Bearer ${service.keys.business}` };
  const { status } = await fetch(url, { method: 'DELETE', headers });
  return { 204: 'cancelled', 409: 'shipped' }[status] ?? String(status);
}

/** The orders of the list, by id. */
async function listed(): Promise<Map<string, { complete: boolean; shipDate?: string }>> {
  const headers = { Authorization: `Bearer ${service.keys.business}` };
  const list = await (await fetch(`${service.baseUrl}/store/orders`, { headers })).text();
  return new Map(
    [...list.matchAll(/\{"id":(\d+)[^}]*\}/g)].map(([json, id]) => [id!, JSON.parse(json)]),
  );
}

describe("the examples for the store's own system", () => {
  it('compiles', async () => {
    expect(await errorsOfCompiler(directory)).toBe('');
  });

  it.each([
    ['TypeScript', process.execPath, 'main.ts', 9_007_199_254_750_101n],
    ['Python', python, 'main.py', 9_007_199_254_760_101n],
  ])('in %s, ships no order that a client cancels meanwhile', async (_, program, file, first) => {
    const env = { ...environmentOf(proxy.url), FIRST: String(first) };
    const ids = Array.from({ length: 40 }, (_, index) => String(first + BigInt(index)));
    const writing = spawn(program, [join(directory.path, file)], { env });
    const [output, errors] = [text(writing.stdout), text(writing.stderr)];
    const created = once(writing.stdout, 'data');
    await Promise.race([created, errors.then((message) => Promise.reject(new Error(message)))]);

    const states = new Map<string, string>();
    for (const id of ids.toReversed()) {
      states.set(id, await cancel(id));
      // The first cancellation comes before all shipments. The other cancellations come between the shipments.
      if (states.size === 1) writing.stdin.write('\n');
    }
    const printed = (await output).trim().split('\n').slice(1);

    expect(printed).toEqual(ids.map((id) => `${id} ${states.get(id)}`));
    expect(states.get(ids.at(-1)!)).toBe('cancelled');
    const orders = await listed();
    for (const [id, state] of states) {
      expect([id, orders.get(id)!.complete]).toEqual([id, state === 'shipped']);
    }
  });

  it('makes the calls that docs/iam/writer-policy.json allows, and no others', () => {
    const grants = grantsOf('writer-policy.json', 'staging');

    expect({
      refused: proxy.calls.filter((call) => !grants.some((grant) => allows(grant, call))),
      unused: grants.filter((grant) => !proxy.calls.some((call) => allows(grant, call))),
    }).toEqual({ refused: [], unused: [] });
  });

  it('hears of orders that become cancelled, and of nothing else', async () => {
    directory.write(
      'synthesize.ts',
      `
import { App, Stack } from 'aws-cdk-lib/core';
import { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Code, Function, Runtime } from 'aws-cdk-lib/aws-lambda';
import { hearOfCancellations } from './cancellations.ts';
const stack = new Stack(new App(), 'Refunds');
const code = Code.fromInline(' ');
const refundOrder = new Function(stack, 'RefundOrder', { code, handler: 'index.handler', runtime: Runtime.NODEJS_24_X });
const tableStreamArn = 'arn:aws:dynamodb:eu-central-1:111122223333:table/orders/stream/1';
hearOfCancellations(refundOrder, Table.fromTableAttributes(stack, 'Orders', { tableName: 'orders', tableStreamArn }));
const { Resources } = stack.node.root.synth().stacks[0].template;
const { Properties } = Object.values(Resources).find(({ Type }) => Type === 'AWS::Lambda::EventSourceMapping');
console.log(Properties.FilterCriteria.Filters[0].Pattern);`,
    );

    const { stdout } = await run(process.execPath, [join(directory.path, 'synthesize.ts')]);

    expect(JSON.parse(stdout).dynamodb).toEqual({
      OldImage: { status: { S: [{ 'anything-but': ['cancelled'] }] } },
      NewImage: { status: { S: ['cancelled'] } },
    });
  });
});
