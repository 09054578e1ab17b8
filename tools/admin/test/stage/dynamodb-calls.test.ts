import { describe, expect, it } from '@jest/globals';
import { absent, expressions, type Update, unchanged } from '../../stage/dynamodb-calls.ts';

const change = { table: 'T', key: { id: 1 }, set: { status: 'suspended' } };
const forgotten = undefined as unknown as string;

describe('the condition of a change', () => {
  it.each<[string, Update['where'], RegExp]>([
    ['a value that somebody forgot', { ownerId: forgotten }, /on ownerId has no value/],
    ['no test', {}, /is empty/],
    ['no test in one of its alternatives', [{ ownerId: 'own_1' }, {}], /is empty/],
  ])('is refused with %s', (_, where, message) => {
    expect(() => expressions({ ...change, where })).toThrow(message);
  });

  it('says that an attribute is absent, or still has the value that was read', () => {
    const where = { ban: absent, expiresAt: unchanged(7), usedAt: unchanged(undefined) };

    expect(expressions({ ...change, where })).toMatchObject({
      ConditionExpression: 'attribute_not_exists(#1) AND #2 = :1 AND attribute_not_exists(#3)',
      ExpressionAttributeNames: { '#1': 'ban', '#2': 'expiresAt', '#3': 'usedAt' },
      ExpressionAttributeValues: { ':1': 7 },
    });
  });
});
