import { describe, expect, it } from '@jest/globals';
import { readOwnerRecord } from '../../../lambdas/shared/owner-record.ts';

describe("an owner's item", () => {
  it.each([
    ['active', true],
    ['suspended', false],
    ['of another program', false],
  ])('with the status "%s" makes its keys usable: %s', (status, isActive) => {
    expect(readOwnerRecord({ status: { S: status } }).isActive).toBe(isActive);
  });
});
