import { Option } from 'commander';
import type { Verb } from '../console/verb.ts';
import { tableText } from '../console/view.ts';
import { keyStatuses, keysOf } from '../store/keys.ts';
import { ownersNamed } from '../store/owners.ts';
import { type KeyView, keyView } from './key-view.ts';

export const list: Verb<{ owner?: string; status?: KeyView['status'] }> = {
  usage: 'list',
  description: 'list all keys, or only the keys that the options select, the newest first',
  options: [
    new Option('--owner <owner>', 'only keys of the owner with this id or name'),
    new Option('--status <status>', 'only keys in this state').choices(keyStatuses),
  ],
  examples: ['keys list --stage prod --owner "Acme Ltd" --status banned'],
  run: async ({ stage, options: { owner, status } }) => {
    const views = (await ownersNamed(owner, stage))
      .flatMap(keysOf)
      .map((key) => keyView(key, stage))
      .filter((key) => status === undefined || key.status === status)
      .sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    return { value: views, text: tableText(views.map(rowOf), 'There are no such keys.') };
  },
};

function rowOf({ keyId, status, lastUsedAt, owner, label }: KeyView) {
  const lastUsed = lastUsedAt?.slice(0, 10) ?? 'never';
  return { 'key id': keyId, status, 'last used': lastUsed, owner, label };
}
