import type { UsagePlan } from '../gateway/usage-plan.ts';
import { LocalRunError } from '../template/local-run-error.ts';
import { type ApiKey, type ControlPlane, ControlPlaneError } from './control-plane.ts';

/** A control-plane call over HTTP. */
interface ControlPlaneCall {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

interface ControlPlaneAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Operation = (call: ControlPlaneCall, ids: string[], plane: ControlPlane) => Answered;

interface Answered {
  readonly status: number;
  readonly body?: unknown;
}

const statusOf: Readonly<Record<ControlPlaneError['type'], number>> = {
  BadRequestException: 400,
  ConflictException: 409,
  NotFoundException: 404,
};

/**
 * The operations that the operator's commands call, by method and path, in which `*` stands for an id.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_Operations.html
 */
const operations: Readonly<Record<string, Operation>> = {
  'POST /apikeys': ({ body }, _, plane) => created(plane.createApiKey(fieldsOf(body, newKeyTypes))),
  'GET /apikeys': ({ query }, _, plane) => {
    const keys = plane.getApiKeys({ nameQuery: query.get('name') ?? '' });
    return ok(page(query, keys, ({ value: _, ...key }) => key));
  },
  'DELETE /apikeys/*': (_, [id], plane) => {
    plane.deleteApiKey(id!);
    return { status: 202 };
  },
  'GET /usageplans': ({ query }, _, plane) => {
    const keyId = query.get('keyId') ?? undefined;
    return ok(page(query, plane.getUsagePlans({ keyId }), planBody));
  },
  'POST /usageplans/*/keys': ({ body }, [usagePlanId], plane) => {
    const { keyId = '' } = fieldsOf<{ keyId?: string }>(body, { keyId: 'string' });
    return created(memberBody(plane.createUsagePlanKey({ usagePlanId: usagePlanId!, keyId })));
  },
  'GET /usageplans/*/keys/*': (_, [usagePlanId, keyId], plane) =>
    ok(memberBody(plane.getUsagePlanKey({ usagePlanId: usagePlanId!, keyId: keyId! }))),
  'DELETE /usageplans/*/keys/*': (_, [usagePlanId, keyId], plane) => {
    plane.deleteUsagePlanKey({ usagePlanId: usagePlanId!, keyId: keyId! });
    return { status: 202 };
  },
};

// Other fields of a body are ignored.
const newKeyTypes = {
  name: 'string',
  value: 'string',
  description: 'string',
  enabled: 'boolean',
};

/** Answers a call in API Gateway's control-plane protocol; undefined for any other request. */
export function answerControlPlane(
  call: ControlPlaneCall,
  plane: ControlPlane,
): ControlPlaneAnswer | undefined {
  // Ids consist of letters and digits, so the segments need no decoding.
  const segments = call.path.split('/').slice(1);
  const pattern = segments.map((segment, index) => (index % 2 === 0 ? segment : '*')).join('/');
  const operation = operations[`${call.method} /${pattern}`];
  if (!operation) return undefined;
  const ids = segments.filter((_, index) => index % 2 === 1);
  try {
    const { status, body } = operation(call, ids, plane);
    return json(status, body ?? {});
  } catch (error) {
    return errorAnswer(error);
  }
}

function errorAnswer(error: unknown): ControlPlaneAnswer {
  // The change could not be stored, for example because the disk is full, and was undone.
  if (error instanceof LocalRunError) return unavailable(error);
  if (!(error instanceof ControlPlaneError)) throw error;
  const { type, message } = error;
  return json(statusOf[type], { message }, { 'x-amzn-ErrorType': type });
}

/**
 * The fields of a body that is a JSON object. What is stored with another type would fail later,
 * where it is read.
 *
 * @throws ControlPlaneError when it is none, or a field is of another type
 */
function fieldsOf<T extends object>(body: string, types: Readonly<Record<string, string>>): T {
  const fields = parsed(body);
  const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  if (!isObject) throw invalidBody();
  for (const [name, type] of Object.entries(types)) {
    const value = (fields as Record<string, unknown>)[name];
    if (value !== undefined && typeof value !== type) throw invalidBody();
  }
  return fields as T;
}

/** Undefined for a text that is no JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // What is no JSON is no object either.
  }
}

function invalidBody(): ControlPlaneError {
  return new ControlPlaneError('BadRequestException', 'Invalid request body');
}

function unavailable({ message }: LocalRunError): ControlPlaneAnswer {
  return json(503, { message }, { 'x-amzn-ErrorType': 'ServiceUnavailableException' });
}

function json(statusCode: number, body: unknown, headers: Record<string, string> = {}) {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

function ok(body: unknown): Answered {
  return { status: 200, body };
}

function created(body: unknown): Answered {
  return { status: 201, body };
}

const pageMaxItems = 500;
const pageDefaultItems = 25;

/** One page of a list; `position` is the number of items that came before it. */
function page<T>(query: URLSearchParams, items: readonly T[], body: (item: T) => unknown) {
  const start = wholeNumber(query.get('position')) ?? 0;
  // With a limit of 0, every page would be empty, and its caller would request pages forever.
  const limit = Math.min(wholeNumber(query.get('limit')) || pageDefaultItems, pageMaxItems);
  const end = start + limit;
  return {
    item: items.slice(start, end).map(body),
    ...(end < items.length && { position: String(end) }),
  };
}

/** Parses a whole number; undefined for any other text. */
function wholeNumber(text: string | null): number | undefined {
  return /^\d+$/.test(text ?? '') ? Number(text) : undefined;
}

function memberBody({ id, name, value }: ApiKey): object {
  return { id, name, value, type: 'API_KEY' };
}

function planBody({ id, name }: UsagePlan): object {
  return { id, name };
}
