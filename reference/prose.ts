import { Marked } from 'marked';
import { Markup } from './html.ts';

// The contract's headings begin at the second level, which is that of the page's own sections.
const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const level = depth + 1;
      return `<h${level} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
  },
});

/** The contract's own text, which is Markdown, as markup. */
export function paragraphs(text: string): Markup {
  return new Markup(marked.parse(text, { async: false }));
}

/** The headings of a text, with the ids that they have in its markup. */
export function headings(text: string): { readonly id: string; readonly title: string }[] {
  return [...text.matchAll(/^##+ (.+)$/gm)].map(([, title]) => ({
    id: slug(title!),
    title: title!,
  }));
}

function slug(title: string): string {
  return `guide-${title.toLowerCase().replaceAll(/\W+/g, '-')}`;
}
