import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { expire } from '../../keys/expire.ts';
import { deletion } from '../../owners/delete.ts';
import { setPlan } from '../../owners/set-plan.ts';
import { suspend } from '../../owners/suspend.ts';
import type { KeyStage } from '../../stage/key-stage.ts';
import { readHistory } from '../../store/history.ts';
import { issueTo, nowMs, run, stageOfEachTest } from '../stage-of-keys.ts';

const fixture = stageOfEachTest();
const { stage } = fixture;

const by = (operator: string, laterMs = 0): KeyStage => ({
  ...stage,
  now: () => nowMs + laterMs,
  operator,
});
const whoDidWhat = async (ownerId: string) =>
  (await readHistory(ownerId, stage)).map((record) => [record.by, record.command]);

describe('the history of an owner', () => {
  it('says who has changed what of the owner and its keys, and when', async () => {
    const { ownerId, keyId } = await issueTo({ owner: 'Acme', label: 'web shop' }, stage);
    await run(setPlan, ['Acme', 'enterprise'], by('user/bob', 1_000), {
      perMinute: 70,
      perDay: 500,
    });
    // Changes nothing, so it is not recorded.
    await run(setPlan, ['Acme', 'enterprise'], stage);
    await run(expire, [keyId, '60s'], stage);

    const to = (value: unknown) => ({ from: null, to: value });
    const byAnn = { at: '2026-11-20T09:30:15.500Z', by: 'user/ann' };
    const history = await readHistory(ownerId, stage);
    expect(Object.keys(history[0]!)).toEqual(['at', 'by', 'command', 'changes']);
    expect(history).toEqual([
      {
        ...byAnn,
        command: 'owners create',
        changes: { name: to('Acme'), plan: to('free') },
      },
      { ...byAnn, command: 'keys issue', keyIds: [keyId], changes: { label: to('web shop') } },
      {
        at: '2026-11-20T09:30:16.500Z',
        by: 'user/bob',
        command: 'owners set-plan',
        changes: {
          plan: { from: 'free', to: 'enterprise' },
          perMinute: to(70),
          perDay: to(500),
        },
      },
      // This operator's clock is behind.
      {
        ...byAnn,
        command: 'keys expire',
        keyIds: [keyId],
        changes: { expiresAt: to('2026-11-20T09:31:15Z') },
      },
    ]);
  });

  it('keeps the latest 180 records, which fit into an item', async () => {
    const { ownerId } = await issueTo({ owner: 'Acme' }, stage);
    const changes = { name: { from: '日'.repeat(200), to: '本'.repeat(200) } };
    const old = Array.from({ length: 180 }, (_, at) => [
      at + 1,
      { at, by: '日'.repeat(128), command: 'owners rename', changes },
    ]);
    const Item = { ownerId: `history#${ownerId}`, ...Object.fromEntries(old) };
    const { details } = await fixture.owner(ownerId);
    for (const each of [Item, { ...details, revision: 180 }]) {
      await stage.documents.send(new PutCommand({ TableName: stage.ownersTable, Item: each }));
    }

    await run(suspend, ['Acme'], stage);

    const history = await readHistory(ownerId, stage);
    expect(history.map(({ at }) => at)).toEqual([
      ...Array.from({ length: 179 }, (_, index) => index + 1),
      '2026-11-20T09:30:15.500Z',
    ]);
  });

  it('is reduced to the deletion, without a name, when the owner is deleted', async () => {
    const { ownerId } = await issueTo({ owner: 'Acme', label: 'Ann' }, stage);

    await run(deletion, ['Acme'], by('user/eve'));

    expect(await whoDidWhat(ownerId)).toEqual([['user/eve', 'owners delete']]);
    expect(JSON.stringify(await fixture.readAll('Owners'))).not.toMatch(/Acme|Ann/);
  });
});
