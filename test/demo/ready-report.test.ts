import { describe, expect, it } from '@jest/globals';
import { readyText } from '../../demo/ready-report.ts';
import { forEachPlan, planNames } from '../../lib/settings/plans.ts';

describe('what a person reads when the service is ready', () => {
  it('fits a terminal of 80 columns, apart from the lines to paste', () => {
    const key = `so_test_${'a'.repeat(46)}`;
    const service = {
      baseUrl: 'http://127.0.0.1:3000/staging/v1',
      origin: 'http://127.0.0.1:3000',
      stage: 'staging',
      keys: forEachPlan(() => key),
      ordersTable: 'Orders',
      apiKeysTable: 'ApiKeys',
    } as const;
    const console = {
      paint: (_: unknown, text: string) => text,
      functionLogPath: '.cache/logs/123456/functions.log',
    };

    const text = readyText(service, '1001', { watch: true, inspect: 9229 }, console);

    const tooLong = text.split('\n').filter((line) => line.length > 80);
    expect(tooLong).toEqual([
      expect.stringContaining('curl -i -H'),
      expect.stringContaining('curl -i -X DELETE'),
    ]);
    for (const plan of planNames) expect(text).toContain(`${plan} `);
  });
});
