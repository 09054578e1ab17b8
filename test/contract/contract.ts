import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';
import { isInt64 } from '../../lambdas/orders/order-fields.ts';

/** A response to compare with the contract. */
export interface ComparedAnswer {
  readonly status: number;
  /** The values by lower-case header name. A header that was sent twice has two values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The body. Without a text, the body is not compared. */
  readonly text?: string;
}

/** The documented responses by status. */
type Responses = Readonly<Record<string, Documented>>;

interface Documented {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean; schema: object }>>;
  readonly content?: Readonly<
    Record<string, { schema: object; examples: Readonly<Record<string, { value: ErrorBody }>> }>
  >;
}

/** The body of an error. */
export interface ErrorBody {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** The status and code of an error of the contract. */
export type DocumentedError = Pick<ErrorBody, 'status' | 'code'>;

interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** The path below the base address, such as `/store/orders/{orderId}`. */
  readonly path: string;
  readonly deprecated?: boolean;
  readonly responses: Responses;
  readonly [key: string]: unknown;
}

/**
 * Headers that a response need not document: the headers of HTTP's transport, the header that the contract promises
 * for every response, the headers of the infrastructure, and the headers for browsers on a stage that allows an
 * origin.
 */
const otherHeaders =
  /^((cache-control|connection|content-encoding|content-length|content-type|date|keep-alive|transfer-encoding|via)$|x-amz|access-control-)/;

/** The published contract, `openapi.yaml`, as it is written. */
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of hundreds of shapes
export const contractDocument: any = parse(
  readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8'),
);
const contract: typeof contractDocument = structuredClone(contractDocument);
resolved(contract);

/** The operations of the published contract. */
export const operations: readonly Operation[] = Object.entries(contract.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
);

/** The responses by operation id and by the type of a gateway response, and the responses to unknown methods. */
const responses: Readonly<Record<string, Responses>> = {
  ...contract['x-gateway-responses'],
  unknownMethods: contract['x-unknown-methods'],
  ...Object.fromEntries(operations.map(({ operationId, responses }) => [operationId, responses])),
};

const ajv = new Ajv2020({ strict: false, validateSchema: false, verbose: true });
ajvFormats.default(ajv, ['date-time', 'int32', 'int64']);

/** @throws Error if the contract has no such operation */
export function operationOf(operationId: string): Operation {
  const operation = operations.find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`openapi.yaml has no operation ${operationId}`);
  return operation;
}

/** The errors that responses document. */
export function errorsOf(responses: Responses): ErrorBody[] {
  return Object.values(responses).flatMap(({ content }) =>
    Object.values(content?.['application/json']?.examples ?? {}).map(({ value }) => value),
  );
}

/** The operations that document an error. */
export function operationsWith({ status, code }: DocumentedError): Operation[] {
  return operations.filter(({ responses }) =>
    errorsOf(responses).some((error) => error.status === status && error.code === code),
  );
}

/**
 * Compares a response with the contract, more strictly than a client should. Every undocumented status, header or
 * field is a difference, and so is every undocumented error message.
 *
 * @param name the id of its operation, the type of a gateway response, or `unknownMethods`
 */
export function contractDifferences(name: string, answer: ComparedAnswer): string[] {
  const documented = responses[name]?.[answer.status];
  if (documented === undefined) return [`status ${answer.status} is not in openapi.yaml`];
  return [
    ...headerDifferences(documented, answer),
    ...(answer.text === undefined ? [] : bodyDifferences(documented, answer, answer.text)),
  ];
}

function headerDifferences({ headers = {} }: Documented, answer: ComparedAnswer): string[] {
  const documented = Object.entries(headers).map(
    ([name, header]) => [name.toLowerCase(), header] as const,
  );
  const names = new Set(documented.map(([name]) => name));
  const undocumented = [...answer.headers.keys()].filter(
    (name) => !names.has(name) && !otherHeaders.test(name),
  );
  const caching = answer.headers.get('cache-control')?.join();
  return [
    ...(caching === 'no-store' ? [] : [`header cache-control is ${caching}, expected no-store`]),
    ...undocumented.map((name) => `header ${name} is not in openapi.yaml`),
    ...documented.flatMap(([name, { required, schema }]) => {
      const values = answer.headers.get(name) ?? [];
      if (values.length > 1) return [`header ${name} is sent ${values.length} times`];
      if (values.length === 0) return required ? [`header ${name} is missing`] : [];
      return headerValueDifferences(name, schema, values[0]!);
    }),
  ];
}

function headerValueDifferences(name: string, schema: object, value: string): string[] {
  const validate = ajv.compile(schema);
  if (validate(/^(0|[1-9]\d*)$/.test(value) ? Number(value) : value)) return [];
  return [`header ${name} is '${value}': it ${validate.errors![0]!.message}`];
}

function bodyDifferences({ content }: Documented, answer: ComparedAnswer, text: string): string[] {
  if (content === undefined) {
    return text === '' ? [] : [`the body has ${text.length} characters, expected none`];
  }
  const mediaType = answer.headers.get('content-type')?.join() ?? 'absent';
  const documented = content[mediaType];
  if (!documented) return [`content-type is ${mediaType}, expected application/json`];
  const differences = valueDifferences(documented.schema, text);
  if (answer.status < 400 || differences.length > 0) return differences;
  const expected = Object.values(documented.examples).map(({ value }) => wordsOf(value));
  const words = wordsOf(JSON.parse(text));
  return expected.includes(words)
    ? []
    : [`the error is "${words}", expected "${expected.join('" or "')}"`];
}

function valueDifferences(schema: object, text: string): string[] {
  const validate = ajv.compile(schema);
  try {
    if (validate(JSON.parse(text, refuseInexactNumber as Parameters<JSON['parse']>[1]))) return [];
  } catch (error) {
    return [`the body ${(error as Error).message}: ${text.slice(0, 200)}`];
  }
  const { instancePath, message, data } = validate.errors![0]!;
  return [`the body ${instancePath} ${message}: ${JSON.stringify(data).slice(0, 200)}`];
}

/** An error as a text, in which `…` replaces numbers and `$context` variables, which differ between responses. */
export function wordsOf({ status, code, message }: ErrorBody): string {
  return `${status} ${code}: ${message.replaceAll(/\$context[.\w]+\w|\d[\d,]*/g, '…')}`;
}

/** Refuses a number whose text shows that it was rounded or reformatted. The contract has only 64-bit integers. */
function refuseInexactNumber(_key: string, value: unknown, { source = '' }: { source?: string }) {
  if (typeof value !== 'number' || isInt64(source)) return value;
  throw new SyntaxError(`contains ${source}, which is not a 64-bit integer`);
}

/** Replaces every `$ref` of a part of the document, and lets objects have documented fields only. */
function resolved(part: unknown): unknown {
  if (part === null || typeof part !== 'object') return part;
  if ('$ref' in part) {
    const [, ...names] = String(part.$ref).split('/');
    return resolved(names.reduce((target, name) => target[name], contract));
  }
  for (const [name, value] of Object.entries(part)) {
    Object.assign(part, { [name]: resolved(value) });
  }
  return 'properties' in part ? Object.assign(part, { additionalProperties: false }) : part;
}
