import { faultKinds } from '../faults/fault-kinds.ts';
import { type Mixture, noFaults } from '../faults/faulty-dynamodb.ts';
import { randomFrom } from '../random.ts';

/** A part of the run, with faults or without. */
export interface Phase {
  readonly name: string;
  readonly isFaultFree: boolean;
  readonly mixture: Mixture;
}

export const phaseSeconds = 20;

/** Small, so that a list has several pages. */
const ordersPerPage = 400;

const rates = [0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1];

/** The phases of a run, of which the first and the last have no faults. */
export function phasesOf(seed: number, minutes: number, hasFaults: boolean): Phase[] {
  const pairs = Math.max(1, Math.round((minutes * 60) / (2 * phaseSeconds)));
  const phases = Array.from({ length: pairs }, (_, index) => [
    faultFree(seed),
    hasFaults ? withFaults(seed, index) : faultFree(seed),
  ]);
  return [...phases.flat(), faultFree(seed)];
}

const faultFree = (seed: number): Phase => ({
  name: 'no faults',
  isFaultFree: true,
  mixture: { ...noFaults, ordersPerPage, seed },
});

function withFaults(seed: number, index: number): Phase {
  const random = randomFrom(seed, 'soak', index);
  const some = faultKinds.filter(() => random.chance(0.4));
  const kinds = random.pick([[random.pick(faultKinds)], some.length > 0 ? some : faultKinds]);
  const rate = random.pick(rates);
  return {
    name: `${Math.round(rate * 100)} % ${kinds.join(', ')}`,
    isFaultFree: false,
    mixture: { seed: random.integer(0, 2 ** 31), rate, kinds, ordersPerPage },
  };
}
