/** Where AWS's answer was recorded. */
export type Source = RecordedTest | Thread;

/** A test that was run against AWS, and whose recorded result stands in a public repository. */
export interface RecordedTest {
  readonly repository: string;
  readonly commit: string;
  readonly file: string;
  readonly test: string;
}

/** A public thread in which somebody shows an answer of AWS. */
export interface Thread {
  readonly repository: string;
  /** Such as `issues/50`. */
  readonly thread: string;
}

/** An API that was deployed on AWS, and what it was seen to do. */
export interface Recording {
  readonly source: Source;
  /** An edge-optimized API stands behind CloudFront, which adds headers of its own. */
  readonly endpoint: 'REGIONAL' | 'EDGE';
  readonly api: FactApi;
  readonly facts: readonly Fact[];
}

/** One thing that AWS was seen to do with a request. */
export interface Fact {
  /** Topic and case; no two facts have the same. */
  readonly id: string;
  readonly title: string;
  readonly request: FactRequest;
  readonly answer?: FactAnswer;
  /** Parts of the event that the function `echo` received. */
  readonly received?: Expected;
}

export interface FactRequest {
  /** @default POST where the function is told what to return, else GET */
  readonly method?: string;
  /** With the stage and the query, as it goes over the wire. */
  readonly path: string;
  /** Sent besides `Host`, in this spelling. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bodyBase64?: string;
  /** What the function `returnBody` is to return. */
  readonly functionReturns?: unknown;
}

export interface FactAnswer {
  readonly status: number;
  /**
   * By name; a list stands for several headers of that name. A text is what a client gets that joins
   * them by commas.
   */
  readonly headers?: Readonly<Record<string, Expected>>;
  /** Names of headers in the spelling that they have on the wire. */
  readonly headerNames?: readonly string[];
  /** The whole body, or what is said of it. */
  readonly body?: Expected;
  readonly bodyBase64?: string;
  /** What the body is as JSON. */
  readonly json?: Expected;
}

/** The parts of a template that matter to a recording. */
export interface FactApi {
  readonly stage: string;
  readonly stageVariables?: Readonly<Record<string, string>>;
  readonly binaryMediaTypes?: readonly string[];
  readonly apiKeySource?: 'HEADER' | 'AUTHORIZER';
  /** By HTTP method and resource path, such as `ANY /{proxy+}`. */
  readonly methods: Readonly<Record<string, FactMethod>>;
  readonly authorizer?: FactAuthorizer;
  /** A key in a usage plan of the stage. */
  readonly apiKey?: { readonly value: string; readonly isEnabled: boolean };
}

export interface FactMethod {
  /** The function of a Lambda proxy integration. */
  readonly function?: FactFunction;
  readonly mock?: FactMock;
  readonly hasAuthorizer?: boolean;
  readonly isApiKeyRequired?: boolean;
  /** @default CUSTOM with an authorizer, else NONE */
  readonly authorizationType?: string;
}

/**
 * `echo` answers with its event, `returnBody` returns what the request's body says; else a function
 * returns the result that stands beside the request's path.
 */
export type FactFunction = 'echo' | 'returnBody' | Readonly<Record<string, unknown>>;

/** A MOCK integration for `application/json`, with one response. */
export interface FactMock {
  readonly requestTemplate: string;
  readonly requestParameters?: Readonly<Record<string, string>>;
  readonly selectionPattern?: string;
  /** Values of the answer's headers, without the quotes of a mapping expression. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly responseTemplate?: string;
}

/** A TOKEN authorizer, whose function allows the token `allow` and denies every other by default. */
export interface FactAuthorizer {
  readonly header: string;
  readonly validationExpression?: string;
  readonly resultTtlSeconds?: number;
  readonly usageIdentifierKey?: string;
  /** The message of the error that the function throws instead. */
  readonly failsWith?: string;
  /** What the function returns instead. */
  readonly returns?: unknown;
}

/** A gateway response that AWS reports for an API: what the API defines, and what results for a type. */
export interface GatewayResponseFact {
  readonly id: string;
  readonly title: string;
  readonly source: Source;
  /** CloudFormation properties by response type. */
  readonly defined: Readonly<Record<string, object>>;
  readonly type: string;
  readonly status: number;
  /** By name. */
  readonly headers?: Readonly<Record<string, Expected>>;
  readonly body?: Expected;
}

/**
 * What is known of a value: itself, some of its fields, or one of the statements below. A field that
 * is not mentioned is not looked at.
 */
export type Expected =
  | string
  | number
  | boolean
  | null
  | readonly Expected[]
  | { readonly [name: string]: Expected };

/** The value is there; the recording masks what it is. */
export const present = { $is: 'present' } as const;

export const absent = { $is: 'absent' } as const;

/** The value is a text with this part. */
export const containing = (text: string) => ({ $is: 'containing', text }) as const;

/** The value is a text without this part. */
export const lacking = (text: string) => ({ $is: 'lacking', text }) as const;

/** The value has these fields and no others. */
export const exactly = (fields: { readonly [name: string]: Expected }) =>
  ({ $is: 'exactly', fields }) as const;
