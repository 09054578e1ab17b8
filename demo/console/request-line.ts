import { printable } from '../../admin/console/printable.ts';
import type { AnsweredRequest } from '../../local/http-server.ts';
import type { Paint } from './paint.ts';

interface RequestLineOptions {
  /** The path that the contract's paths are relative to, such as `/staging/v1`. */
  readonly basePath: string;
  /** The number of listed orders; undefined if the answer is not a list. */
  readonly orders: number | undefined;
  readonly paint: Paint;
}

const number = new Intl.NumberFormat('en');
const pathMaxLength = 120;

// Words longer than any name in the API's paths are shortened, because they could be keys.
const longWord = /[\w%]{40,}/g;

/**
 * Formats an answered request as one line, such as
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

/** The error code in an answer's body; undefined if the answer is not an error of the contract. */
function errorCode({ answer: { statusCode, body } }: AnsweredRequest): string | undefined {
  if (statusCode < 400 || !Buffer.isBuffer(body)) return undefined;
  try {
    const { code } = JSON.parse(body.toString('utf8'));
    return typeof code === 'string' ? printable(code) : undefined;
  } catch {
    return undefined;
  }
}

/** The plan of the request's key, with its remaining requests or the seconds to wait. */
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

/** A hint for a path outside the stage: the path that was probably meant. */
function stageHint(path: string, basePath: string): string | undefined {
  if (path === basePath || path.startsWith(`${basePath}/`)) return undefined;
  const [resource] = /\/(?:store|pets)(?:\/.*)?$/.exec(path) ?? [''];
  return `(paths begin with ${basePath}: try ${shownPath(basePath + resource)})`;
}
