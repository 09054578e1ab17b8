import { describe, expect, it } from '@jest/globals';
import { renderGuide } from '../../page/guide.ts';

const rendered = (markdown: string) => {
  const { beginning, content } = renderGuide(markdown);
  return `${beginning}${content}`;
};

describe('a page of docs/ on the page of a local run', () => {
  it('has the anchors that GitHub gives its headings, and shows the headings one level lower', () => {
    const { beginning, content, headings } = renderGuide(
      '# `npm start`, & more\n## Keys\n## Keys\n### Ünïcode_1',
    );

    expect(headings).toEqual([
      { id: 'npm-start--more', title: 'npm start, & more', depth: 1 },
      { id: 'keys', title: 'Keys', depth: 2 },
      { id: 'keys-1', title: 'Keys', depth: 2 },
      { id: 'ünïcode_1', title: 'Ünïcode_1', depth: 3 },
    ]);
    expect(String(beginning)).toContain(
      '<h2 id="npm-start--more"><code>npm start</code>, &amp; more',
    );
    expect(String(content)).toContain('<h3 id="keys-1">');
  });

  it.each([
    ['a heading', '#keys', '#keys'],
    ['another site', 'https://example.com/', 'https://example.com/'],
    ['the contract', '../openapi.yaml', 'openapi.yaml'],
    ['a part of another page', 'adr/../scaling.md#requests', 'docs/scaling.md'],
  ])('links to %s', (_, href, address) => {
    expect(rendered(`[*here*](${href})`)).toBe(`<p><a href="${address}"><em>here</em></a></p>\n`);
  });

  it('has its tables in figures, which can scroll', () => {
    expect(rendered('| a |\n|---|\n| 1 |')).toMatch(
      /^<figure tabindex="0"><table>.*<\/table><\/figure>\n$/s,
    );
  });
});
