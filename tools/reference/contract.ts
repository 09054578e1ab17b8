/** The parts of the published contract (OpenAPI 3.1) that its reference shows. */
export interface Contract {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: {
    readonly headers: Readonly<Record<string, ContractHeader>>;
    readonly responses: Readonly<Record<string, ContractResponse>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

export interface ContractOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly 'x-stability'?: string;
  readonly 'x-sunset'?: string;
  readonly parameters?: readonly ContractParameter[];
  readonly responses: Readonly<Record<string, ContractResponse | Reference>>;
}

export interface ContractParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface ContractResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, ContractHeader | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema: Schema | Reference;
  readonly examples: Readonly<Record<string, Example>>;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface ContractHeader {
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema | Reference;
  readonly allOf?: readonly (Schema | Reference)[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A reference to another part of the contract, such as `#/components/schemas/Order`. */
export interface Reference {
  readonly $ref: string;
}

/** Resolves a reference. Any other part of the contract is returned as it is. */
export function resolve<T extends object>(contract: Contract, part: T | Reference): T {
  if (!('$ref' in part)) return part;
  const [, ...names] = part.$ref.split('/');
  return names.reduce((node, name) => (node as never)[name], contract as unknown) as T;
}

/** The name of the part that a reference refers to; undefined for any other part. */
export function referredName(part: object | Reference): string | undefined {
  return '$ref' in part ? String(part.$ref).split('/').at(-1) : undefined;
}
