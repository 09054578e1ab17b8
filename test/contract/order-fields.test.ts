import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  type OrderField,
  orderFieldNames,
  orderFields,
} from '../../lambdas/domain/order-fields.ts';
import { expectAgreement } from '../helpers/agreement.ts';
import { contractDocument } from './contract.ts';

/** What the contract says of a field, which may be more than the code knows, such as a pattern. */
type FieldSchema = OrderField & { readonly description?: string };

interface OrderSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

const codePlace = 'lambdas/domain/order-fields.ts';
const { Order: schema } = (
  contractDocument.components as { schemas: { readonly Order: OrderSchema } }
).schemas;

describe('the fields of an order', () => {
  it('are the same in the code and in the contract, with the same types, patterns and bounds', () => {
    expectAgreement(
      [codePlace, describeFields(orderFields)],
      ['openapi.yaml, components.schemas.Order', describeFields(schema.properties)],
    );
  });

  it('have the same order in the code and in the contract', () => {
    expect(Object.keys(schema.properties)).toEqual(orderFieldNames);
  });

  it('are in R3 of docs/requirements.md, with their types', () => {
    const requirements = readFileSync('docs/requirements.md', 'utf8');
    const [rule = ''] = /^\*\*R3\b[\s\S]*?(?=^\*\*R4\b)/m.exec(requirements) ?? [];
    const rows = [...rule.matchAll(/^\| `(\w+)` \| (\w+)/gm)];

    expectAgreement(
      [codePlace, Object.entries(orderFields).map(([name, { type }]) => `${name}: ${type}`)],
      ['docs/requirements.md, R3', rows.map(([, name, type]) => `${name}: ${type}`)],
    );
  });

  it('may all be absent, except the id', () => {
    expect(schema.required).toEqual(['id']);
  });

  it('are all in an example in the contract, in the published order', () => {
    const examples = listExamples();

    const [whole = {}] = examples;

    expectAgreement(
      [codePlace, orderFieldNames],
      ['openapi.yaml, listOrders, examples', Object.keys(whole)],
    );
    for (const example of examples) {
      const names = Object.keys(example);
      expect(names).toEqual(orderFieldNames.filter((name) => names.includes(name)));
    }
  });
});

function describeFields(fields: Readonly<Record<string, FieldSchema>>): string[] {
  return Object.entries(fields).map(
    ([name, { description: _text, ...rules }]) => `${name}: ${JSON.stringify(rules)}`,
  );
}

function listExamples(): object[] {
  const { content } = contractDocument.paths['/store/orders'].get.responses[200];
  const examples = content['application/json'].examples as Record<string, { value: object[] }>;
  return Object.values(examples).flatMap(({ value }) => value);
}
