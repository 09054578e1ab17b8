import { ChangedMeanwhileError, WrongStateError } from '../../shared/errors.ts';
import { isoTime } from '../console/view.ts';
import { changeItem } from '../owners/stored-owner.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findKey } from './find-key.ts';
import { validEntry } from './key-state.ts';
import { type KeyView, keyView } from './key-view.ts';

/**
 * Makes a key expire later, for example after an early rotation. A key that never expires stays as it is.
 *
 * @param seconds how long the key works from now on
 * @throws OperatorError if there is no such key, it is no longer valid, or it already works longer
 */
export async function extendKey(keyId: string, seconds: number, stage: KeyStage): Promise<KeyView> {
  const key = await findKey(keyId, stage);
  const { expiresAt: before } = validEntry(key, 'extended', stage.now());
  const end = Math.floor(stage.now() / 1_000) + seconds;
  if (before === undefined) return keyView(key, stage.now());
  if (before > end) {
    throw new WrongStateError(`${keyId} works until ${isoTime(before)}: nothing was changed`, {
      remedy: 'give a longer time',
    });
  }
  const path = `keys.${key.tokenHash}.expiresAt`;
  const extension = { set: { [path]: end }, where: { [path]: before } };
  if (!(await changeItem(key.owner.details, extension, stage))) {
    throw new ChangedMeanwhileError(keyId);
  }
  return keyView(await findKey(keyId, stage), stage.now());
}
