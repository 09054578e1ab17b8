import { join, posix } from 'node:path';
import { Marked } from 'marked';
import { html, Markup } from './html.ts';

/** A page of `docs/`, as a part of another page. */
export interface Guide {
  readonly beginning: Markup;
  readonly content: Markup;
  readonly headings: readonly Heading[];
  /** Paths in the repository. */
  readonly linkedFiles: ReadonlySet<string>;
}

interface Heading {
  readonly id: string;
  readonly title: string;
  /** 1 for the title of the guide, 2 for a section, and so on. */
  readonly depth: number;
}

export const root = join(import.meta.dirname, '../../..');

/** Renders a page of `docs/`, its headings one level down, because the page around it has a title of its own. */
export function renderGuide(markdown: string): Guide {
  const headings: Heading[] = [];
  const linkedFiles = new Set<string>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const title = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = anchorOf(title, headings);
        headings.push({ id, title, depth });
        const content = new Markup(this.parser.parseInline(tokens));
        const link = html`<a href="#${id}" aria-hidden="true" tabindex="-1">#</a>`;
        return `${html`<h${depth + 1} id="${id}">${content} ${link}</h${depth + 1}>`}\n`;
      },
      link({ href, tokens }) {
        if (/^(#|[a-z]+:)/.test(href)) return false;
        const path = posix.join('docs', href.replace(/#.*/, ''));
        linkedFiles.add(path);
        return String(html`<a href="${path}">${new Markup(this.parser.parseInline(tokens))}</a>`);
      },
    },
    hooks: {
      // A figure scrolls sideways if the window is narrower than the table.
      postprocess: (page) =>
        page
          .replaceAll('<table>', '<figure tabindex="0"><table>')
          .replaceAll('</table>', '</table></figure>'),
    },
  });
  const [title = '', first = '', ...others] = markdown.split(/^(?=## )/m);
  const render = (text: string) => new Markup(marked.parse(text, { async: false }));
  return {
    beginning: render(title + first),
    content: render(others.join('')),
    headings,
    linkedFiles,
  };
}

/** The anchor that GitHub gives a heading, so that links of the guide work here as well. */
function anchorOf(title: string, previous: readonly Heading[]): string {
  const name = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const count = previous.filter((heading) => heading.title === title).length;
  return count === 0 ? name : `${name}-${count}`;
}
