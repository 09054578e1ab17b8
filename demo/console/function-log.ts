import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { printable } from '../../admin/console/printable.ts';

// The lines that Lambda logs for a failed function, with the error as JSON.
const failedEvent = /^(Init Error|Invoke Error) (\{.*)$/s;

/** The text to print for a line of a function's log; undefined for lines that are not shown. */
export function shownLine(functionName: string, line: string): string | undefined {
  const [, event, json = ''] = failedEvent.exec(line) ?? [];
  if (event) {
    const { errorType, errorMessage } = jsonEntry(json) ?? {};
    return printable(`${shortName(functionName)}: ${event}: ${errorType}: ${errorMessage}`);
  }
  const entry = jsonEntry(line);
  if (entry === undefined) return printable(`${shortName(functionName)}: ${line}`);
  if (entry.level !== 'ERROR' && entry.level !== 'WARN') return undefined;
  const error = entry.error as { name?: unknown; message?: unknown } | undefined;
  const cause = error?.message === undefined ? '' : `: ${error.name}: ${error.message}`;
  return printable(`${shortName(functionName)}: ${entry.message}${cause}`);
}

/** The number of listed orders and the request id in a metrics line of a function's log. */
export function listedOrders(line: string): { answerId: string; orders: number } | undefined {
  if (!line.includes('"OrdersListed"')) return undefined;
  const { extendedRequestId, OrdersListed } = jsonEntry(line) ?? {};
  if (typeof extendedRequestId !== 'string' || typeof OrdersListed !== 'number') return undefined;
  return { answerId: extendedRequestId, orders: OrdersListed };
}

function jsonEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Shortens `StoreOrders-staging-ListOrdersFunction45FE0E53-X83XFQB8K548` to `ListOrders`. */
function shortName(functionName: string): string {
  return /^.*-(\w+)Function[0-9A-F]{8}-\w+$/.exec(functionName)?.[1] ?? functionName;
}

/** A log file that only this user can read. */
export class LogFile {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.path = path;
    this.#descriptor = openSync(path, 'w', 0o600);
  }

  /** Writes a line synchronously, so that no line is lost when the run ends. */
  write(line: string): void {
    writeSync(this.#descriptor, `${printable(line)}\n`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
