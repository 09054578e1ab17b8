import { describe, expect, it } from '@jest/globals';
import { captureLinesOfTests } from '../../helpers/captured-lines.ts';

process.env.STAGE = 'staging';
const { recordMetrics } = await import('../../../lambdas/shared/metrics.ts');

const captured = captureLinesOfTests();

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
            Namespace: 'StoreOrders',
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

  it('records with a further dimension, and for the stage as a whole', () => {
    recordMetrics({ RequestsRejected: 1 }, { dimension: { Reason: 'quota_exceeded' } });

    expect(captured.lines()).toMatchObject([
      {
        _aws: { CloudWatchMetrics: [{ Dimensions: [['Stage'], ['Stage', 'Reason']] }] },
        Reason: 'quota_exceeded',
        RequestsRejected: 1,
      },
    ]);
  });

  it('carries the request and the key as fields, never as dimensions', () => {
    recordMetrics({ RequestsAdmitted: 1 }, { fields: { requestId: 'r', keyId: 'k' } });

    expect(captured.lines()).toMatchObject([
      {
        _aws: { CloudWatchMetrics: [{ Dimensions: [['Stage']] }] },
        requestId: 'r',
        keyId: 'k',
      },
    ]);
  });
});
