import { DifferentError, InterruptedError, OperatorError } from '../../shared/errors.ts';
import { print, type Result } from '../console/command-io.ts';
import { progressLine } from '../console/progress.ts';
import type { Call } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { failureText, mayHaveTakenEffect } from '../stage/service-failure.ts';
import type { OrderItem } from './order-record.ts';
import { type CheckedOrders, type OrderLine, readOrders } from './orders-file.ts';

/** The outcome of a command for one order. */
export interface Outcome {
  /** The outcome's name in JSON, such as `shipped`. */
  readonly name: string;
  /** Why the order is not as it should be, such as `is cancelled`. The report lists each order with a note. */
  readonly note?: string | undefined;
}

/** The work of a command on many orders. */
export interface OrdersRun {
  /** The question before anything is done, with the number of orders. @default - none */
  readonly question?: (orders: string) => string;
  readonly act: (each: OrderLine, tell: (text: string) => void) => Promise<Outcome>;
  /** The words for the outcomes, by the outcomes' names. The first word is a verb with a capital letter. */
  readonly words: Readonly<Record<string, string>>;
  /** The remedy for the orders that the report lists. */
  readonly remedy: string;
  /** How to complete a command that has failed. @default - run it again */
  readonly completion?: string;
}

/** Reads and checks a whole file, and then acts on its orders. */
export async function runOverFile(
  call: Call,
  path: string,
  parse: (text: string) => OrderItem,
  run: OrdersRun,
): Promise<Result> {
  const { stdin, stderr, interruption: signal } = call.io;
  const tell = (text: string) => print(stderr, `${path}: ${text}`);
  return runOver(call, await readOrders({ path, stdin, signal, tell }, parse), run);
}

const atOnce = 16;

/**
 * Asks, acts on several orders at the same time, and reports by outcome. All state is in the table, so a second run
 * completes a command. After a failure, no further order is begun, and the orders that were begun are completed.
 *
 * @throws OperatorError with the order whose call failed; InterruptedError
 */
export async function runOver(
  { stage, io, confirm }: Call,
  orders: CheckedOrders,
  { question, act, words, remedy, completion = 'run the command again' }: OrdersRun,
): Promise<Result> {
  const all = counted(orders.count, 'order');
  if (question && orders.count > 0) await confirm(question(all));
  using progress = progressLine(io);
  const tell = (text: string) => {
    progress.clear();
    print(io.stderr, text);
  };
  const startedMs = stage.now();
  const secondsSince = () => (stage.now() - startedMs) / 1_000;
  const counts = Object.fromEntries(Object.keys(words).map((name) => [name, 0]));
  const listed: ListedOrder[] = [];
  let done = 0;
  let failure: OperatorError | undefined;
  const left = orders.lines()[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      if (io.interruption.aborted) failure ??= new InterruptedError('interrupted');
      if (failure) return;
      const { line, order } = next.value;
      try {
        const { name, note } = await act(next.value, tell);
        counts[name]!++;
        if (note) listed.push({ line, id: order.id!.N!, name, note });
        const secondsLeft = Math.ceil((secondsSince() / ++done) * (orders.count - done));
        progress.draw(`${grouped(done)} of ${all}, ${secondsLeft} s left`);
      } catch (error) {
        failure ??= failureWith(error, next.value, completion);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failure) {
    const Failure = failure instanceof InterruptedError ? InterruptedError : OperatorError;
    const text = `stopped after ${counted(done, 'order')}: ${failure.problem}`;
    throw new Failure(text, { cause: failure, remedy: failure.remedy ?? completion });
  }
  return report({ counts, listed, seconds: secondsSince() }, words, remedy);
}

function failureWith(
  error: unknown,
  { line, order }: OrderLine,
  completion: string,
): OperatorError {
  if (error instanceof OperatorError) return error;
  const id = order.id!.N;
  const problem = `${line ? `line ${line}, ` : ''}order ${id}: ${failureText(error)}`;
  const look = `"./admin orders show ${id}" shows whether it was done; ${completion}`;
  const remedy = mayHaveTakenEffect(error) ? look : completion;
  return new OperatorError(problem, { cause: error, remedy });
}

interface ListedOrder extends Outcome {
  readonly line: number | undefined;
  readonly id: string;
}

/** The number of orders by the name of their outcome, and the orders with a note. */
interface Outcomes {
  readonly counts: Readonly<Record<string, number>>;
  readonly listed: ListedOrder[];
  readonly seconds: number;
}

function report(outcomes: Outcomes, words: OrdersRun['words'], remedy: string): Result {
  const { listed } = outcomes;
  listed.sort((one, other) => (one.line ?? 0) - (other.line ?? 0));
  const problem = `see the ${counted(listed.length, 'order')} above`;
  return {
    json: reportJson(outcomes),
    text: `${listed.map(listedText).join('')}${summaryText(outcomes, words)}`,
    failure: listed.length > 0 ? new DifferentError(problem, { remedy }) : undefined,
  };
}

function listedText({ line, id, note }: ListedOrder): string {
  return `${line ? `line ${line}: ` : ''}order ${id} ${note}\n`;
}

/** Such as `Shipped 2 orders in 0.1 s; 1 already shipped, 3 cancelled.` */
function summaryText({ counts, seconds }: Outcomes, words: OrdersRun['words']): string {
  const [[first, verb] = [''], ...others] = Object.entries(words);
  const texts = others.flatMap(([name, word]) =>
    counts[name] ? `${grouped(counts[name])} ${word}` : [],
  );
  const done = `${verb} ${counted(counts[first] ?? 0, 'order')} in ${seconds.toFixed(1)} s`;
  return `${[done, texts.join(', ')].filter(Boolean).join('; ')}.`;
}

/** A report for programs, in which ids are exact. */
function reportJson({ counts, listed, seconds }: Outcomes): string {
  const lists = listed.map(({ line, id, name, note }) => {
    return `{"id":${id},${JSON.stringify({ line, outcome: name, note }).slice(1)}`;
  });
  const text = JSON.stringify({ ...counts, seconds });
  return `${text.slice(0, -1)},"listed":[${lists}]}`;
}
