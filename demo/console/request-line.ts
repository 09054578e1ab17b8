import { printable } from '../../admin/console/printable.ts';
import type { AnsweredRequest } from '../../local/http-server.ts';
import type { Paint } from './paint.ts';

export interface RequestLineOptions {
  /** Where the contract's paths begin, such as `/staging/v1`. */
  readonly basePath: string;
  /** How many orders the answer lists, where it is a list. */
  readonly orders: number | undefined;
  readonly paint: Paint;
}

const number = new Intl.NumberFormat('en');
const pathMaxLength = 120;

// Longer than any name in a path of this API: it could be a key that is in the wrong place.
const longWord = /[\w%]{40,}/g;

/**
 * One line for a person who watches the requests, such as
 * `GET /v1/store/orders 200 57 ms 1,000 orders pro 298 left`.
 */
export function requestLine(answered: AnsweredRequest, options: RequestLineOptions): string {
  const { method, target, answer, durationMs, isComplete } = answered;
  const { basePath, orders, paint } = options;
  const path = target.replace(/[?#].*/s, '');
  const hint = stageHint(path, basePath);
  return [
    printable(method),
    shownPath(hint ? path : path.slice(basePath.lastIndexOf('/'))),
    paint(colourOf(answer.statusCode), String(answer.statusCode)),
    paint('dim', `${number.format(Math.round(durationMs))} ms`),
    orders === undefined ? undefined : `${number.format(orders)} orders`,
    errorCode(answered),
    isComplete ? undefined : paint('yellow', 'broken off'),
    allowance(answered),
    hint && paint('yellow', hint),
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

function shownPath(path: string): string {
  const shown = printable(path).replace(longWord, (word) => `${word.slice(0, 8)}…`);
  return shown.length > pathMaxLength ? `${shown.slice(0, pathMaxLength)}…` : shown;
}

function colourOf(statusCode: number) {
  if (statusCode >= 500) return 'red';
  return statusCode >= 400 ? 'yellow' : 'green';
}

/** The `code` of an answer in the shape of the contract's errors. */
function errorCode({ answer: { statusCode, body } }: AnsweredRequest): string | undefined {
  if (statusCode < 400 || !Buffer.isBuffer(body)) return undefined;
  try {
    const { code } = JSON.parse(body.toString('utf8'));
    return typeof code === 'string' ? printable(code) : undefined;
  } catch {
    return undefined;
  }
}

/** Whose key it was by its plan, and what is left to it. */
function allowance({ answer }: AnsweredRequest): string | undefined {
  const plan = answer.authorizer?.plan;
  if (plan === undefined) return undefined;
  const wait = headerOf(answer.headers, 'retry-after');
  const left = headerOf(answer.headers, 'x-ratelimit-remaining');
  const count = left === undefined ? '' : ` ${number.format(Number(left))} left`;
  return printable(`${plan}${count}${wait === undefined ? '' : `, again in ${wait} s`}`);
}

function headerOf(headers: readonly (readonly [string, string])[], wanted: string) {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** What is wrong with a path that leads to no API, but would below the stage. */
function stageHint(path: string, basePath: string): string | undefined {
  if (path === basePath || path.startsWith(`${basePath}/`)) return undefined;
  const [resource] = /\/(?:store|pets)(?:\/.*)?$/.exec(path) ?? [''];
  return `(paths begin with ${basePath}: try ${shownPath(basePath + resource)})`;
}
