import type { ApiError, Exchange } from './api-client.ts';
import { create } from './elements.ts';

const numbers = new Intl.NumberFormat('en');

/** An answer as text: its status, its message, and the request that it belongs to. */
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

/** The error to show for a request whose answer is missing or incomplete. */
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
