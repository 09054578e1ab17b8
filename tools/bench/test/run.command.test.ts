import { expect, it } from '@jest/globals';
import { compare } from '../compare.ts';
import { comparisons, type Job } from '../comparisons.ts';
import { setUpWorkbench } from '../workbench.ts';

const comparison = comparisons[0]!;

it('npm run bench does the jobs of all comparisons, here in small sizes', async () => {
  await using workbench = await setUpWorkbench();
  const measure = (job: Job) =>
    workbench.measure({ ...job, pages: Math.min(job.pages, 6), warmUps: 1, calls: 1 });

  for (const each of comparisons) {
    const { our, their } = await compare({ ...each, rounds: 1 }, measure);

    expect(Math.min(our, their)).toBeGreaterThan(0);
  }
  await expect(measure({ ...comparison.ours, answer: /503/ })).rejects.toThrow('expected /503/');
}, 180_000);

/** Measures the given values in turn. By default, their lists are equally long. */
function measuring(values: number[], bytesPerPage = [100]) {
  const bundles: string[] = [];
  const measure = async ({ bundle }: Job) => {
    const index = bundles.push(bundle) - 1;
    const measured = {
      cpuMs: values[index]!,
      bytesPerPage: bytesPerPage[index % bytesPerPage.length]!,
    };
    return { peakRssMb: 0, answer: {}, ...measured };
  };
  return { bundles, measure };
}

it('the jobs run in turn, and the median of the ratios within a round is compared with its maximum', async () => {
  const { bundles, measure } = measuring([2, 1, 40, 10, 9, 6]);

  const { our, their, ratio } = await compare({ ...comparison, rounds: 3 }, measure);

  expect([our, their, ratio]).toEqual([9, 6, 2]);
  expect(bundles.slice(0, 3)).toEqual([
    'ours/listOrders.js',
    'peers/documentClient.js',
    'ours/listOrders.js',
  ]);
});

it.each([
  [{ maxRatio: 2 }, true],
  [{ maxRatio: 1.9 }, false],
  [{ maxRatio: 2, max: 7 }, false],
])('whether the maxima %j are met by 8 and 4: %j', async (maxima, expected) => {
  const { measure } = measuring([8, 4]);

  expect(await compare({ ...comparison, ...maxima, rounds: 1 }, measure)).toHaveProperty(
    'isMet',
    expected,
  );
});

it('a list without some of the orders is not compared', async () => {
  const { measure } = measuring([8, 4], [1_600, 1_500]);

  await expect(compare(comparison, measure)).rejects.toThrow('bytes');
});
