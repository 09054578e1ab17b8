import { Marked } from 'marked';
import { Markup } from './html.ts';

// The contract's headings are on the level of the page's sections, so they are moved below them.
const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const level = depth + 1;
      return `<h${level} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
  },
});

/** Converts a Markdown text of the contract into markup. */
export function paragraphs(text: string): Markup {
  return new Markup(marked.parse(text, { async: false }));
}

/** The headings of a Markdown text, with their ids in the markup. */
export function headings(text: string): { readonly id: string; readonly title: string }[] {
  return [...text.matchAll(/^##+ (.+)$/gm)].map(([, title]) => ({
    id: slug(title!),
    title: title!,
  }));
}

function slug(title: string): string {
  return `guide-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
}
