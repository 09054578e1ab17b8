/** The CPU time of this process while `work` runs, which does not depend on the machine's load. */
export function cpuMillisecondsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
