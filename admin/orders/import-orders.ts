import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import {
  type BadLineError,
  NotFoundError,
  OperatorError,
  reasonOf,
  UnreadableFileError,
} from '../../shared/errors.ts';
import { textStart } from '../../shared/json-array.ts';
import { counted } from '../console/text-layout.ts';
import { failureText } from '../stage/service-failure.ts';
import { type CheckResult, checkOrders } from './check-orders.ts';
import { findOrder } from './find-order.ts';
import {
  type Checkpoint,
  CheckpointFile,
  type FileIdentity,
  identifyFile,
} from './import-checkpoint.ts';
import { type RetryingTable, withRetries } from './insert-orders.ts';
import { type LoadCounts, type LoadProgress, loadOrders } from './load-orders.ts';
import { detectFormat, type OrdersFormat, readOrders } from './orders-file.ts';

export interface ImportRequest {
  readonly path: string;
  /** @default - detected from the file's name and first bytes */
  readonly format?: OrdersFormat;
  /** With a bad line in the file, `stop` loads no order, and `skip` loads all others. */
  readonly onError: 'stop' | 'skip';
  readonly concurrency?: number;
  /** Whether to start at the first line and ignore the checkpoint of an earlier import. */
  readonly restart?: boolean;
}

export interface ImportTarget extends RetryingTable {
  /** Distinguishes this table from tables of other services with the same name. */
  readonly label: string;
  /** The directory for checkpoints. */
  readonly stateDirectory: string;
  readonly now: () => number;
  /** Interrupts the import in such a way that it can be resumed. */
  readonly signal?: AbortSignal;
}

/** Callbacks for the progress of an import. */
export interface ImportObserver {
  onPhase(phase: 'checking' | 'loading', bytes: number, totalBytes: number): void;
  onProgress(bytes: number, orders: number): void;
  onBadLine(error: BadLineError): void;
  /** Called for an order that is already in the table with other values. */
  onDifferent(error: BadLineError): void;
}

export interface ImportSummary extends LoadCounts {
  file: string;
  format: OrdersFormat;
  /** The line at which an interrupted import was resumed. */
  resumedAtLine: number | null;
  seconds: number;
}

const checkpointEveryMs = 1_000;

/**
 * Imports an orders file of any size in constant memory. If it is interrupted, even by `kill -9`, the
 * same call resumes it: all orders before the checkpoint are in the table, and inserting orders after
 * it a second time changes nothing.
 *
 * @throws OperatorError when a line is bad and `onError` is `stop`, or the import cannot continue
 */
export async function importOrders(
  request: ImportRequest,
  target: ImportTarget,
  observer: ImportObserver,
): Promise<ImportSummary> {
  const startedMs = target.now();
  const file = await identifyFile(request.path);
  const format = request.format ?? (await detectFormat(request.path));
  const run = new OrdersImport({ ...request, format }, target, observer, file);
  const resumed = await run.findCheckpoint();
  const counts = await run.load(resumed);
  const resumedAtLine = resumed ? resumed.end.line : null;
  const seconds = (target.now() - startedMs) / 1_000;
  return { file: request.path, format, ...counts, resumedAtLine, seconds };
}

