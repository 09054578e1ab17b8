import { rateLimitHeaders } from '../../../lambdas/shared/rate-limit-fields.ts';
import type { Conversation } from './conversation.ts';
import type { GeneratedRequest } from './generated-request.ts';
import type { RawResponse } from './response-reader.ts';

const requiredHeaders = Object.keys(rateLimitHeaders).map((name) => name.toLowerCase());

/** The faults of the answers to a conversation. */
export function answerFaults(
  { requests, isHalfOpen, isDisconnecting }: Conversation,
  responses: readonly RawResponse[],
): string[] {
  const expected = answeredRequests(requests).length;
  return [
    ...(responses.length === expected || isHalfOpen || isDisconnecting
      ? []
      : [
          `${responses.length} answers to ${expected} requests, none to ${shown(requests[responses.length])}`,
        ]),
    ...responses.flatMap((response, index) => {
      const faults = faultsOf(response, requests[index]?.isHead ?? false);
      const request = requests[index];
      const isEnd = request !== undefined && isUpgrade(request);
      const isClosed = response.headers.get('connection')?.join() === 'close';
      if (isEnd && !isClosed) faults.push('the connection stays open');
      return faults.map((fault) => `${fault}, to ${shown(requests[index])}`);
    }),
  ];
}

/** Node reads nothing after a request for another protocol, so later requests get no answers. */
function answeredRequests(requests: readonly GeneratedRequest[]): readonly GeneratedRequest[] {
  const last = requests.findIndex(isUpgrade);
  return last === -1 ? requests : requests.slice(0, last + 1);
}

function isUpgrade({ bytes }: GeneratedRequest): boolean {
  return /^upgrade:/im.test(bytes.toString('latin1'));
}

function shown(request: GeneratedRequest | undefined): string {
  return JSON.stringify(request?.bytes.toString('latin1').replaceAll(/(.)\1{50,}/g, '$1…'));
}

function faultsOf({ status, headers, body }: RawResponse, isHead: boolean): string[] {
  if (status >= 500 || status < 200) return [`${status} ${body}`];
  const wrong = requiredHeaders.filter((name) => headers.get(name)?.length !== 1);
  const faults = wrong.map((name) => `${status} with ${headers.get(name)?.length ?? 0} ${name}`);
  if (status < 300 || isHead) return faults;
  return isError(body, status)
    ? faults
    : [...faults, `${status} with the body ${body.slice(0, 200)}`];
}

function isError(body: string, status: number): boolean {
  try {
    const error = JSON.parse(body);
    return (
      Object.keys(error).sort().join() === 'code,message,status' &&
      typeof error.code === 'string' &&
      typeof error.message === 'string' &&
      error.status === status
    );
  } catch {
    return false;
  }
}
