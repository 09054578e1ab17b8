import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  type OrderField,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';
import { contract } from '../../tools/smoke/test/contract-check.ts';
import { contractDocument } from '../helpers/contract-document.ts';
import { differences } from '../helpers/differences.ts';

interface OrderSchema {
  readonly properties: Readonly<Record<string, OrderField>>;
}

const codePlace = 'lambdas/shared/order-fields.ts';
const { Order: schema } = (
  contractDocument.components as { schemas: { readonly Order: OrderSchema } }
).schemas;

describe('the fields of an order', () => {
  it('are the same in the code and in the contract, with the same types', () => {
    const found = differences(
      [codePlace, describeFields(orderFields)],
      ['openapi.yaml, components.schemas.Order', describeFields(schema.properties)],
    );

    expect(found).toEqual([]);
  });

  it('stand in the same order in the code and in the contract', () => {
    expect(Object.keys(schema.properties)).toEqual(orderFieldNames);
  });

  it('are all in an example of the contract, in the published order', () => {
    const examples = listExamples();

    const [whole = {}] = examples;

    expect(
      differences(
        [codePlace, orderFieldNames],
        ['openapi.yaml, listOrders, examples', Object.keys(whole)],
      ),
    ).toEqual([]);
    for (const example of examples) {
      const names = Object.keys(example);
      expect(names).toEqual(orderFieldNames.filter((name) => names.includes(name)));
    }
  });

  it('are in R3 of docs/requirements.md, with their types', () => {
    const requirements = readFileSync('docs/requirements.md', 'utf8');
    const [rule = ''] = /^\*\*R3\*\*.*?^\*\*R4\*\*/ms.exec(requirements) ?? [];
    const rows = [...rule.matchAll(/^\| `(\w+)` \| (\w+)/gm)];

    expect(
      differences(
        [codePlace, Object.entries(orderFields).map(([name, { type }]) => `${name}: ${type}`)],
        ['docs/requirements.md, R3', rows.map(([, name, type]) => `${name}: ${type}`)],
      ),
    ).toEqual([]);
  });

  it('are kept exact by the parser in docs/clients.md where they are an int64', () => {
    const kept = readFileSync('docs/clients.md', 'utf8').matchAll(/\bname === '(\w+)'/g);

    const exact = Object.entries<OrderField>(orderFields)
      .filter(([, { format }]) => format === 'int64')
      .map(([name]) => name);

    expect(
      differences([codePlace, exact], ['docs/clients.md', [...kept].map(([, name]) => name!)]),
    ).toEqual([]);
  });
});

function describeFields(fields: Readonly<Record<string, OrderField>>): string[] {
  return Object.entries(fields).map(([name, { type, format }]) =>
    [`${name}:`, type, format].filter(Boolean).join(' '),
  );
}

function listExamples(): object[] {
  const { responses } = contract.operation('listOrders') as unknown as {
    responses: {
      200: { content: { 'application/json': { examples: Record<string, { value: object[] }> } } };
    };
  };
  const { examples } = responses[200].content['application/json'];
  return Object.values(examples).flatMap(({ value }) => value);
}
