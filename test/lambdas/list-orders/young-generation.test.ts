import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const source = new URL('../../../lambdas/list-orders/young-generation.ts', import.meta.url);

/** The size of the young generation in a Node process with Lambda's options. */
async function youngGenerationMb(prepare: string): Promise<number> {
  const code = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { keepYoungGenerationSmall } from ${JSON.stringify(source.href)};
    ${prepare}
    const kept = [];
    let most = 0;
    for (let index = 0; index < 1_000_000; index++) {
      kept[index % 5_000] = { index, also: [index] };
      if (index % 10_000 > 0) continue;
      const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
      most = Math.max(most, young.space_size / 2 ** 20);
    }
    console.log(most);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-semi-space-size=88',
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    code,
  ]);
  return Number(stdout);
}

describe('the young generation', () => {
  it('stays as small as it begins, whatever Lambda allows it', async () => {
    expect(await youngGenerationMb('keepYoungGenerationSmall();')).toBeLessThanOrEqual(2);
  });

  it('would grow if it were left to itself', async () => {
    expect(await youngGenerationMb('')).toBeGreaterThan(8);
  });
});
