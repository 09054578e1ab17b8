import { differences, differingNames, getOrders } from './add-orders.ts';
import { isSame } from './attribute-json.ts';
import { orderJson } from './order-json.ts';
import { newOrder } from './order-record.ts';
import type { OrderLine } from './orders-file.ts';
import { type RetryingTable, writeOnce } from './repeated-calls.ts';
import { deleteOrder } from './stored-orders.ts';

/** The orders of a file that are to be deleted, and what becomes of them. Orders are named by their ids. */
export class Deletion {
  readonly deleted: string[] = [];
  /** They are not as their lines say, or have changed since they were read. */
  readonly different: string[] = [];
  readonly notFound: string[] = [];
  /** The ids of orders that are not deleted yet, as the command names them, by their keys. */
  readonly chosen = new Map<string, string>();
  readonly #table: RetryingTable;
  readonly #tell: (text: string) => void;

  /** @param tell prints what is different */
  constructor(table: RetryingTable, tell: (text: string) => void) {
    this.#table = table;
    this.#tell = tell;
  }

  choose(lines: readonly OrderLine[]): void {
    for (const { key, order } of lines) this.chosen.set(key, order.id.N!);
  }

  /** Chooses the orders that are as their lines say. Returns them whole, as lines of a file. */
  async compare(lines: readonly OrderLine[]): Promise<string> {
    const orders = lines.map(({ order }) => order);
    const found = await getOrders(orders, this.#table);
    const same = lines.filter(({ line, key, order }) => {
      const existing = found.get(key);
      if (!existing) this.notFound.push(order.id.N!);
      else if (differingNames(order, existing).length === 0) return true;
      else this.#leave(order.id.N!, `line ${line}: ${differences(order, existing)}`);
      return false;
    });
    this.choose(same);
    return same.map(({ key }) => `${orderJson(found.get(key)!)}\n`).join('');
  }

  /** Deletes an order that still is as this line of the file says that keeps it. */
  async remove({ key, order }: OrderLine): Promise<void> {
    const id = this.chosen.get(key);
    if (id === undefined) return;
    const result = await writeOnce(order, this.#table, () => deleteOrder(order, this.#table));
    this.chosen.delete(key);
    if ('order' in result) {
      this.deleted.push(id);
      // No condition can say that there is no other attribute.
      if (isSame(result.order, newOrder(order))) return;
      const json = orderJson(result.order);
      this.#leave(id, `order ${id} had other attributes when it was deleted: ${json}`);
    } else if (result.found) {
      this.#leave(id, `order ${id} has changed since it was read, and is not deleted`);
    } else this.notFound.push(id);
  }

  #leave(id: string, text: string): void {
    this.different.push(id);
    this.#tell(text);
  }
}
