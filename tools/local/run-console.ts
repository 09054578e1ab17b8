import { appendFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { printable } from '../shared/printable.ts';
import type { AnsweredRequest } from './aws/http-server.ts';
import { type Paint, requestLine } from './request-line.ts';

/** The mode of the functions' log, which only its user can read. */
export const logMode = 0o600;

/** The output of a run. */
export interface RunConsole {
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

/** A console for people: it prints a line per request, and the functions' warnings, errors and own output. */
export function textConsole(basePath: string, functionLogPath: string): RunConsole {
  const paint: Paint = (format, text) => styleText(format, text, { stream: process.stdout });
  const problemText = (text: string) => styleText('red', text, { stream: process.stderr });
  return {
    log,
    logFunction: (functionName, line) => {
      const shown = (text: string) => printable(`${shortName(functionName)}: ${text}`);
      appendFileSync(functionLogPath, `${shown(line)}\n`, { mode: logMode });
      const { problem, output } = notablePart(line);
      if (problem) log(problemText(shown(problem)));
      else if (output) log(shown(output));
    },
    onAnswered: (answered) =>
      void process.stdout.write(`${requestLine(answered, basePath, paint)}\n`),
    paint,
    functionLogPath,
  };
}

/** The part of a function's log line to print. A line that is not a log entry is a developer's own output. */
export function notablePart(line: string): { problem?: string; output?: string } {
  const entry = jsonEntry(line);
  if (!entry) return { output: line };
  const { level, message, error } = entry;
  if (level !== 'ERROR' && level !== 'WARN') return {};
  const reason = error?.message === undefined ? '' : `: ${error.name}: ${error.message}`;
  return { problem: `${message}${reason}` };
}

function jsonEntry(line: string) {
  try {
    return line.startsWith('{') ? JSON.parse(line) : undefined;
  } catch {
    return undefined;
  }
}

/** Shortens the name of a deployed function, such as `…-ListOrdersFunction45FE0E53-X83XFQB8K548`, to `ListOrders`. */
function shortName(functionName: string): string {
  return /^.*-(\w+)Function[0-9A-F]{8}-\w+$/.exec(functionName)?.[1] ?? functionName;
}
