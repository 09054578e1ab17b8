import { isStageName, stageChoices } from '../../../lib/settings/stages.ts';
import { InvalidValueError, UsageError } from '../../shared/errors.ts';

/** The service to operate. Exactly one of the two fields is set. */
export interface Target {
  stage?: string;
  /** The origin of a running local service, such as `http://127.0.0.1:3000`. */
  local?: string;
}

/** The name of a target in messages. */
export function labelOf({ stage, local }: Target): string {
  return local === undefined ? `stage ${stage}` : (originIn(local) ?? local);
}

/**
 * Adds the target to each command that a text or JSON quotes, because a pasted command could act on another stage.
 */
export function withTarget(text: string, { stage, local }: Target): string {
  if (stage === undefined && local === undefined) return text;
  const option = local === undefined ? `--stage ${stage}` : `--local ${labelOf({ local })}`;
  return text.replaceAll(/(\\?")(\.\/admin [^"\\]+)\1/g, `$1$2 ${option}$1`);
}

/** @throws OperatorError unless exactly one of the fields is set and valid */
export function refuseWrongTarget({ stage, local }: Target): void {
  if ((stage === undefined) === (local === undefined)) {
    throw new UsageError(
      'Give exactly one of --stage NAME and --local URL, or set one of ORDERS_STAGE and ORDERS_LOCAL',
    );
  }
  if (local !== undefined && originIn(local) === undefined) {
    const expected = "the service's origin, such as http://127.0.0.1:3000";
    // Removes a password even if the URL is not valid, because errors are often logged.
    throw new InvalidValueError('--local', local.replace(/\/\/.*@/, '//…@'), expected);
  }
  if (stage !== undefined && !isStageName(stage)) {
    throw new InvalidValueError('--stage', stage, stageChoices);
  }
}

function originIn(url: string): string | undefined {
  const { protocol, origin } = URL.parse(url) ?? {};
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}
