import { describe, expect, it } from '@jest/globals';
import { planScan } from '../../../local/dynamodb/scan-plan.ts';

type Input = Record<string, unknown>;

/** The scan that goes to the server, or the answer that is known. */
function planned(input: unknown): unknown {
  const plan = planScan(Buffer.from(JSON.stringify(input)));
  return JSON.parse('answer' in plan ? plan.answer : plan.body.toString());
}

const scan = { TableName: 'Orders', ProjectionExpression: 'id' };
const key = { id: { N: '9223372036854775807' } };

describe('a scan for a server that works serially', () => {
  it.each<[string, Input, Input]>([
    ['gets a page of a limited length', scan, { ...scan, Limit: 2_000 }],
    ['gets no longer a page than the limit', { ...scan, Limit: 9_000 }, { ...scan, Limit: 2_000 }],
    ['keeps a limit that is lower', { ...scan, Limit: 5 }, { ...scan, Limit: 5 }],
    [
      'of the first segment is one of the table',
      { ...scan, Segment: 0, TotalSegments: 4, ExclusiveStartKey: key },
      { ...scan, Limit: 2_000, ExclusiveStartKey: key },
    ],
  ])('%s', (_, input, expected) => {
    expect(planned(input)).toEqual(expected);
  });

  it('of another segment has an empty page, its last', () => {
    expect(planned({ ...scan, Segment: 3, TotalSegments: 4 })).toEqual({
      Count: 0,
      Items: [],
      ScannedCount: 0,
    });
  });

  it.each<[string, Input]>([
    ['a segment beyond the last', { ...scan, Segment: 4, TotalSegments: 4 }],
    ['a segment before the first', { ...scan, Segment: -1, TotalSegments: 4 }],
    ['a segment of an unknown number', { ...scan, Segment: 1 }],
    ['a limit that is no number', { ...scan, Limit: 'x' }],
    ['a limit that is no whole number', { ...scan, Limit: 9_000.5 }],
  ])('with %s is left to the server to refuse', (_, input) => {
    expect(planned(input)).toMatchObject(input);
  });

  it.each(['{', 'null', '"text"'])('that is no JSON object is left as it is: %s', (text) => {
    const body = Buffer.from(text);

    expect(planScan(body)).toEqual({ body });
  });
});
