import type { styleText } from 'node:util';
import { printable } from '../shared/printable.ts';
import type { AnsweredRequest } from './aws/http-server.ts';

/** Formats a text with colours, or returns it unchanged. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string;

const number = new Intl.NumberFormat('en');

// A word that is longer than any name in the API's paths could be a key.
const longWord = /([\w%]{8})[\w%]{32,}/g;

/** Such as `GET /v1/store/orders 200 57 ms pro 298 left`. */
export function requestLine(answered: AnsweredRequest, basePath: string, paint: Paint): string {
  const { method, target, answer, durationMs, isComplete } = answered;
  const path = target.replace(/[?#].*/s, '');
  const isInStage = path === basePath || path.startsWith(`${basePath}/`);
  const parts = [
    method,
    printable(isInStage ? path.slice(basePath.lastIndexOf('/')) : path).replace(longWord, '$1…'),
    // Other colours have little contrast on a light background.
    answer.statusCode < 500 ? answer.statusCode : paint('red', `${answer.statusCode}`),
    `${number.format(Math.round(durationMs))} ms`,
    errorCode(answered),
    isComplete ? undefined : 'cut off',
    allowance(answered),
    isInStage ? undefined : `(paths begin with ${basePath})`,
  ];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** Undefined if the answer is not an error of the contract. */
function errorCode({ answer: { statusCode, body } }: AnsweredRequest): string | undefined {
  if (statusCode < 400 || !Buffer.isBuffer(body)) return undefined;
  try {
    const { code } = JSON.parse(body.toString('utf8'));
    return typeof code === 'string' ? code : undefined;
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
  return `${plan}${count}${wait === undefined ? '' : `, retry in ${wait} s`}`;
}

function headerOf(headers: readonly (readonly [string, string])[], wanted: string) {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}
