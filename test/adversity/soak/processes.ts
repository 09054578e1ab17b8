import { readdirSync, readFileSync } from 'node:fs';

/** The memory and open file descriptors of a process. */
export interface ProcessUse {
  readonly residentMb: number;
  readonly descriptors: number;
}

/** Whether this system has `/proc`. */
export const isMeasurable = process.platform === 'linux';

/** Reads the use of a process; undefined when it has ended, and on systems without `/proc`. */
export function useOf(processId: number): ProcessUse | undefined {
  if (!isMeasurable) return undefined;
  try {
    const status = readFileSync(`/proc/${processId}/status`, 'utf8');
    const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
    const descriptors = readdirSync(`/proc/${processId}/fd`).length;
    return { residentMb: Math.round(kilobytes / 1_024), descriptors };
  } catch {
    return undefined;
  }
}
