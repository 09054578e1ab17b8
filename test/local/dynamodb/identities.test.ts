import { describe, expect, it } from '@jest/globals';
import { createIdentities, denialOf } from '../../../local/dynamodb/identities.ts';
import { createTemplate, lambda } from '../small-template.ts';
import { template } from './two-functions.ts';

describe('the identities of a run', () => {
  it('have credentials of their own, which DynamoDB Local accepts, too', () => {
    const { operator, functions } = createIdentities(template);

    const all = [operator, ...functions.values()].map(({ credentials }) => credentials);
    for (const { accessKeyId, secretAccessKey } of all) {
      expect(accessKeyId).toMatch(/^ASIA[0-9A-F]{32}$/);
      expect(secretAccessKey).toMatch(/^[\w-]{40}$/);
    }
    expect(new Set(all.map(({ accessKeyId }) => accessKeyId)).size).toBe(3);
    expect(new Set(all.map(({ secretAccessKey }) => secretAccessKey)).size).toBe(3);
  });

  it('keep their credentials in the next template, in which a new function gets some', () => {
    const earlier = createIdentities(createTemplate(lambda('Nothing')));

    const { operator, functions } = createIdentities(template, earlier);

    expect(operator).toBe(earlier.operator);
    expect(functions.get('Nothing')?.credentials).toBe(
      earlier.functions.get('Nothing')?.credentials,
    );
    expect(functions.get('Read')?.credentials.accessKeyId).toMatch(/^ASIA/);
  });

  const { operator, functions } = createIdentities(template);
  const orders = '{"TableName":"Orders"}';
  const table = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Orders';

  it.each([
    ['an operator', operator, 'DeleteTable'],
    ['a function that a policy allows to', functions.get('Read')!, 'GetItem'],
  ])('let %s call', (_, identity, operation) => {
    expect(denialOf(identity, operation, Buffer.from(orders))).toBeUndefined();
  });

  it.each([
    [
      'Nothing',
      'GetItem',
      orders,
      `dynamodb:GetItem on ${table} because no identity-based policy allows the dynamodb:GetItem action`,
    ],
    [
      'Read',
      'PutItem',
      orders,
      `dynamodb:PutItem on ${table} with an explicit deny in an identity-based policy`,
    ],
    [
      'Read',
      'TransactWriteItems',
      '{"TransactItems":[{"Delete":{"TableName":"Orders"}},{"Put":{"TableName":"Orders"}}]}',
      `dynamodb:PutItem on ${table} with an explicit deny in an identity-based policy`,
    ],
    [
      'Read',
      'GetItem',
      'no JSON',
      'dynamodb:GetItem on * because the local run cannot tell what the call needs',
    ],
  ])('deny %s to call %s with %s, and say why', (name, operation, body, reason) => {
    const denial = denialOf(functions.get(name)!, operation, Buffer.from(body));

    const user = `arn:aws:sts::123456789012:assumed-role/${name === 'Read' ? 'reader/read' : 'no-role/nothing'}`;
    expect(denial).toEqual({
      message: `User: ${user} is not authorized to perform: ${reason.replace(' on ', ' on resource: ')}`,
      logLine: `${name.toLowerCase()} is not authorized to perform ${reason}`,
    });
  });
});
