import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { TextAnswer } from '../../smoke/stage/http-client.ts';
import { contractDocument as document } from '../helpers/contract-document.ts';

interface Response {
  readonly headers?: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: object }>
  >;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

const paths = withoutReferences(document.paths) as Record<string, Record<string, Operation>>;
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const ajv = new Ajv2020({ strict: false, coerceTypes: true });
addFormats.default(ajv);

/**
 * What a plain validator of JSON schemas finds wrong with an operation's answer: its status, its
 * body and its headers. It shares no code with `smoke/stage/contract.ts`, which the smoke test
 * relies on: every reference of the contract is replaced by what it means, and nothing is left out.
 */
export function independentFindings(operationId: string, answer: TextAnswer): string[] {
  const operation = operations.find((each) => each.operationId === operationId);
  const response = operation?.responses[answer.status];
  if (!response) return [`${operationId} has no ${answer.status}`];
  const headers = Object.entries(response.headers ?? {}).flatMap(([name, { required, schema }]) => {
    const value = answer.headers.get(name.toLowerCase())?.[0];
    if (value === undefined) return required ? [`${name} is missing`] : [];
    return faults(schema, value, name);
  });
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return [...headers, ...(answer.text === '' ? [] : ['there is a body'])];
  return [...headers, ...faults(schema, JSON.parse(answer.text), 'the body')];
}

/** By the schema as JSON: many answers have the same headers, and compiling takes long. */
const validators = new Map<string, ValidateFunction>();

function faults(schema: object, value: unknown, what: string): string[] {
  const text = JSON.stringify(schema);
  // A number in a header is text: the schema's type makes it one, in an object that can hold it.
  const validate = validators.get(text) ?? ajv.compile({ properties: { value: schema } });
  validators.set(text, validate);
  return validate({ value }) ? [] : [`${what}: ${ajv.errorsText(validate.errors)}`];
}

function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (value === null || typeof value !== 'object') return value;
  const { $ref } = value as { readonly $ref?: unknown };
  if (typeof $ref === 'string') return withoutReferences(target($ref));
  const entries = Object.entries(value).map(([name, each]) => [name, withoutReferences(each)]);
  return Object.fromEntries(entries);
}

function target(reference: string): unknown {
  const keys = reference.slice(2).split('/');
  return keys.reduce((value, key) => value[key], document);
}
