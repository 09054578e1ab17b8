import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parseExactJson } from './exact-json.ts';
import type { Answer } from './http-client.ts';

/** A response to compare; without `text`, its body is not compared. */
export type ComparedAnswer = Pick<Answer, 'status' | 'headers'> & { readonly text?: string };

const documentId = 'openapi.yaml';

interface Documented {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface DocumentedHeader {
  readonly required?: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly deprecated?: boolean;
  readonly [key: string]: unknown;
}

/** Headers of HTTP itself, about the transport of the message. They need not be documented. */
const transportHeaders = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'via',
]);

/**
 * Compares responses with the published contract. It is stricter than a client should be: a status,
 * header or field that is not documented is a difference.
 */
export class Contract {
  readonly document: Readonly<Record<string, unknown>>;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  /** @param document the contract, `openapi.yaml`, as plain data */
  constructor(document: Readonly<Record<string, unknown>>) {
    this.document = document;
    // The document is no schema but contains some, which a validation against the schema of schemas
    // would not reach. Compiling that one would take longer than all of the contract's own.
    this.#ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false });
    ajvFormats.default(this.#ajv, ['date-time', 'int64']);
    this.#ajv.addSchema(document, documentId);
  }

  operations(): Operation[] {
    const paths = this.document.paths as Record<string, Record<string, object>>;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) =>
          ({ ...operation, method: method.toUpperCase(), path }) as Operation,
      ),
    );
  }

  operation(operationId: string): Operation {
    const operation = this.operations().find((candidate) => candidate.operationId === operationId);
    if (operation === undefined) throw new Error(`${documentId} has no operation ${operationId}`);
    return operation;
  }

  /** The differences of an operation's response: status, headers and, if it has a text, body. */
  differences(operationId: string, answer: ComparedAnswer): string[] {
    const { path, method } = this.operation(operationId);
    const responses = `#/paths/${escapePointer(path)}/${method.toLowerCase()}/responses`;
    return this.#responseDifferences(`${responses}/${answer.status}`, answer);
  }

  /** The differences of a gateway response, by its type. */
  gatewayDifferences(type: string, answer: ComparedAnswer): string[] {
    return this.#responseDifferences(`#/x-gateway-responses/${type}/${answer.status}`, answer);
  }

  /** The differences of one order, given as JSON. */
  orderDifferences(text: string): string[] {
    return this.#valueDifferences('#/components/schemas/Order', text, 'the order');
  }

  #responseDifferences(pointer: string, answer: ComparedAnswer): string[] {
    if (this.#at(pointer) === undefined) return [`status ${answer.status} is not in openapi.yaml`];
    const response = this.#resolve(pointer);
    const body =
      answer.text === undefined ? [] : this.#bodyDifferences(response, answer, answer.text);
    return [...this.#headerDifferences(response, answer), ...body];
  }

  #headerDifferences(response: string, answer: ComparedAnswer): string[] {
    const documented = this.#documentedHeaders(response);
    const undocumented = [...answer.headers.keys()]
      .filter((name) => !documented.has(name) && !isInfrastructureHeader(name))
      .map((name) => `header ${name} is not in openapi.yaml`);
    const wrong = [...documented].flatMap(([name, pointer]) =>
      this.#valuesDifferences(name, pointer, answer.headers.get(name) ?? []),
    );
    return [...undocumented, ...wrong];
  }

  #documentedHeaders(response: string): Map<string, string> {
    const { headers = {} } = this.#at(response) as Documented;
    return new Map(
      Object.keys(headers).map((name) => [
        name.toLowerCase(),
        this.#resolve(`${response}/headers/${escapePointer(name)}`),
      ]),
    );
  }

  #valuesDifferences(name: string, pointer: string, values: readonly string[]): string[] {
    const isRequired = (this.#at(pointer) as DocumentedHeader).required === true;
    if (values.length === 0) return isRequired ? [`header ${name} is missing`] : [];
    if (values.length > 1) return [`header ${name} is sent ${values.length} times`];
    const validate = this.#validator(`${pointer}/schema`);
    const value = /^(0|[1-9]\d*)$/.test(values[0]!) ? Number(values[0]) : values[0];
    if (validate(value)) return [];
    return [
      `header ${name} is '${values[0]}': it ${this.#ajv.errorsText(validate.errors, noName)}`,
    ];
  }

  #bodyDifferences(response: string, answer: ComparedAnswer, text: string): string[] {
    const { content } = this.#at(response) as Documented;
    if (content === undefined) {
      return text === '' ? [] : [`the body has ${text.length} characters, none are documented`];
    }
    const mediaType = answer.headers.get('content-type')?.join() ?? 'absent';
    if (!(mediaType in content))
      return [`content-type is ${mediaType}, documented is application/json`];
    const schema = `${response}/content/${escapePointer(mediaType)}/schema`;
    return this.#valueDifferences(schema, text, 'the body');
  }

  #valueDifferences(schema: string, text: string, what: string): string[] {
    const validate = this.#validator(schema);
    try {
      if (validate(parseExactJson(text))) return [];
    } catch (error) {
      return [`${what} ${(error as Error).message}: ${shorten(text)}`];
    }
    return [`${what} ${this.#ajv.errorsText(validate.errors, noName)}: ${shorten(text)}`];
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer);
    if (known !== undefined) return known;
    // Unlike additionalProperties, unevaluatedProperties also takes `allOf` into account.
    const schema = {
      allOf: [{ $ref: documentId + encodeURI(pointer) }],
      unevaluatedProperties: false,
    };
    const compiled = this.#ajv.compile(schema);
    this.#validators.set(pointer, compiled);
    return compiled;
  }

  #resolve(pointer: string): string {
    const target = this.#at(pointer) as { $ref?: string };
    return target.$ref === undefined ? pointer : this.#resolve(target.$ref);
  }

  #at(pointer: string): unknown {
    const keys = pointer.slice(2).split('/').map(unescapePointer);
    return keys.reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      this.document,
    );
  }
}

const noName = { dataVar: '' };

/**
 * Whether a header is set by the infrastructure. The contract says that `x-amz…` headers are, and that
 * stages which allow an origin send `Access-Control-…` headers to browsers.
 */
function isInfrastructureHeader(name: string): boolean {
  return transportHeaders.has(name) || /^(x-amz|access-control-)/.test(name);
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapePointer(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
