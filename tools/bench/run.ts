import { Command, Option } from 'commander';
import { parseCommandLine } from '../shared/command-line.ts';
import { OperatorError } from '../shared/errors.ts';
import { benchCold } from './cold.ts';
import { benchLimiter } from './limiter.ts';
import { benchList } from './list.ts';
import { benchLocalReady } from './local-ready.ts';
import { benchMillion } from './million.ts';
import { type Findings, renderFindings, renderJson } from './report.ts';
import { benchWatch } from './watch.ts';
import { setUpWorkbench, type Workbench } from './workbench.ts';

const parts = {
  list: benchList,
  million: benchMillion,
  limiter: benchLimiter,
  cold: benchCold,
  local: ({ isQuick }: Workbench) => benchLocalReady(isQuick ? 1 : 3),
  watch: ({ isQuick }: Workbench) => benchWatch(isQuick ? 2 : 40),
};

type PartName = keyof typeof parts;

interface BenchOptions {
  only: PartName[];
  quick: boolean;
  json: boolean;
}

const partNames = Object.keys(parts) as PartName[];
const command = new Command('npm run bench --')
  .description("Measures the service's speed and memory beside named peers.")
  .usage(`[--only ${partNames.join('|')}] [--quick] [--json]`)
  .addOption(
    new Option('--only <part...>', 'measure these parts alone')
      .choices(partNames)
      .default(partNames, 'all of them'),
  )
  .option('--quick', 'tiny sizes and one round: shows that it works, not how fast', false)
  .option('--json', 'one line of figures on stdout; the table goes to stderr', false);

try {
  const options = parseCommandLine<BenchOptions>(command, process.argv.slice(2));
  if (options) await run(options);
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  console.error(`${error.message}\nUsage: ${command.name()} ${command.usage()}`);
  process.exitCode = 2;
}

async function run({ only, quick, json }: BenchOptions): Promise<void> {
  const showTable = json ? console.error : console.log;
  const bench = await setUpWorkbench(quick);
  const findings: Findings[] = [];
  try {
    for (const name of only) {
      findings.push(await parts[name](bench));
      showTable(renderFindings(findings.at(-1)!, quick));
    }
  } finally {
    bench.close();
  }
  if (json) console.log(renderJson(findings));
}
