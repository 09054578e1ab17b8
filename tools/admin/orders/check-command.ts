import type { Command } from 'commander';
import type { Item } from '../../../lambdas/contract/item.ts';
import { isInt64, orderFieldNames } from '../../../lambdas/orders/order-fields.ts';
import { DifferentError } from '../../shared/errors.ts';
import type { CommandIo, Result } from '../console/command-io.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { isStateless, repairOf, stateOf } from './change-order.ts';
import { isAccepted, shown } from './order-record.ts';
import { scanOrders } from './stored-orders.ts';

/** Adds the command `orders check`. */
export function addCheckCommand(orders: Command, io: CommandIo): void {
  addVerb(orders, io, {
    usage: 'check',
    description:
      'find orders that the API cannot show as they are stored, or that nobody can cancel or ship',
    help: '\nThe command reads the whole table, and changes nothing. If an order has a problem, the exit code is 4.',
    isInterruptible: true,
    run: checkOrders,
  });
}

async function checkOrders({ stage, options, io }: Call): Promise<Result> {
  const kinds: Record<string, number> = {};
  const found: string[] = [];
  let checked = 0;
  for await (const page of scanOrders(stage.orders, io)) {
    checked += page.length;
    for (const { id, ...problem } of page.flatMap(problemsOf)) {
      kinds[problem.kind] = (kinds[problem.kind] ?? 0) + 1;
      if (options.json) found.push(`{"id":${id},${JSON.stringify(problem).slice(1)}`);
      else found.push(`order ${id}: ${problem.reason}; ${problem.remedy}\n`);
    }
  }
  const counts = Object.entries(kinds).map(([kind, count]) => `${grouped(count)} ${kind}`);
  const result = {
    json: `{"orders":${checked},"kinds":${JSON.stringify(kinds)},"problems":[${found}]}`,
    text: `${found.join('')}Checked ${counted(checked, 'order')}: ${counts.join(', ') || 'no problems'}.`,
  };
  if (counts.length === 0) return result;
  const remedy = 'the list above has a remedy for each problem';
  return { ...result, failure: new DifferentError('some orders need a repair', { remedy }) };
}

interface Problem {
  readonly id: string;
  /** The attribute that has the problem. */
  readonly kind: string;
  readonly reason: string;
  readonly remedy: string;
}

/** The reasons why the API cannot show an item as it is stored, or why clients cannot rely on it. */
function problemsOf(order: Item): Problem[] {
  const id = order.id!.N!;
  if (!isInt64(id)) {
    const reason = 'its id is not an int64, so no client can use it';
    return [{ id, kind: 'id', reason, remedy: `"./admin orders delete ${id}" removes it` }];
  }
  const { status, complete } = order;
  const hasShipped = status?.S === 'shipped';
  const isContradiction = complete?.BOOL !== undefined && complete.BOOL !== hasShipped;
  const update = (field: string, value: boolean | string) =>
    `import this line with "./admin orders import - --update": {"id":${id},"${field}":${value}}`;
  const wrong = orderFieldNames.filter((field) => order[field] && !isAccepted(field, order[field]));
  const problems: Problem[] = wrong.map((kind) => {
    const reason = `its ${kind} is ${shown(order[kind])}, so the API leaves it out`;
    return { id, kind, reason, remedy: update(kind, kind === 'complete' ? hasShipped : '…') };
  });
  if (isStateless(order)) {
    const reason = `it ${stateOf(order)}, so nobody can cancel it`;
    problems.push({ id, kind: 'status', reason, remedy: repairOf(order) });
  } else if (isContradiction) {
    const reason = `its complete is ${complete.BOOL}, but it ${stateOf(order)}`;
    const ship = `if it has left the warehouse, "./admin orders ship ${id}" marks it as shipped; if not, `;
    const remedy = `${status?.S === 'pending' ? ship : ''}${update('complete', hasShipped)}`;
    problems.push({ id, kind: 'complete', reason, remedy });
  }
  return problems;
}
