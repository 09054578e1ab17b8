import { readdirSync, readFileSync } from 'node:fs';

/** The memory, open file descriptors and processor time of a process, with all of its threads. */
export interface ProcessUse {
  readonly residentMb: number;
  readonly descriptors: number;
  /** Since the process was started. */
  readonly processorSeconds: number;
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
    const [, fields = ''] = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    // The fields are in hundredths of a second.
    const processorSeconds = (user! + system!) / 100;
    return { residentMb: Math.round(kilobytes / 1_024), descriptors, processorSeconds };
  } catch {
    return undefined;
  }
}
