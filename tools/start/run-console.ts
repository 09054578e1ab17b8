import { appendFileSync } from 'node:fs';
import { styleText } from 'node:util';
import type { AnsweredRequest } from '../local/http-server.ts';
import { printable } from '../shared/printable.ts';
import { type Paint, requestLine } from './request-line.ts';

/** The mode of the functions' log, which only its user can read. */
export const logMode = 0o600;

/** The output of a run. */
export interface RunConsole {
  /** Prints a line of the run's own log. */
  readonly log: (line: string) => void;
  /** Prints a line of a function's log. @default - such lines go to `log` unchanged */
  readonly logFunction?: (functionName: string, line: string) => void;
  readonly onAnswered?: (answered: AnsweredRequest) => void;
  readonly paint: Paint;
  /** The file for the log of the functions, which remains after the run. @default - it is printed */
  readonly functionLogPath?: string | undefined;
}

const log = (line: string) => void process.stderr.write(`${line}\n`);

/** A console for programs: it prints nothing on standard output, and all logs on standard error. */
export const plainConsole: RunConsole = { log, paint: (_, text) => text };

/**
 * A console for people: it prints a line per request, and the functions' warnings and errors. Colours
 * are used on a terminal, unless `NO_COLOR` is set.
 *
 * @param basePath the path that the contract's paths are relative to, such as `/staging/v1`
 * @param functionLogPath the file for the log of the functions
 */
export function textConsole(basePath: string, functionLogPath: string): RunConsole {
  const paintFor =
    (stream: NodeJS.WriteStream): Paint =>
    (format, text) =>
      styleText(format, text, { stream });
  const paint = paintFor(process.stdout);
  const paintError = paintFor(process.stderr);
  return {
    log,
    logFunction: (functionName, line) => {
      const shown = (text: string) => printable(`${shortName(functionName)}: ${text}`);
      appendFileSync(functionLogPath, `${shown(line)}\n`, { mode: logMode });
      const notable = notableLine(line);
      if (notable) log(paintError('red', shown(notable)));
    },
    onAnswered: (answered) => {
      process.stdout.write(`${requestLine(answered, basePath, paint)}\n`);
    },
    paint,
    functionLogPath,
  };
}

/**
 * Returns the text to print for a line of a function's log: the message of a warning or an error, or the
 * line itself if it is not a log entry, such as a developer's own output. Undefined for other entries.
 */
export function notableLine(line: string): string | undefined {
  const { level, message, error } = jsonEntry(line) ?? { level: 'ERROR', message: line };
  if (level !== 'ERROR' && level !== 'WARN') return undefined;
  return error?.message === undefined ? message : `${message}: ${error.name}: ${error.message}`;
}

interface LogEntry {
  readonly level?: string;
  readonly message?: string;
  readonly error?: { readonly name?: string; readonly message?: string };
}

function jsonEntry(line: string): LogEntry | undefined {
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
