import type { Command } from 'commander';
import type { CommandIo } from '../console/command-io.ts';
import { addVerb } from '../console/verb.ts';
import { cancel } from './cancel.ts';
import { importOrders } from './import.ts';
import { reopen } from './reopen.ts';
import { ship } from './ship.ts';
import { show } from './show.ts';

/** Adds the group `orders` with its commands. */
export function addOrdersCommands(program: Command, io: CommandIo): void {
  const orders = program.command('orders').description('import, show and change orders');
  for (const verb of [importOrders, show, ship, cancel, reopen]) addVerb(orders, io, verb);
}
