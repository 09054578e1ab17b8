/** How long this process computes while `work` runs, however busy the machine is otherwise. */
export function cpuMillisecondsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
