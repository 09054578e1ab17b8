import { Ajv2020 } from 'ajv/dist/2020.js';
import { contractDocument } from '../helpers/contract-document.ts';
import { differences, missing } from '../helpers/differences.ts';
import type { RenderedAnswer } from './template-api.ts';

interface Reference {
  readonly $ref: string;
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** Below the base address, such as `/store/orders/{orderId}`. */
  readonly path: string;
  readonly deprecated?: boolean;
  /** The responses by their status. */
  readonly responses: Readonly<Record<string, Reference>>;
  readonly [key: string]: unknown;
}

interface Header {
  readonly required?: boolean;
  readonly schema: object;
}

interface Response {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: {
    readonly 'application/json': {
      readonly examples: Readonly<Record<string, { readonly value: ErrorBody }>>;
    };
  };
}

interface ErrorBody {
  readonly message: string;
}

const ajv = new Ajv2020({ strict: false });

/** The operations of the contract. */
export const operations: readonly Operation[] = Object.entries<object>(
  contractDocument.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

/** @throws Error when the contract has no such operation */
export function operationOf(operationId: string): Operation {
  const operation = operations.find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`openapi.yaml has no operation ${operationId}`);
  return operation;
}

/**
 * The differences between an answer of the template and a response of the contract: its headers, their
 * values, and its body, which has to be an example but for the numbers in its message.
 */
export function answerDifferences(documented: Reference, answer: RenderedAnswer): string[] {
  const place = `openapi.yaml, ${documented.$ref}`;
  const { headers, content } = referred<Response>(documented);
  const byName = Object.entries(headers).map(
    ([name, header]) => [name.toLowerCase(), referred<Header>(header)] as const,
  );
  const required = byName.filter(([, header]) => header.required).map(([name]) => name);
  const examples = Object.values(content['application/json'].examples);
  return [
    ...differences(['lib/api', Object.keys(answer.headers)], [place, required]),
    ...byName.flatMap(([name, { schema }]) => valueDifferences(name, schema, answer.headers[name])),
    ...missing(
      ['lib/api', [withoutNumbers(JSON.parse(answer.text))]],
      [`${place}, examples`, examples.map(({ value }) => withoutNumbers(value))],
    ),
  ];
}

function valueDifferences(name: string, schema: object, value: string | undefined): string[] {
  if (value === undefined) return [];
  const isValid = ajv.validate(schema, /^\d+$/.test(value) ? Number(value) : value);
  return isValid
    ? []
    : [`header ${name} is '${value}': it ${ajv.errorsText(null, { dataVar: '' })}`];
}

function withoutNumbers(body: ErrorBody): string {
  return JSON.stringify({
    ...body,
    message: body.message.replaceAll(/\$context[.\w]+\w|\d+/g, '…'),
  });
}

/** The component that a reference such as `#/components/headers/Vary` names. */
function referred<Target>({ $ref }: Reference): Target {
  const [, ...names] = $ref.split('/');
  return names.reduce((part, name) => part[name], contractDocument);
}
