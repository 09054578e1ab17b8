import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { serve } from '../../../test/helpers/loopback-server.ts';
import { codeSamples } from '../code-samples.ts';
import { contractText, parseContract } from '../contract.ts';
import { listOperations } from '../contract-index.ts';

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
    const contract = parseContract(contractText(url));
    const operation = listOperations(contract).find((one) => one.operationId === operationId)!;
    const sample = codeSamples(operation, url).JavaScript!;

    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', sample],
      { env: { STORE_ORDERS_KEY: 'a-key' } },
    );

    expect(stdout).toBe(printed);
    expect(asked).toEqual([question, 'Bearer a-key']);
  });
});
