import { beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';
import { issueKey } from '../../admin/keys/issue.ts';
import type { KeyView } from '../../admin/keys/key-view.ts';
import { run, stageOfEachTest } from '../../admin/test/stage-of-keys.ts';
import { type DemoKeys, provideDemoKeys } from '../demo-keys.ts';

const { stage } = stageOfEachTest();
const directory = temporaryDirectoryOfEachTest();
const listOfFree = 'keys list --owner "demo free" --status active';
let before: DemoKeys;

beforeEach(async () => {
  before = await provideDemoKeys(stage, directory.path);
});

describe('provideDemoKeys', () => {
  it('has the same keys in later runs, and another key only for a plan that has none', async () => {
    await run('owners set-plan "demo free" pro', stage);
    const { pro: _, ...others } = before;
    directory.write('demo-keys.json', JSON.stringify(others));

    const { pro, ...kept } = await provideDemoKeys(stage, directory.path);

    expect(kept).toEqual(others);
    expect(pro).not.toBe(before.pro);
    expect((await provideDemoKeys(stage, directory.path)).pro).toBe(pro);
  });

  it('has another key for one that was revoked', async () => {
    const [key] = await run('keys list --owner "demo free"', stage);
    await run(`keys revoke ${key!.keyId}`, stage);

    const { free, ...kept } = await provideDemoKeys(stage, directory.path);

    const [replacement] = await run(listOfFree, stage);
    expect(free.slice(-4)).toBe(replacement!.lastFour);
    expect(before).toMatchObject(kept);
  });

  it('replaces the keys of an earlier run that did not keep them, and no others', async () => {
    const { apiKey } = await issueKey({ owner: 'demo free', label: 'mine' }, stage);

    const { free } = await provideDemoKeys(stage, undefined);

    const left = await run(listOfFree, stage);
    expect(left.map(({ lastFour }: KeyView) => lastFour).sort()).toEqual(
      [apiKey, free].map((token) => token.slice(-4)).sort(),
    );
  });
});
