import type { CommandIo, GlobalOptions } from '../console/command-io.ts';
import { connect, type StageConnection } from './stage-connection.ts';

/**
 * Finds the stage that a command is for, and notes which one it is, so that questions and results
 * can name it.
 *
 * @throws OperatorError as `connect`
 */
export async function openStage(io: CommandIo, options: GlobalOptions): Promise<StageConnection> {
  const connection = await connect(options, io.now);
  const { stage, label } = connection;
  const place = options.local === undefined ? '' : ` at ${label}`;
  if (io.actedOn) io.actedOn.stage = `stage ${stage}${place}`;
  return connection;
}
