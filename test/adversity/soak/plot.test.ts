import { describe, expect, it } from '@jest/globals';
import { drawPlot } from './plot.ts';

describe('a plot', () => {
  const svg = drawPlot({
    title: 'A & B',
    seconds: [5, 10, 15, 20],
    shaded: [{ from: 5, to: 10 }],
    charts: [{ title: 'MB', lines: [{ name: 'service', values: [0, 50, undefined, 100] }] }],
  });

  it('draws a line from left to right and from the bottom to the top, with its gaps', () => {
    expect(svg).toContain('<path d="M287.5 150L505 75M940 0" fill="none"');
  });

  it('shades a stretch of time', () => {
    expect(svg).toContain('<rect x="287.5" width="217.5" height="150"');
  });

  it('shows the highest of many values in one place', () => {
    const values = Array.from({ length: 10_000 }, (_, index) => (index === 5_000 ? 100 : 50));
    const seconds = values.map((_, index) => index);
    const long = drawPlot({
      title: 'long',
      seconds,
      shaded: [],
      charts: [{ title: 'MB', lines: [{ name: 'service', values }] }],
    });

    const [, path = ''] = /<path d="(M70 [^"]*)" fill="none"/.exec(long) ?? [];
    expect(path.split('L').length).toBeLessThan(1_000);
    expect(path).toMatch(/L505 0L/);
  });

  it('escapes its texts', () => {
    expect(svg).toContain('A &amp; B');
  });
});
