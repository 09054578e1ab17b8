import type { Command } from 'commander';
import type { Item } from '../../../lambdas/domain/item.ts';
import { isInt64, orderFieldNames } from '../../../lambdas/domain/order-fields.ts';
import { DifferentError, InterruptedError } from '../../shared/errors.ts';
import { type CommandIo, print, type Result } from '../console/command-io.ts';
import { progressLine } from '../console/progress.ts';
import { addVerb, type Call } from '../console/verb.ts';
import { counted, grouped } from '../console/view.ts';
import { isStateless, stateOf } from './change-order.ts';
import { isAccepted, shown } from './order-record.ts';
import { scanOrders } from './stored-orders.ts';

/** Adds the command `orders check`. */
export function addCheckCommand(orders: Command, io: CommandIo): void {
  addVerb(orders, io, {
    usage: 'check',
    description: 'find what the API cannot show as it is, and what nobody can cancel or ship',
    help: '\nIt reads the whole table once, and changes nothing. If there is a problem, the exit code is 4.',
    isInterruptible: true,
    run: checkOrders,
  });
}

async function checkOrders({ stage, options, io }: Call): Promise<Result> {
  const kinds: Record<string, number> = {};
  const found: string[] = [];
  let checked = 0;
  using line = progressLine(io);
  for await (const page of scanOrders(stage.orders)) {
    if (io.interruption.aborted) throw new InterruptedError('interrupted: run the command again');
    for (const order of page) {
      for (const problem of problemsOf(order)) {
        const { kind, reason, remedy } = problem;
        kinds[kind] = (kinds[kind] ?? 0) + 1;
        line.clear();
        if (options.json) found.push(`{"id":${order.id!.N},${JSON.stringify(problem).slice(1)}`);
        else print(io.stdout, `order ${order.id!.N}: ${reason}; ${remedy}`);
      }
    }
    checked += page.length;
    line.draw(`${counted(checked, 'order')} checked`);
  }
  const counts = Object.entries(kinds).map(([kind, count]) => `${grouped(count)} ${kind}`);
  const result = {
    json: `{"orders":${checked},"kinds":${JSON.stringify(kinds)},"problems":[${found}]}`,
    text: `Checked ${counted(checked, 'order')}: ${counts.join(', ') || 'no problems'}.`,
  };
  if (counts.length === 0) return result;
  const remedy = 'each problem names its remedy';
  return { ...result, failure: new DifferentError('some orders need a repair', { remedy }) };
}

/** Why the API cannot show an item as it is, or nobody can change its state, by the attribute. */
function problemsOf(order: Item): { kind: string; reason: string; remedy: string }[] {
  const id = order.id!.N!;
  if (!isInt64(id)) {
    const reason = 'its id is not an int64, so no client can name it';
    return [{ kind: 'id', reason, remedy: `"./admin orders delete ${id}" removes it` }];
  }
  const wrong = orderFieldNames.filter((field) => order[field] && !isAccepted(field, order[field]));
  const problems = wrong.map((field) => ({
    kind: field as string,
    reason: `its ${field} is ${shown(order[field])}, so the API leaves it out`,
    remedy: `"./admin orders import --update" sets it: {"id":${id},"${field}":…}`,
  }));
  if (isStateless(order)) {
    const reason = `it is ${stateOf(order)}, so nobody can cancel or ship it`;
    const remedy = `"./admin orders reopen ${id}" makes it pending`;
    problems.push({ kind: 'status', reason, remedy });
  }
  return problems;
}
