import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { serve } from '../../../test/helpers/loopback-server.ts';
import { codeSamples } from '../code-samples.ts';
import { listOperations } from '../contract-index.ts';

const contract = parse(readFileSync(join(import.meta.dirname, '../../../openapi.yaml'), 'utf8'));

describe('the JavaScript sample', () => {
  it.each([
    ['listOrders', '1\n', 'GET /v1/store/orders'],
    ['cancelOrder', '204\n', 'DELETE /v1/store/orders/1001'],
  ])('of %s runs as it is', async (operationId, printed, question) => {
    const asked: (string | undefined)[] = [];
    await using server = await serve(({ method, url, headers }, response) => {
      asked.push(`${method} ${url}`, headers.authorization);
      if (method === 'DELETE') response.writeHead(204).end();
      else response.end('[{"id":9223372036854775807}]');
    });
    const url = `${server.url}/v1`;
    const operation = listOperations(contract).find((one) => one.operationId === operationId)!;
    const sample = codeSamples(operation, url).find(({ name }) => name === 'JavaScript')!;

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', sample.code],
      { env: { STORE_ORDERS_KEY: 'a-key' } },
    );

    expect(stdout).toBe(printed);
    expect(asked).toEqual([question, 'Bearer a-key']);
  });
});
