import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { withoutReferences } from '../shared/references.ts';

/**
 * The parts of the published contract (OpenAPI 3.1) that its reference shows. References are replaced
 * by what they refer to.
 */
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
  readonly responses: Readonly<Record<string, ContractResponse>>;
}

export interface ContractParameter extends ContractHeader {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

export interface ContractResponse {
  readonly component?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, JsonBody>>;
}

export interface JsonBody {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, Example>>;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface ContractHeader {
  readonly description: string;
  readonly schema: Schema;
  readonly example: unknown;
}

export interface Schema {
  /** The name of the component that this part of the contract refers to, if it is a reference. */
  readonly component?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly string[];
  readonly const?: string | number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const contractFile = join(import.meta.dirname, '../../openapi.yaml');
const localServer = /(?<=^servers:\n).*\n +description: local$/m;

/** The contract as YAML. Its first server is the one at this URL, instead of a local run's. */
export function contractText(baseUrl: string): string {
  const server = `  - url: ${baseUrl}\n    description: this service`;
  return readFileSync(contractFile, 'utf8').replace(localServer, () => server);
}

export function parseContract(yaml: string): Contract {
  return withoutReferences(parse(yaml)) as Contract;
}
