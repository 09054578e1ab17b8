import { Marked } from 'marked';
import { html, Markup } from './html.ts';

// The contract's headings are on the level of the page's sections, so they are moved below them.
const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const level = depth + 1;
      const title = new Markup(this.parser.parseInline(tokens));
      return `<h${level} id="${slug(text)}">${selfLink(slug(text), title)}</h${level}>\n`;
    },
  },
});

/** Converts a Markdown text of the contract into markup. */
export function paragraphs(text: string): Markup {
  return new Markup(marked.parse(text, { async: false }));
}

/** The title of a place as a link to it. Tab passes it by, so that it is not in a reader's way. */
export function selfLink(id: string, title: Markup | string): Markup {
  return html`<a class="self" href="#${id}" tabindex="-1">${title}</a>`;
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
