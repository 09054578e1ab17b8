import type { Result } from './run.ts';

interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Reporter {
  readonly begin: () => void;
  readonly result: (result: Result) => void;
  readonly end: (results: readonly Result[], elapsedMs: number) => void;
}

const marks = { passed: '✓', failed: '✗', skipped: '–' };

/** Creates a reporter that prints lines of text as the results arrive. */
export function textReporter(url: string, print: (line: string) => void): Reporter {
  let group = '';
  return {
    begin: () => print(`Smoke test of ${url}`),
    result: (result) => {
      if (result.group !== group) print(`\n${result.group}`);
      group = result.group;
      print(`  ${marks[result.outcome]} ${result.title}${costs(result)}`);
      for (const detail of result.details) print(`      ${detail}`);
      for (const line of result.evidence) print(`      › ${line}`);
    },
    end: (results, elapsedMs) => {
      const { passed, failed, skipped } = summarize(results);
      const seconds = (elapsedMs / 1000).toFixed(1);
      print(`\n${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`);
    },
  };
}

/** Formats the cost like ` (3 requests, 120 ms, 1.2 KB)`; empty if there was no request. */
function costs({ requests, elapsedMs, bytes }: Result): string {
  if (requests === 0) return '';
  const size = bytes < 1_000 ? `${bytes} bytes` : `${shortened(bytes / 1_000)} KB`;
  const asked = requests === 1 ? '' : `${requests} requests, `;
  return ` (${asked}${elapsedMs} ms, ${size})`;
}

function shortened(number: number): string {
  return new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(number);
}

/** Creates a reporter that prints one line of JSON at the end. */
export function jsonReporter(url: string, print: (line: string) => void): Reporter {
  return {
    begin: () => {},
    result: () => {},
    end: (checks, elapsedMs) =>
      print(
        JSON.stringify({ url, ...summarize(checks), elapsedMs: Math.round(elapsedMs), checks }),
      ),
  };
}

export function summarize(results: readonly Result[]): Summary {
  const count = (outcome: Result['outcome']) =>
    results.filter((result) => result.outcome === outcome).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}
