import { relative } from 'node:path';
import type { AnsweredRequest } from '../../local/http-server.ts';
import { LogFile, shownLine } from './function-log.ts';
import { type Paint, paintFor } from './paint.ts';
import { requestLine } from './request-line.ts';
import { RequestLog } from './request-log.ts';

/** The output of a run. */
export interface RunConsole {
  /** Prints a line of the run's own log. */
  readonly log: (line: string) => void;
  /** Prints a line of a function's log; undefined if such lines go to `log` unchanged. */
  readonly logFunction: ((functionName: string, line: string) => void) | undefined;
  readonly onAnswered: ((answered: AnsweredRequest) => void) | undefined;
  readonly paint: Paint;
  /** The file with the log of the functions; undefined if it is printed. */
  readonly functionLogPath: string | undefined;
  close(): void;
}

interface TextConsoleOptions {
  /** The path that the contract's paths are relative to, such as `/staging/v1`. */
  readonly basePath: string;
  /** The file for the log of the functions; undefined to print it. */
  readonly functionLogPath: string | undefined;
}

/** A console for programs: it prints nothing on standard output, and all logs on standard error. */
export function plainConsole(): RunConsole {
  return {
    log: (line) => process.stderr.write(`${line}\n`),
    logFunction: undefined,
    onAnswered: undefined,
    paint: (_, text) => text,
    functionLogPath: undefined,
    close: () => {},
  };
}

/** A console for people: it prints a line per request, and the functions' warnings and errors. */
export function textConsole({ basePath, functionLogPath }: TextConsoleOptions): RunConsole {
  const paint = paintFor(process.stdout);
  const paintError = paintFor(process.stderr);
  const file = functionLogPath === undefined ? undefined : new LogFile(functionLogPath);
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const requests = new RequestLog(`${basePath}/store/orders`, (answered, orders) => {
    process.stdout.write(`${requestLine(answered, { basePath, orders, paint })}\n`);
  });
  return {
    log,
    logFunction: (functionName, line) => {
      requests.addFunctionLine(line);
      file?.write(`${functionName}: ${line}`);
      const shown = file ? shownLine(functionName, line) : `${functionName}: ${line}`;
      if (shown !== undefined) log(paintError(file ? 'red' : 'dim', shown));
    },
    onAnswered: (answered) => requests.add(answered),
    paint,
    functionLogPath: file && relative(process.cwd(), file.path),
    close: () => {
      requests.close();
      file?.close();
    },
  };
}
