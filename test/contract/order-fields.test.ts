import { describe, expect, it } from '@jest/globals';
import {
  type OrderField,
  orderFieldNames,
  orderFields,
} from '../../lambdas/orders/order-fields.ts';
import { expectAgreement } from '../helpers/agreement.ts';
import { contractDocument } from './contract.ts';

/** The contract's description of a field. It may state more than the code, such as a pattern. */
type FieldSchema = OrderField & { readonly description?: string };

const codePlace = 'lambdas/orders/order-fields.ts';
const { Order: schema } = contractDocument.components.schemas;

describe('the fields of an order', () => {
  it('are the same in the code and in the contract, with the same types, patterns and bounds', () => {
    expectAgreement(
      [codePlace, describeFields(orderFields)],
      ['openapi.yaml, components.schemas.Order', describeFields(schema.properties)],
    );
  });

  it('have the same order in the code, in the contract and in its example', () => {
    const list = contractDocument.paths['/store/orders'].get.responses['200'];
    const [example] = list.content['application/json'].examples.orders.value;

    expect(Object.keys(schema.properties)).toEqual(orderFieldNames);
    expect(Object.keys(example)).toEqual(orderFieldNames);
  });

  it('may all be absent, except the id', () => {
    expect(schema.required).toEqual(['id']);
  });
});

function describeFields(fields: Readonly<Record<string, FieldSchema>>): string[] {
  return Object.entries(fields).map(
    ([name, { description: _text, ...rules }]) => `${name}: ${JSON.stringify(rules)}`,
  );
}
