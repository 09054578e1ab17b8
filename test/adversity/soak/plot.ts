/** One line of a chart. A point without a value leaves a gap. */
interface Line {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

/** A chart of some lines over the time of a run. */
interface Chart {
  readonly title: string;
  readonly lines: readonly Line[];
}

interface Plot {
  readonly title: string;
  /** The time of each value since the beginning of the run. */
  readonly seconds: readonly number[];
  /** Periods to shade. */
  readonly shaded: readonly { readonly from: number; readonly to: number }[];
  readonly charts: readonly Chart[];
}

const [width, chartHeight, left, right, top] = [960, 150, 70, 20, 60];
const gap = 56;
const stepWidth = 2;
const colours = ['#1b6ca8', '#c8553d', '#4f772d', '#7b2d8b'];

/** Draws charts below each other, with one axis of time. */
export function drawPlot({ title, seconds, shaded, charts }: Plot): string {
  const lastSecond = Math.max(1, ...seconds);
  const x = (second: number) => left + ((width - left - right) * second) / lastSecond;
  const drawn = charts.map((chart, index) => {
    const y = top + index * (chartHeight + gap);
    return `<g transform="translate(0 ${y})">${drawChart(chart, { seconds, shaded, x })}</g>`;
  });
  const height = top + charts.length * (chartHeight + gap);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${left}" y="24" font-size="15">${escaped(title)}</text>
${drawn.join('\n')}
</svg>
`;
}

function drawChart(
  { title, lines }: Chart,
  { seconds, shaded, x }: Pick<Plot, 'seconds' | 'shaded'> & { x: (second: number) => number },
): string {
  const all = lines.flatMap(({ values }) => values).filter((value) => value !== undefined);
  const highest = roundedUp(Math.max(0, ...all));
  const y = (value: number) => chartHeight * (1 - value / highest);
  const label = (tx: number, ty: number, text: string, rest = '') =>
    `<text x="${round(tx)}" y="${round(ty)}"${rest}>${escaped(text)}</text>`;
  const shades = shaded.map(
    ({ from, to }) =>
      `<rect x="${round(x(from))}" width="${round(x(to) - x(from))}" height="${chartHeight}" fill="#f3e3dc"/>`,
  );
  const grid = [0, 0.5, 1].map((share) => {
    const at = round(y(share * highest));
    const line = `<path d="M${left} ${at}H${width - right}" stroke="#ccc"/>`;
    return line + label(left - 6, at + 4, String(share * highest), ' text-anchor="end"');
  });
  const ends = [0, Math.max(1, ...seconds)].map((second, index) =>
    label(x(second), chartHeight + 16, `${second} s`, index ? ' text-anchor="end"' : ''),
  );
  const curves = lines.map(({ name, values }, index) => {
    const colour = colours[index % colours.length];
    const path = pathOf(values, (at) => x(seconds[at]!), y);
    const legend = label(left + 240 + index * 150, -8, name, ` fill="${colour}"`);
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>${legend}`;
  });
  return [...shades, ...grid, label(left, -8, title), ...ends, ...curves].join('');
}

function pathOf(
  values: Line['values'],
  x: (index: number) => number,
  y: (value: number) => number,
) {
  const points = visible(values, x).map((index, position, shown) => {
    const value = values[index];
    if (value === undefined) return '';
    const isFirst = values[shown[position - 1] ?? -1] === undefined;
    return `${isFirst ? 'M' : 'L'}${round(x(index))} ${round(y(value))}`;
  });
  return points.join('');
}

/** The indices of the highest value in each step of the width; a long run has many in one. */
function visible(values: Line['values'], x: (index: number) => number): number[] {
  const highest = new Map<number, number>();
  for (const [index, value = -1] of values.entries()) {
    const step = Math.round(x(index) / stepWidth);
    const other = values[highest.get(step) ?? -1] ?? -1;
    if (!highest.has(step) || value > other) highest.set(step, index);
  }
  return [...highest.values()];
}

/** Rounds up to a number whose digits after the first are zeros. */
function roundedUp(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / unit) * unit;
}

const round = (value: number) => Math.round(value * 10) / 10;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
