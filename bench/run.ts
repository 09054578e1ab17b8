import { parseArgs } from 'node:util';
import { benchCold } from './cold.ts';
import type { Findings } from './figures.ts';
import { benchLimiter } from './limiter.ts';
import { benchList } from './list.ts';
import { benchLocalReady } from './local-ready.ts';
import { benchMillion } from './million.ts';
import { renderFindings, renderJson } from './report.ts';
import { setUpWorkbench, type Workbench } from './workbench/workbench.ts';

const usage = `npm run bench -- [--only list|million|limiter|cold|local] [--quick] [--json]

  --only PART  measure this part alone; may be repeated
  --quick      tiny sizes and one round: shows that it works, not how fast
  --json       one line of figures on stdout; the table goes to stderr`;

const parts = {
  list: benchList,
  million: benchMillion,
  limiter: benchLimiter,
  cold: benchCold,
  local: ({ isQuick }: Workbench) => benchLocalReady(isQuick ? 1 : 3),
};

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: Object.keys(parts) },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(usage);
else if (options.only.every((name) => name in parts)) await run(options.only as PartName[]);
else {
  console.error(usage);
  process.exitCode = 2;
}

type PartName = keyof typeof parts;

async function run(names: PartName[]): Promise<void> {
  const showTable = options.json ? console.error : console.log;
  const bench = await setUpWorkbench(options.quick);
  const findings: Findings[] = [];
  try {
    for (const name of names) {
      findings.push(await parts[name](bench));
      showTable(renderFindings(findings.at(-1)!));
    }
  } finally {
    bench.close();
  }
  if (options.json) console.log(renderJson(findings));
}
