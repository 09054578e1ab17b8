import { describe, expect, it } from '@jest/globals';
import { orderToJson } from '../../../lambdas/domain/order-json.ts';

describe('orderToJson', () => {
  it('I1: leaves out the fields that an order lacks', () => {
    expect(orderToJson({ id: { N: '1' }, complete: { BOOL: true } })).toBe(
      '{"id":1,"complete":true}',
    );
  });

  it('I1: writes nothing for an item whose id is not an int64', () => {
    expect(orderToJson({ id: { N: '1.5' }, petId: { N: '7' } })).toBeUndefined();
  });
});
