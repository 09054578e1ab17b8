import { relative } from 'node:path';
import type { AnsweredRequest } from '../../local/http-server.ts';
import { LogFile, shownLine } from './function-log.ts';
import { type Paint, paintFor } from './paint.ts';
import { requestLine } from './request-line.ts';
import { RequestLog } from './request-log.ts';

/** Where a run says what happens. */
export interface RunConsole {
  /** Of the run itself. */
  readonly log: (line: string) => void;
  /** Of a function; undefined where it goes to `log`, as it is. */
  readonly logFunction: ((functionName: string, line: string) => void) | undefined;
  readonly onAnswered: ((answered: AnsweredRequest) => void) | undefined;
  readonly paint: Paint;
  /** Where the log of the functions is kept; undefined where it is printed. */
  readonly functionLogPath: string | undefined;
  close(): void;
}

export interface TextConsoleOptions {
  /** Where the contract's paths begin, such as `/staging/v1`. */
  readonly basePath: string;
  /** Takes the log of the functions, which is printed when this is absent. */
  readonly functionLogPath: string | undefined;
}

/** For programs: standard output stays empty, and standard error gets all as it is. */
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

/** For people: a line for each request, and of the functions only what needs to be looked at. */
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
