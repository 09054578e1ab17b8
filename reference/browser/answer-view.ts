import type { ApiError, Exchange } from './api-client.ts';
import { create } from './elements.ts';

const numbers = new Intl.NumberFormat('en');

/** An answer in words: its status, what it says, and which request it answers. */
export function answerItem(
  exchange: Exchange,
  error: ApiError | undefined,
  text = '',
): HTMLElement {
  const status = String(exchange.response?.status ?? '–');
  const item = create('div', '', { class: 'answer-item' });
  const says = create('p', '', { class: 'answer-says' });
  const kind = error === undefined ? 'good' : 'bad';
  says.append(create('span', status, { class: 'badge', 'data-kind': kind }), ' ');
  if (error === undefined) says.append(text);
  else says.append(create('code', error.code), ' ', error.message);
  item.append(says, requestLine(exchange));
  return item;
}

/** What is shown of a request that got no answer, or only a part of one. */
export function brokenOff(cause: unknown): ApiError {
  return { code: 'no complete answer', message: (cause as Error).message };
}

function requestLine(exchange: Exchange): HTMLElement {
  const line = create('p', '', { class: 'answer-request' });
  const { requestId } = exchange;
  line.append(create('code', exchange.line), ` · ${numbers.format(exchange.elapsedMs)} ms · `);
  if (requestId === undefined) line.append('no request id, because no answer came');
  else line.append('request id ', create('code', requestId));
  return line;
}
