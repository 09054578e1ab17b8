import type { CommandIo, GlobalOptions } from '../console/command-io.ts';
import { connect, type StageConnection } from './stage-connection.ts';

/**
 * Connects to the stage of a command and stores its name in `io.actedOn`, so that questions and
 * results can name it.
 *
 * @throws OperatorError under the same conditions as `connect`
 */
export async function openStage(io: CommandIo, options: GlobalOptions): Promise<StageConnection> {
  const connection = await connect(options, io.now);
  const { stage, label } = connection;
  const place = options.local === undefined ? '' : ` at ${label}`;
  if (io.actedOn) io.actedOn.stage = `stage ${stage}${place}`;
  return connection;
}
