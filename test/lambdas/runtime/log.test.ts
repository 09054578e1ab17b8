import { describe, expect, it } from '@jest/globals';
import { metricNamespace } from '../../../lambdas/contract/metric-definitions.ts';
import { log } from '../../../lambdas/runtime/log.ts';
import { captureLinesOfTests } from '../../helpers/captured-lines.ts';

process.env.STAGE = 'staging';
const { recordMetrics } = await import('../../../lambdas/runtime/metrics.ts');
const captured = captureLinesOfTests();

describe('log', () => {
  it('writes one JSON object per line, with its level, time and fields', () => {
    log.warn('Something\nhappened', { requestId: 'r', keyId: 'k', count: 3 });
    log.warn('Careful');

    expect(captured.text().match(/\n/g)).toHaveLength(2);
    expect(captured.lines()).toMatchObject([
      { level: 'WARN', message: 'Something\nhappened', requestId: 'r', keyId: 'k', count: 3 },
      { level: 'WARN', message: 'Careful' },
    ]);
    expect(captured.lines()[0]?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('shows the stack and the causes of an error, and no other member, which may be an item or a header', () => {
    const request = { headers: { authorization: 'secret' } };
    const cause = Object.assign(new TypeError('The socket is closed'), { request });
    const error = new Error('No answer', { cause: new Error('No write', { cause }) });

    log.error('It failed', Object.assign(error, { Item: { note: 'secret' } }), { requestId: 'r' });

    expect(captured.lines()).toMatchObject([
      {
        ...{ level: 'ERROR', message: 'It failed', requestId: 'r' },
        error: {
          name: 'Error',
          message: 'No answer',
          stack: expect.stringContaining('log.test.ts'),
          cause: {
            message: 'No write',
            cause: { name: 'TypeError', message: 'The socket is closed' },
          },
        },
      },
    ]);
    expect(captured.text()).not.toContain('secret');
  });

  it('shows a thrown value that is no error', () => {
    log.error('It failed', 'odd');

    expect(captured.lines()).toMatchObject([{ message: 'It failed', error: 'odd' }]);
  });
});

describe('recordMetrics', () => {
  it('writes a line in the embedded metric format: every metric and dimension is a member', () => {
    const beforeMs = Date.now();

    recordMetrics({ OrdersListed: 1_000, BytesStreamed: 5 });

    const line = captured.lines()[0]!;
    expect(line).toEqual({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: metricNamespace,
            Dimensions: [['Stage']],
            Metrics: [
              { Name: 'OrdersListed', Unit: 'Count' },
              { Name: 'BytesStreamed', Unit: 'Bytes' },
            ],
          },
        ],
      },
      level: 'INFO',
      Stage: 'staging',
      OrdersListed: 1_000,
      BytesStreamed: 5,
    });
    const { Timestamp } = line._aws as { Timestamp: number };
    expect(Timestamp).toBeGreaterThanOrEqual(beforeMs);
  });

  it('records with an additional dimension and for the whole stage, and never uses an id as a dimension', () => {
    const fields = { requestId: 'r', keyId: 'k' };

    recordMetrics({ RequestsRejected: 1 }, fields, { Reason: 'quota_exceeded' });

    expect(captured.lines()).toMatchObject([
      {
        _aws: { CloudWatchMetrics: [{ Dimensions: [['Stage'], ['Stage', 'Reason']] }] },
        Reason: 'quota_exceeded',
        RequestsRejected: 1,
        ...fields,
      },
    ]);
  });
});
