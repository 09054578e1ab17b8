import { compare } from './compare.ts';
import { comparisons } from './comparisons.ts';
import { setUpWorkbench } from './workbench.ts';

console.log(
  "Compares the service's speed and memory with other libraries, in less than three minutes.",
);
await using workbench = await setUpWorkbench();
for (const comparison of comparisons) {
  process.stdout.write(comparison.name);
  const { our, their, ratio, isMet } = await compare(comparison, async (job) => {
    const measurements = await workbench.measure(job);
    process.stdout.write('.');
    return measurements;
  });
  const { value, maxRatio, max } = comparison;
  const bounds = `at most ${maxRatio}${max === undefined ? '' : `, and ${value} at most ${max}`}`;
  const values = `${value} ${rounded(our)} vs ${rounded(their)}`.padEnd(26);
  console.log(`\n  ${values} ratio ${rounded(ratio)}  ${isMet ? 'met' : 'MISSED'}: ${bounds}`);
  if (!isMet) process.exitCode = 1;
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
