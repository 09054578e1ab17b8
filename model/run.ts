import { explore } from './explore.ts';
import { invariants } from './invariants.ts';
import { scenarios, thorough } from './scenarios.ts';

/*
 * `npm run model` explores every scenario: about two million states in a minute or two. It exits
 * with 1 if an invariant is broken.
 */

console.log(`Watched in every step:\n- ${Object.keys(invariants).join(';\n- ')}.\n`);
let total = 0;
for (const [name, begin] of Object.entries(scenarios)) {
  const startedAtMs = performance.now();
  const { states, steps, violation } = explore(begin(thorough));
  total += states;
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  const explored = `${grouped(states)} states, ${grouped(steps)} steps, ${seconds} s`;
  console.log(`${name}: ${explored}`);
  if (!violation) continue;
  process.exitCode = 1;
  console.error(`  broken: ${violation.invariant}, by`);
  for (const event of violation.trace) console.error(`  - ${JSON.stringify(event)}`);
}
console.log(`${grouped(total)} states in all`);

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
