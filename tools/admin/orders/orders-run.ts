import { DifferentError } from '../../shared/errors.ts';
import { print, type Result } from '../console/command-io.ts';
import { progressLine } from '../console/progress.ts';
import type { Call } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { actOnOrders, type ListedOrder, type Outcome, type Outcomes } from './act-on-orders.ts';
import type { OrderItem } from './order-record.ts';
import { type CheckedOrders, type OrderLine, readOrders } from './orders-file.ts';

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

/** Asks, acts on orders, and reports by outcome. */
export async function runOver(
  { stage, io, confirm }: Call,
  orders: CheckedOrders,
  { question, act, words, remedy, completion }: OrdersRun,
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
  const outcomes = await actOnOrders(orders.lines(), {
    act: (each) => act(each, tell),
    signal: io.interruption,
    completion,
    onDone: (done) => {
      const left = Math.ceil((secondsSince() / done) * (orders.count - done));
      progress.draw(`${grouped(done)} of ${all}, ${left} s left`);
    },
  });
  const seconds = secondsSince();
  const { listed } = outcomes;
  const problem = `see the ${counted(listed.length, 'order')} above`;
  return {
    json: reportJson(outcomes, words, seconds),
    text: `${listed.map(listedText).join('')}${summaryText(outcomes, words, seconds)}`,
    failure: listed.length > 0 ? new DifferentError(problem, { remedy }) : undefined,
  };
}

function listedText({ line, id, note }: ListedOrder): string {
  return `${line ? `line ${line}: ` : ''}order ${id} ${note}\n`;
}

/** Such as `Shipped 2 orders in 0.1 s; 1 already shipped, 3 cancelled.` */
function summaryText({ counts }: Outcomes, words: OrdersRun['words'], seconds: number): string {
  const [[first, verb] = [''], ...others] = Object.entries(words);
  const texts = others.flatMap(([name, word]) =>
    counts[name] ? `${grouped(counts[name])} ${word}` : [],
  );
  const done = `${verb} ${counted(counts[first] ?? 0, 'order')} in ${seconds.toFixed(1)} s`;
  return `${[done, texts.join(', ')].filter(Boolean).join('; ')}.`;
}

/** A report for programs, in which ids are exact. */
function reportJson(
  { counts, listed }: Outcomes,
  words: OrdersRun['words'],
  seconds: number,
): string {
  const all = Object.keys(words).map((name) => [name, counts[name] ?? 0]);
  const lists = listed.map(({ line, id, name, note }) => {
    return `{"id":${id},${JSON.stringify({ line, outcome: name, note }).slice(1)}`;
  });
  const text = JSON.stringify({ ...Object.fromEntries(all), seconds });
  return `${text.slice(0, -1)},"listed":[${lists}]}`;
}