class OrdersImport {
  readonly #request: ImportRequest & { format: OrdersFormat };
  readonly #target: ImportTarget;
  readonly #observer: ImportObserver;
  readonly #file: FileIdentity;
  readonly #checkpoints: CheckpointFile;
  #tableId = '';
  #writtenMs = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    request: ImportRequest & { format: OrdersFormat },
    target: ImportTarget,
    observer: ImportObserver,
    file: FileIdentity,
  ) {
    this.#request = request;
    this.#target = target;
    this.#observer = observer;
    this.#file = file;
    this.#checkpoints = new CheckpointFile(target.stateDirectory, file.path, target.label);
  }

  /** Finds the checkpoint of an earlier import of the same file into the same table. */
  async findCheckpoint(): Promise<Checkpoint | undefined> {
    this.#tableId = await tableIdOf(this.#target);
    if (this.#request.restart) return undefined;
    const checkpoint = await this.#checkpoints.read(this.#file, this.#tableId);
    const isTrue = checkpoint && (await hasOrder(checkpoint.orderId, this.#target));
    return isTrue ? checkpoint : undefined;
  }

  async load(resumed: Checkpoint | undefined): Promise<LoadCounts> {
    const { onError } = this.#request;
    if (onError === 'stop' && !resumed?.isChecked) await this.#refuseBadLines();
    let last = resumed ?? this.#checkpoint({ counts: noCounts, end: textStart });
    await this.#writeFirst(last);
    try {
      this.#observer.onPhase('loading', last.end.offset, this.#file.size);
      const counts = await this.#loadFrom(last, (progress) => {
        last = this.#checkpoint(progress);
        this.#writePeriodically(last);
        this.#observer.onProgress(last.end.offset, loadedOrders(last.counts));
      });
      if (this.#target.signal?.aborted) throw new OperatorError('interrupted');
      await this.#writing;
      await this.#checkpoints.remove();
      return counts;
    } catch (error) {
      await this.#writing;
      await this.#checkpoints.write(last).catch(() => {});
      throw stopped(error, this.#request.path, last);
    }
  }

  async #refuseBadLines(): Promise<void> {
    const { path } = this.#request;
    const { orders, badLines } = await this.#check();
    if (badLines === 0) return;
    throw new OperatorError(
      `${path}: ${counted(badLines, 'bad line')} beside ${counted(orders, 'good one')}`,
      {
        remedy: 'nothing was loaded: correct them, or load the others with --on-error skip',
      },
    );
  }

  async #check(): Promise<CheckResult> {
    const { path, format } = this.#request;
    this.#observer.onPhase('checking', 0, this.#file.size);
    try {
      return await checkOrders(
        readOrders(path, format),
        (error) => this.#observer.onBadLine(error),
        (bytes, count) => this.#observer.onProgress(bytes, count),
        this.#target.signal,
      );
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      throw new OperatorError(`${path}: ${error.message}`, {
        cause: error,
        remedy: 'nothing was loaded: mend the file and run the command again',
      });
    }
  }

  #loadFrom(
    { end, counts }: Checkpoint,
    onProgress: (progress: LoadProgress) => void,
  ): Promise<LoadCounts> {
    const { path, format, onError, concurrency } = this.#request;
    return loadOrders(readOrders(path, format, end), {
      ...this.#target,
      onError,
      concurrency,
      counts,
      onBadLine: (error) => this.#observer.onBadLine(error),
      onDifferent: (error) => this.#observer.onDifferent(error),
      onProgress,
    });
  }

  #checkpoint({ counts, end, orderId }: LoadProgress): Checkpoint {
    return {
      file: this.#file,
      tableId: this.#tableId,
      isChecked: this.#request.onError === 'stop',
      counts: { ...counts },
      end,
      orderId,
    };
  }

  async #writeFirst(checkpoint: Checkpoint): Promise<void> {
    try {
      await this.#checkpoints.write(checkpoint);
    } catch (error) {
      throw new OperatorError(
        `${this.#checkpoints.path}: no checkpoint can be kept there: ${reasonOf(error)}`,
        { cause: error, remedy: 'name a directory that can be written in XDG_STATE_HOME' },
      );
    }
  }

  #writePeriodically(checkpoint: Checkpoint): void {
    if (this.#target.now() - this.#writtenMs < checkpointEveryMs) return;
    this.#writtenMs = this.#target.now();
    // If a checkpoint cannot be written, the previous one remains, which is still valid.
    this.#writing = this.#checkpoints.write(checkpoint).catch(() => {});
  }
}

const noCounts: LoadCounts = { inserted: 0, alreadyThere: 0, different: 0, rejected: 0 };

function loadedOrders({ inserted, alreadyThere, different }: LoadCounts): number {
  return inserted + alreadyThere + different;
}

/** The error of an interrupted load. Batches finish in any order, so later lines may be loaded too. */
function stopped(error: unknown, path: string, { end, counts }: Checkpoint): OperatorError {
  const place = `stopped before line ${end.line}, with ${counted(loadedOrders(counts), 'order')} in the table before it`;
  if (error instanceof UnreadableFileError) {
    return new OperatorError(`${path}: ${place}: ${error.message}`, {
      cause: error,
      remedy: 'mend the file there and import it again: what is in the table stays as it is',
    });
  }
  return new OperatorError(`${place}: ${failureText(error)}`, {
    cause: error,
    remedy: 'the same command goes on from there',
  });
}

async function tableIdOf({ dynamodb, tableName, wait }: ImportTarget): Promise<string> {
  const describe = new DescribeTableCommand({ TableName: tableName });
  const { Table } = await withRetries(() => dynamodb.send(describe), wait);
  return Table?.TableId ?? String(Table?.CreationDateTime?.getTime());
}

/** Whether an order exists. Orders are never deleted, so a missing one means a restored table. */
async function hasOrder(orderId: string | undefined, target: ImportTarget): Promise<boolean> {
  if (orderId === undefined) return true;
  try {
    await withRetries(() => findOrder(orderId, target), target.wait);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
